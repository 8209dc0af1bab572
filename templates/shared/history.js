"use strict";
/* Steps through the moments of a match, or plays them. A moment is an item of the list in which the
   page tells all of them in words, and its id the name by which links find it; `draw(moments, n,
   moves)` shows the board as it was at the n-th of them, and slides what moved there if `moves`.
   `turn`, if the board has another side, turns it. A moment's changes stand in it as data. */
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
  const buttons = [...replay.querySelectorAll("button")];
  const slider = find(".replay input");
  const here = find("a.here");
  const last = moments.length - 1;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let shown = -1;
  let timer = 0;

  function show(n) {
    n = Math.min(Math.max(n, 0), last);
    if (n === shown) return;
    draw(moments, n, !still && n === shown + 1 && n > 0);
    shown = n;
    slider.value = n;
    slider.setAttribute("aria-valuetext", moments[n].querySelector("b").textContent);
    here.hash = places[n];
    for (const button of buttons) button.setAttribute("aria-disabled", goal(button) === n);
    find(".moment").replaceChildren(...moments[n].cloneNode(true).childNodes);
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
    }, find("select").value);
    find("[value=play]").setAttribute("aria-pressed", !!on);
  }

  function go(n) {
    play(false);
    show(n);
  }

  function toggle() {
    if (!timer && shown === last) show(0);
    play(!timer);
  }

  for (const button of buttons) {
    button.title = button.getAttribute("aria-label");
    button.onclick = () => {
      if (button.value === "play") return toggle();
      if (button.value !== "turn") return go(goal(button));
      button.setAttribute("aria-pressed", turn());
      draw(moments, shown);
    };
  }
  slider.max = last;
  slider.addEventListener("input", () => go(Number(slider.value)));

  /* Arrow keys with nothing else chosen step too, as long as the board of the past is in sight. */
  function isMeant({ key, target }) {
    if (target.matches(key === " " ? "button,select,a" : "input,select")) return false;
    if (replay.contains(target)) return true;
    const place = replay.getBoundingClientRect();
    const inSight = place.top < innerHeight * 0.8 && place.bottom > innerHeight * 0.2;
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

  const past = find(".past-board");
  let from;
  past.addEventListener("touchstart", (event) => (from = event.touches[0].clientX), { passive: true });
  past.addEventListener("touchend", (event) => {
    const far = event.changedTouches[0].clientX - from;
    if (Math.abs(far) > 40) go(shown - Math.sign(far));
  });

  function jump() {
    const name = location.hash.slice(1);
    const n = places.findIndex((place) => place === name || place.startsWith(name + "-"));
    if (n < 0) return;
    go(n);
    replay.scrollIntoView({ block: "start" });
    replay.focus({ preventScroll: true });
  }

  /* The list keeps no names: a link leads to the board, not to the words below it. */
  for (const moment of moments) moment.removeAttribute("id");
  addEventListener("hashchange", jump);
  for (const part of replay.querySelectorAll("[hidden]")) part.hidden = false;

  show(last);
  jump();

  /* What happened last is seen to happen once, when the board comes into sight. */
  if (still || shown < last) return;
  new IntersectionObserver(([entry], observer) => {
    if (!entry.isIntersecting) return;
    observer.disconnect();
    if (shown !== last || timer) return;
    draw(moments, last - 1);
    draw(moments, last, true);
  }, { threshold: 0.5 }).observe(past);
}
