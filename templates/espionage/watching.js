"use strict";
// The board where no orders are awaited: enemy pieces are looked at and marked. What needs no turn
// goes into a sheet of its own, before those for later turns.
{
  const { data, template, say, next, board, part, write, begin, invite, acting, tapped, extra } = composing;
  const [head, nothing, first] = JSON.parse(document.getElementById("watching-data").textContent);
  const pieces = new Map(piecesOf(data));
  const point = (square) => {
    const piece = pieces.get(square);
    say(described(pieces, square));
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
  const { drawing, layer, cells } = board(piecesOf(data)[0][0], { point, key });
  const { described, label } = drawings(drawing, data);
  const show = () => {
    write(template, nothing);
    part("undo").hidden = !acting();
    if (acting()) return acting().draw();
    layer.replaceChildren();
    drawing.classList.remove("composing");
    label(cells, pieces, null);
    return next(first);
  };
  part("undo").onclick = undo;
  begin({ show, kept: () => null, takeUp: show, sent: null, standing: () => pieces });
  invite("beside", { sheets: () => (extra().length ? [[head, ...extra(), "END"]] : []) });
}
