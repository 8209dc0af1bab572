"use strict";
/* Steps through the moments of a match on the board of the page, or plays them. A moment is an item of
   the list in which the page tells all of them in words, and its id the name by which links find it;
   `draw(moments, n, moves)` shows the board as it was at the n-th of them, and slides what moved
   there if `moves`. `turn`, if the board has another side, turns it. A moment's changes stand in it
   as data. At the last moment the page's own board is seen again, on which orders are composed. */
function changesOf(moment, between) {
  return (moment.dataset.changes || "").split(between).filter(Boolean);
}

function slide(part, x, y, delay = 0) {
  const keys = [{ transform: `translate(${x}px,${y}px)` }, { transform: "none" }];
  part.animate(keys, { duration: 350, delay, fill: "backwards", easing: "ease-out" });
}

function lookBack(section, draw, turn) {
  const find = (name) => section.querySelector(name);
  const moments = [...section.querySelectorAll(".moments > li")];
  const places = moments.map((moment) => moment.id);
  const replay = find(".replay");
  const past = find(".past-board");
  const buttons = [...replay.querySelectorAll("button")];
  const slider = find("input");
  const speed = find("select");
  const here = find(".here");
  const when = find(".when");
  const last = moments.length - 1;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const place = document.querySelector(".place-board");
  const present = place.querySelector(".pointed");
  const told = document.createElement("div");
  const row = find("details"); // in which it is folded
  let shown = -1;
  let timer = 0;
  let isTurned = false;

  /* The board of the past lies on that of the present. */
  const lay = (isPast) => {
    past.hidden = !isPast;
  };
  const settle = () => {
    if (shown === last && !timer) lay(isTurned);
  };

  function show(n) {
    n = Math.min(Math.max(n, 0), last);
    if (n === shown) return;
    const isStep = n === shown + 1 && n > 0;
    shown = n;
    slider.value = n;
    when.textContent = moments[n].querySelector("b").textContent;
    slider.ariaValueText = when.textContent;
    here.hash = places[n];
    for (const button of buttons) button.ariaDisabled = goal(button) === n;
    told.replaceChildren(...moments[n].cloneNode(true).childNodes);
    if (n === last && past.hidden) return;
    lay(true);
    draw(moments, n, isStep && !still);
    Promise.allSettled(past.getAnimations({ subtree: true }).map(({ finished }) => finished)).then(settle);
  }

  function goal(button) {
    const by = { first: -last, back: -1, on: 1, last: last }[button.value];
    return Math.min(Math.max(shown + by, 0), last);
  }

  function play(on) {
    clearTimeout(timer);
    timer = on && setTimeout(() => {
      show(shown + 1);
      play(shown < last);
    }, speed.value);
    find("[value=play]").ariaPressed = !!on;
  }

  function go(n) {
    play(false);
    show(n);
    settle();
  }

  function toggle() {
    if (!timer && shown === last) show(0);
    play(!timer);
  }

  for (const button of buttons) {
    button.title = button.ariaLabel;
    button.onclick = () => {
      if (button.value === "play") return toggle();
      if (button.value !== "turn") return go(goal(button));
      isTurned = turn();
      button.ariaPressed = isTurned;
      lay(true);
      draw(moments, shown);
      return settle();
    };
  }
  slider.max = last;
  slider.addEventListener("input", () => go(Number(slider.value)));

  /* Arrow keys step too, as long as nothing else is chosen and the board is in sight. */
  function isMeant({ key, target }) {
    if (target.matches(key === " " ? "button,select,a,summary" : "input,select")) return false;
    if (replay.contains(target)) return true;
    if (!row.open) return false;
    const { top, bottom } = place.getBoundingClientRect();
    const inSight = top < innerHeight * 0.8 && bottom > innerHeight * 0.2;
    return target === document.body && inSight && key.startsWith("Arrow");
  }

  document.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: last, " ": last }[event.key];
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (to === undefined || !isMeant(event)) return;
    event.preventDefault();
    if (event.key === " ") toggle();
    else go(to);
  });

  /* A finger that is drawn across the board steps, unless it drags a piece or the board itself. */
  let from = null;
  present.addEventListener("touchstart", ({ touches }) => {
    from = touches.length === 1 && row.open ? touches[0].clientX : null;
  }, { passive: true });
  present.addEventListener("touchmove", () => {
    if (document.querySelector(".ghost")) from = null;
  }, { passive: true });
  present.addEventListener("touchend", (event) => {
    const far = from === null ? 0 : event.changedTouches[0].clientX - from;
    if (Math.abs(far) > 40) go(shown - Math.sign(far));
  });
  present.addEventListener("focusin", ({ target }) => {
    if (target !== present && shown < last) go(last);
  });

  /* The buttons come below the board, or beside it. */
  const beside = () => replay.scrollIntoView({ block: "nearest" });
  row.firstElementChild.addEventListener("click", () => setTimeout(beside));

  function jump() {
    const name = location.hash.slice(1);
    const n = places.findIndex((place) => place === name || place.startsWith(name + "-"));
    if (n < 0) return;
    go(n);
    row.open = true;
    beside();
    replay.focus({ preventScroll: true });
  }

  /* The list keeps no names: a link leads to the board, not to the words below it. */
  for (const moment of moments) moment.removeAttribute("id");
  addEventListener("hashchange", jump);
  told.className = "moment";
  told.ariaLive = "polite";
  replay.after(told);
  present.append(past);
  replay.hidden = false;

  show(last);
  jump();
}
