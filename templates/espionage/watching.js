"use strict";
// The board where no orders are awaited: enemy pieces are looked at and marked. What needs no turn
// goes into a sheet of its own, before those for later turns.
{
  const { data, template, filled, say, board, part, write, begin, invite, acting, tapped, extra } = composing;
  const { words } = data;
  const [head, nothing, first] = JSON.parse(document.getElementById("watching-data").textContent);
  const pieces = new Map(data.pieces.map(([square, own, letter]) => [square, { own, letter }]));
  const described = (square) => {
    const piece = pieces.get(square);
    const told = data.volcanoes.includes(square) ? words.volcano : !piece ? words.empty
      : piece.own ? words.own : data.ranks[piece.letter] ? words.enemy : words.unknown;
    return filled(told, { square, rank: piece && data.ranks[piece.letter] });
  };
  const point = (square) => {
    const piece = pieces.get(square);
    say(described(square));
    if (piece && !piece.own) tapped(square);
  };
  const undo = () => {
    if (acting()) acting().undo();
  };
  const key = (square, pressed) => {
    if (pressed !== "Escape" && pressed !== "Backspace") return false;
    undo();
    return true;
  };
  const { drawing, layer, cells } = board(data.pieces.find(([, own]) => own)[0], { point, key });
  const show = () => {
    write(template, nothing);
    part("undo").hidden = !acting();
    if (acting()) return acting().draw();
    layer.replaceChildren();
    drawing.classList.remove("composing");
    for (const [square, cell] of cells) {
      cell.setAttribute("aria-label", described(square));
      cell.setAttribute("aria-selected", false);
    }
    return say(first);
  };
  part("undo").addEventListener("click", undo);
  begin({ show, kept: () => null, takeUp: show, sent: null, standing: () => pieces });
  invite("beside", { sheets: () => (extra().length ? [[head, ...extra(), "END"]] : []) });
}
