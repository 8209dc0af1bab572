"use strict";
// Dragging by mouse, pen or finger. `held(event)` is what lies under the pointer, if it can be
// dragged; `ghost(held)` what follows the pointer; `drop(held, square, event)` gets null outside of
// the board. A finger scrolls the page unless it rests a moment first, or `ready(held)` says that it
// need not.
function dragging(places, { held, ghost, drop, ready = () => false }) {
  let drag = null;
  const rest = (event) => {
    const mine = drag;
    const free = () => {
      mine.free = true;
    };
    if (event.pointerType !== "touch" || ready(drag.held)) free();
    else setTimeout(free, 250);
  };
  const grasp = (event) => {
    const what = event.button || !event.isPrimary ? null : held(event);
    if (!what) return;
    drag = { held: what, x: event.clientX, y: event.clientY, ghost: null, free: false };
    rest(event);
  };
  const pull = (event) => {
    if (!drag) return;
    if (!drag.ghost) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 8) return;
      if (!drag.free) {
        drag = null;
        return;
      }
      drag.ghost = ghost(drag.held);
      drag.ghost.classList.add("ghost");
      document.body.append(drag.ghost);
    }
    drag.ghost.style.translate = `${event.clientX}px ${event.clientY}px`;
  };
  const end = (event) => {
    const { held: what, ghost: shown } = drag || {};
    drag = null;
    if (!shown) return;
    shown.remove();
    if (event.type === "pointercancel") return;
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const cell = under && under.closest("[data-square]");
    drop(what, cell ? cell.dataset.square : null, event);
  };
  const still = (event) => {
    if (drag && (drag.free || drag.ghost)) event.preventDefault();
  };
  for (const place of places) {
    place.addEventListener("pointerdown", grasp);
    place.addEventListener("touchmove", still, { passive: false });
    place.addEventListener("contextmenu", still);
    place.addEventListener("dragstart", (event) => event.preventDefault()); // the browser's own
  }
  document.addEventListener("pointermove", pull);
  document.addEventListener("pointerup", end);
  document.addEventListener("pointercancel", end);
}
