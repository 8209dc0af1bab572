"use strict";
// Police, and in the set-up all pieces, are dragged from city to city, or from their buttons. For the
// composer that is a click on the button of the piece, and one on the city.
{
  const { data, panel, made } = composing;
  const map = document.querySelector(".place-board svg.board");
  const towns = [...map.querySelectorAll("[data-place]")];
  const movable = new Map(data.pieces.filter(({ kind }) => data.setup || kind === "police")
    .map(({ code }) => [panel.querySelector(`[data-piece=${code}]`), code]));
  const away = (town, { clientX, clientY }) => {
    const { x, y, width, height } = town.getBoundingClientRect();
    return Math.hypot(x + width / 2 - clientX, y + height / 2 - clientY);
  };
  const townAt = (event) =>
    towns.find((town) => away(town, event) < 24 && towns.every((other) => away(town, event) <= away(other, event)));
  let dropped = false; // the click that ends a drag is none

  dragging([map, ...movable.keys()], {
    held: (event) => {
      dropped = false;
      const button = event.target.closest("[data-piece]");
      const town = townAt(event);
      // What a button says ends with the city.
      return button || (town && [...movable.keys()].findLast((one) => one.textContent.endsWith(` ${town.dataset.place}`)));
    },
    ghost: (button) => {
      button.click();
      return made("span", { class: "sign ghost" }, movable.get(button));
    },
    drop: (button, square, event) => {
      const town = map.contains(document.elementFromPoint(event.clientX, event.clientY)) && townAt(event);
      if (town) town.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX: event.clientX, clientY: event.clientY }));
      dropped = event.pointerType === "mouse";
    },
  });
  addEventListener("click", (event) => {
    if (dropped) event.stopPropagation();
    dropped = false;
  }, true);
}
