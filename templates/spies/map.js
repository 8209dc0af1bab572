"use strict";
/* The map: whole at first. Two fingers, a double tap, the buttons, + - 0 and Ctrl with the wheel change
   its size, one finger moves a larger one: it is the `viewBox` that changes. A script that orders
   gives `tapped(city)`, which a tap near a city calls, `undo()`, for the first tap of two, and `redrawn()`,
   for when cities and pieces are drawn larger or smaller. */
const map = (() => {
  const frame = document.querySelector(".map");
  const svg = frame.querySelector("svg.board");
  const names = new Map(frame.dataset.names.split(";").map((one) => [one.slice(0, 3), one.slice(4)]));
  const held = new Map([...document.querySelectorAll(".cities b")].map((city) =>
    [city.textContent.slice(-3), city.nextSibling.textContent.trim()]));
  const spots = {}; // the middle of each city's plate
  for (const label of svg.querySelectorAll(".label text"))
    spots[label.textContent] = [Number(label.getAttribute("x")), label.getAttribute("y") - 6];
  const { width: wide, height: high } = svg.viewBox.baseVal;
  const FINE = 0.62; // pixels a unit from which on small letters can be read
  let view = [0, 0, wide, high];
  const hooks = {};

  const box = () => svg.getBoundingClientRect();
  const scale = () => Math.min(box().width / view[2], box().height / view[3]);
  const isWhole = () => view[2] > wide * 0.98;
  const inside = (n, most) => Math.min(Math.max(n, 0), Math.max(0, most));
  function put() {
    const { width, height } = box();
    if (isWhole() || !width) view = [0, 0, wide, high];
    else {
      view[3] = (view[2] * height) / width;
      view[0] = inside(view[0], wide - view[2]);
      view[1] = inside(view[1], high - view[3]);
    }
    const isFine = scale() >= FINE;
    const changes = isFine !== svg.classList.contains("near");
    for (const board of frame.querySelectorAll("svg.board")) { // that of the past, too
      board.setAttribute("viewBox", view.map((n) => n.toFixed(1)).join(" "));
      board.classList.toggle("in", !isWhole());
      board.classList.toggle("near", isFine);
      board.classList.toggle("far", !isFine);
    }
    point();
    if (changes && hooks.redrawn) hooks.redrawn();
  }
  const at = (x, y) => new DOMPoint(x, y).matrixTransform(svg.getScreenCTM().inverse());
  /* What lies at a point of the window stays there. */
  function resize(by, x = box().x + box().width / 2, y = box().y + box().height / 2) {
    const place = at(x, y);
    const { x: left, y: top, width, height } = box();
    const now = Math.min(wide, Math.max(wide / 4, view[2] / by));
    const tall = (now * height) / width;
    view = [place.x - (now * (x - left)) / width, place.y - (tall * (y - top)) / height, now, tall];
    put();
  }
  const keys = { "+": () => resize(1.5), "-": () => resize(1 / 1.5), 0: () => resize(1 / 9) };
  const zoom = document.querySelector(".zoom");
  zoom.hidden = false;
  for (const button of zoom.children) button.onclick = keys[button.value];
  frame.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  frame.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    resize(1.002 ** -event.deltaY, event.clientX, event.clientY);
  }, { passive: false });

  /* Two fingers, or one that drags a larger map. A finger on the whole map scrolls the page. */
  const down = new Map();
  let hasMoved = false;
  let apart = 0;
  const between = () => {
    const [[x, y], [u, v]] = down.values();
    return [Math.hypot(x - u, y - v), (x + u) / 2, (y + v) / 2];
  };
  svg.addEventListener("pointerdown", (event) => {
    if (!down.size) hasMoved = false;
    down.set(event.pointerId, [event.clientX, event.clientY]);
    if (down.size === 2) [apart] = between();
  });
  addEventListener("pointermove", (event) => {
    const was = down.get(event.pointerId);
    if (!was) return;
    const by = [event.clientX - was[0], event.clientY - was[1]];
    if (down.size === 1 && !hasMoved && Math.hypot(...by) < 8) return;
    hasMoved = true;
    down.set(event.pointerId, [event.clientX, event.clientY]);
    if (down.size === 2) {
      const [far, x, y] = between();
      resize(far / apart, x, y);
      apart = far;
    } else if (!isWhole()) {
      const size = scale();
      view[0] -= by[0] / size;
      view[1] -= by[1] / size;
      put();
    }
  });
  for (const kind of ["pointerup", "pointercancel"])
    addEventListener(kind, (event) => down.delete(event.pointerId));
  frame.addEventListener("touchmove", (event) => {
    if (event.touches.length === 2) event.preventDefault();
  }, { passive: false });
  svg.addEventListener("touchstart", (event) => {
    if (event.touches.length > 1 || !isWhole()) event.stopPropagation(); // it steps through no replay
  }, { passive: true });

  /* The nearest city within 26 pixels of a point. Pieces lie below their city, so they mean it, too. */
  function cityAt({ clientX, clientY }) {
    const { x, y } = at(clientX, clientY);
    const away = ([u, v]) => Math.hypot(x - u, Math.max(0, Math.abs(y - v - 12) - 22));
    const all = Object.keys(spots);
    const nearest = all.reduce((best, city) => (away(spots[city]) < away(spots[best]) ? city : best));
    return away(spots[nearest]) * scale() < 26 ? nearest : null;
  }
  let last = { timeStamp: -9999, clientX: 0, clientY: 0 };
  svg.addEventListener("click", (event) => {
    if (hasMoved) return;
    const isSecond = event.timeStamp - last.timeStamp < 320
      && Math.hypot(event.clientX - last.clientX, event.clientY - last.clientY) < 24;
    last = isSecond ? { ...last, timeStamp: -9999 } : event;
    if (isSecond) {
      if (hooks.undo) hooks.undo();
      resize(2, event.clientX, event.clientY);
      return;
    }
    const city = cityAt(event);
    point(event);
    if (hooks.tapped && city) hooks.tapped(city);
  });

  /* The name of a city and what is there. */
  const tag = document.createElement("p");
  tag.className = "map-name";
  frame.append(tag);
  function point(event) {
    const city = event && cityAt(event);
    tag.hidden = !city;
    if (city) tag.textContent = [`${city} ${names.get(city)}`, held.get(city)].filter(Boolean).join(": ");
  }
  svg.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse" && !down.size) point(event);
  });
  svg.addEventListener("pointerleave", () => point());

  addEventListener("resize", put);
  put();
  return { frame, svg, spots, names, hooks, isFine: () => svg.classList.contains("near") };
})();
