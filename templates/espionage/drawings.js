"use strict";
// What the composers draw over the board and say of it: steps as arrows, and pieces where they would
// stand. A position is a Map of squares to { own, letter }; a piece that has moved tells its
// `origin`, where it came `from`, and whether it `fights` there: how that ends, nobody knows.
// `piecesOf` gives the entries of the one that the data have, in which a piece is "e7M".
const piecesOf = ({ own, enemy }) => [own, enemy].flatMap((pieces, n) =>
  [...pieces.matchAll(/(\S+)(\S)/g)].map(([, square, letter]) => [square, { own: !n, letter }]));
function drawings(drawing, data) {
  const { drawn, centre, filled } = composing;
  const { below, words, ranks } = data;

  const stepped = (before, steps) => {
    const standing = new Map(before);
    for (const [from, to] of steps) {
      const piece = standing.get(from) || { own: true, letter: "" };
      standing.delete(from);
      standing.set(to, { ...piece, origin: piece.origin || from, from, fights: standing.has(to) });
    }
    return standing;
  };

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
  const veil = ([, { origin }]) => {
    const [x, y] = centre(origin);
    return drawn("rect", { class: "veil", x: x - 20, y: y - 20, width: 40, height: 40 });
  };

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
    const isKnown = letter in ranks;
    sign.append(drawn("text", isKnown ? { x: cx + 9, y: cy + 7, "font-size": 16 } : { x: cx, y: cy + 7 }, letter));
    if (isKnown) sign.append(drawn("use", { href: `#rank-${letter}`, x: cx - 8, y: cy }));
    return [shape, sign];
  };

  const pose = (layer, position, ways, targets) => {
    const moved = [...position].filter(([, { from }]) => from);
    layer.replaceChildren(...moved.map(veil), ...ways, ...moved.flatMap(piecesAt),
      ...targets.map((square) => {
        const [cx, cy] = centre(square);
        const look = position.has(square) ? { class: "target fought", r: 21 } : { class: "target", r: 8 };
        return drawn("circle", { ...look, cx, cy });
      }));
  };

  const described = (position, square) => {
    const piece = position.get(square);
    if (data.volcanoes.includes(square)) return filled(words.volcano, { square });
    if (!piece) return filled(words.empty, { square });
    const rank = ranks[piece.letter];
    const could = [...(data.could[square] || "")].map((letter) => ranks[letter]).join(", ");
    const own = piece.fights ? words.fights : words.own;
    const unknown = could ? words.could : words.unknown;
    return filled(piece.own ? own : rank ? words.enemy : unknown, { square, rank, ranks: could });
  };
  const label = (cells, position, chosen) => {
    for (const [square, cell] of cells) {
      cell.ariaLabel = cell.title = described(position, square);
      cell.ariaSelected = square === chosen;
    }
  };

  return { stepped, arrows, pose, described, label };
}
