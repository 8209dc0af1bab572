"use strict";
/* The map in its frame: one power's journeys at a time, the names of what is touched, and larger or
   smaller by fingers, wheel and keys. */
{
  const frame = document.querySelector(".map");
  const svg = frame.querySelector("svg.board");
  const tools = document.querySelector(".map-tools");
  const [powers, sizes] = [...tools.children].map((group) => [...group.children]);
  const minis = [...document.querySelectorAll(".mini[data-power]")];
  const names = new Map(frame.dataset.names.split(";").map((one) => [one.slice(0, 3), one.slice(4)]));
  const held = new Map([...document.querySelectorAll(".cities b")].map((city) =>
    [city.textContent.slice(-3), city.nextSibling.textContent.trim()]));
  const LARGEST = 4;
  let chosen = null; // whose journeys are drawn; "" for nobody's

  function choose(power) {
    frame.dataset.power = chosen = power; // the style sheet shows its journeys, also on the board of the past
    for (const button of powers) button.setAttribute("aria-pressed", button.value === chosen);
  }
  const shown = svg.querySelector(".ways > g:not([display])");
  choose(shown ? shown.getAttribute("class") : "");
  for (const button of powers) button.onclick = () => choose(chosen === button.value ? "" : button.value);
  for (const mini of minis)
    mini.addEventListener("click", () => {
      choose(mini.dataset.power);
      frame.scrollIntoView({ block: "nearest" });
    });

  /* What lies at a point of the frame stays there. */
  const size = () => svg.getBoundingClientRect().width / frame.clientWidth;
  function resize(wanted, x = frame.clientWidth / 2, y = frame.clientHeight / 2) {
    const before = size();
    const now = Math.min(LARGEST, Math.max(1, wanted));
    const [left, top] = [frame.scrollLeft + x, frame.scrollTop + y];
    svg.style.cssText = `width: ${100 * now}%; max-width: none`;
    const past = frame.querySelector(".past-board");
    if (past) past.style.width = `${svg.getBoundingClientRect().width}px`;
    frame.scrollTo(left * (now / before) - x, top * (now / before) - y);
    quiet();
  }
  const within = ({ clientX, clientY }) => {
    const place = frame.getBoundingClientRect();
    return [clientX - place.left, clientY - place.top];
  };
  const steps = { "+": () => resize(size() * 1.4), "-": () => resize(size() / 1.4), 0: () => resize(1) };
  for (const button of sizes) button.onclick = steps[button.value];
  frame.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !steps[event.key]) return;
    event.preventDefault();
    steps[event.key]();
  });
  /* The wheel alone moves the page, until the map was chosen. */
  frame.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !frame.contains(document.activeElement)) return;
    event.preventDefault();
    resize(size() * 1.002 ** -event.deltaY, ...within(event));
  }, { passive: false });
  let pinch = null;
  const apart = ([one, other]) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
  frame.addEventListener("touchstart", ({ touches }) => {
    pinch = touches.length === 2 ? { size: size(), apart: apart(touches) } : null;
  }, { passive: true });
  frame.addEventListener("touchmove", (event) => {
    if (!pinch || event.touches.length !== 2) return;
    event.preventDefault();
    const [one, other] = event.touches;
    const middle = { clientX: (one.clientX + other.clientX) / 2, clientY: (one.clientY + other.clientY) / 2 };
    resize(pinch.size * (apart(event.touches) / pinch.apart), ...within(middle));
  }, { passive: false });
  /* A mouse drags the map where it drags no piece. */
  let drag = null;
  frame.addEventListener("pointerdown", (event) => {
    drag = event.pointerType === "mouse" && !event.button
      ? { x: event.clientX + frame.scrollLeft, y: event.clientY + frame.scrollTop, far: false, from: event } : null;
  });
  addEventListener("pointermove", (event) => {
    if (!drag || document.querySelector(".ghost")) return;
    drag.far ||= Math.hypot(event.clientX - drag.from.clientX, event.clientY - drag.from.clientY) > 8;
    if (drag.far) frame.scrollTo(drag.x - event.clientX, drag.y - event.clientY);
  });
  addEventListener("click", (event) => {
    if (drag && drag.far) event.stopPropagation();
    drag = null;
  }, true);

  /* The name of a city and what is there. */
  const tag = document.createElement("p");
  tag.className = "map-name";
  tag.hidden = true;
  frame.append(tag);
  const towns = [...svg.querySelectorAll(".label text")].map((label) =>
    [label.textContent, Number(label.getAttribute("x")), Number(label.getAttribute("y")) - 6]);
  function quiet() {
    tag.hidden = true;
  }
  /* Pieces lie below their city, so a point below it means it, too. */
  function townAt(event) {
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    const place = svg.getBoundingClientRect();
    const [x, y] = [(event.clientX - place.left) / scale, (event.clientY - place.top) / scale];
    const away = ([, u, v]) => Math.hypot(x - u, y > v ? Math.max(0, y - v - 30) : v - y);
    const nearest = towns.reduce((best, town) => (away(town) < away(best) ? town : best));
    return away(nearest) < 40 ? nearest : null;
  }
  function point(event) {
    const town = townAt(event);
    if (!town) return quiet();
    const [code, x, y] = town;
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    tag.textContent = [`${code} ${names.get(code)}`, held.get(code)].filter(Boolean).join(": ");
    tag.hidden = false;
    const left = Math.min(x * scale, frame.scrollLeft + frame.clientWidth - tag.offsetWidth - 4);
    const above = y * scale - tag.offsetHeight - 14 * scale;
    /* By a transform, for what lies over the map is no shift of what the reader looks at. */
    const top = above < frame.scrollTop ? y * scale + 44 * scale : above;
    tag.style.transform = `translate(${Math.max(frame.scrollLeft + 4, left)}px, ${top}px)`;
  }
  svg.addEventListener("click", point);
  svg.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse" && !(drag && drag.far)) point(event);
  });
  svg.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse") quiet();
  });

  tools.hidden = false;
  /* On a small screen the map begins at the reader's own home. */
  const home = svg.querySelector(".spy [stroke=\"#ffd84d\"]");
  if (home) {
    const [box, place] = [home.getBoundingClientRect(), frame.getBoundingClientRect()];
    frame.scrollTo(box.left + box.width / 2 - place.left - frame.clientWidth / 2, box.top + box.height / 2 - place.top - frame.clientHeight / 2);
  }
}
