"use strict";
// What the composers draw over the board: steps as arrows, and pieces where they would stand.
function drawings(drawing, { below }) {
  const { drawn, centre } = composing;

  const arrows = (steps, look) => steps.flatMap(([from, to], i) => {
    const [x, y] = centre(from);
    const [toX, toY] = centre(to);
    const turn = (Math.atan2(toY - y, toX - x) * 180) / Math.PI;
    const place = `translate(${x} ${y}) rotate(${turn})`;
    return [
      drawn("path", { class: `way ${look}`, transform: place, d: "M8 0H20" }),
      drawn("path", { class: `tip ${look}`, transform: place, d: "M30 0l-12 -8v16z" }),
      drawn("circle", { class: `number ${look}`, cx: x - 15, cy: y - 14, r: 9 }),
      drawn("text", { x: x - 15, y: y - 9 }, i + 1),
    ];
  });

  // The square that a piece has left shows it faintly.
  const veils = (steps) => steps.map(([from]) => {
    const [x, y] = centre(from);
    return drawn("rect", { class: "veil", x: x - 20, y: y - 20, width: 40, height: 40 });
  });

  // A piece as the drawing has it, in the look of its side. In a fight both are to be seen: the one
  // that attacks stands before the other.
  const piecesAt = ([square, { own, letter, from, fights }]) => {
    const [[x, y], [oldX, oldY]] = [centre(square), centre(from)];
    const back = fights ? 0.45 : 0;
    const [cx, cy] = [x + (oldX - x) * back, y + (oldY - y) * back];
    const side = own === (below === "white") ? "white" : "black";
    const [shape, sign] = ["piece", "letter"].map((kind) => drawing.querySelector(`.${kind}.${side}`).cloneNode());
    shape.append(own
      ? drawn("rect", { x: cx - 18, y: cy - 18, width: 36, height: 36, rx: 5 })
      : drawn("circle", { cx, cy, r: 18 }));
    sign.append(drawn("text", { x: cx, y: cy + 7 }, letter));
    return [shape, sign];
  };

  return { arrows, veils, piecesAt };
}
