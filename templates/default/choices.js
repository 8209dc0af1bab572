"use strict";
// The bar of a game whose legal orders are listed: each of them is a button or, on a board of squares
// or a map, a tap on its square or place. A sheet has `most` of them; the last one that is chosen takes the place of the
// first.
{
  const { data, template, words, extra, filled, spelled, write, next, begin, board, centre, made, drawn, rows } = composing;
  const places = new Map(Object.entries(data.places || {}));
  const known = new Set([...rows.flat(), ...places.keys()]);
  const choices = data.choices.map(([line, text, square]) => ({ line, text, square: known.has(square) ? square : "" }));
  const onBoard = new Map(choices.filter(({ square }) => square).map((one) => [one.square, one]));
  const sent = data.sent.length ? [...data.sent] : null;
  let chosen = [];
  let pointed = null;

  const press = ({ line }) => {
    if (chosen.includes(line)) chosen = chosen.filter((one) => one !== line);
    else chosen = [...chosen, line].slice(-data.most);
    show();
  };
  const draw = () => {
    if (!pointed) return;
    const rings = choices.filter(({ line, square }) => square && chosen.includes(line)).map(({ square }) => {
      const [x, y] = places.size ? places.get(square).map((n) => 4 * n) : centre(square);
      return drawn("circle", { class: "chosen", cx: x, cy: y, r: places.size ? 24 : data.cell * 0.4 });
    });
    pointed.layer.replaceChildren(...rings);
    for (const [square, cell] of pointed.cells)
      cell[places.size ? "ariaPressed" : "ariaSelected"] = chosen.includes(onBoard.get(square)?.line);
  };
  const sentence = () => {
    if (sent && JSON.stringify(sent) === JSON.stringify(chosen)) return filled(words.sentIn, { lines: sent.map(spelled).join("; ") });
    if (chosen.length === data.most) return filled(words.ready, { lines: chosen.map(spelled).join("; ") });
    return data.most === 1 ? words.first : filled(words.several, { most: data.most });
  };
  const show = () => {
    const done = chosen.length === data.most;
    const lines = [...chosen, ...extra()];
    const why = done || (!chosen.length && lines.length) ? "" : sentence();
    write(lines.length ? lines : template, why);
    const options = choices.filter(({ square }) => !square || !pointed)
      .map((one) => ({ text: one.text, act: () => press(one), on: chosen.includes(one.line) }));
    next(sentence(), why ? { text: filled(words.chosen, { n: chosen.length, most: data.most }), idle: true } : null, options);
    draw();
  };
  const takeUp = (kept) => {
    chosen = kept || [];
    show();
  };
  // The places of a map that can be tapped: a button over each, where it lies in the drawing of
  // `board.svg.j2`.
  const overMap = () => {
    const drawing = document.querySelector(".place .board");
    const group = made("div", { class: "spots", role: "group", "aria-label": words.map });
    const cells = new Map();
    for (const [square, one] of onBoard) {
      const [x, y] = places.get(square);
      const style = `left: ${(4 * x + 50) / 5}%; top: ${(4 * y + 40) / 5}%`;
      const cell = made("button", { type: "button", "data-square": square, "aria-label": one.text, style });
      cell.onclick = () => press(one);
      cells.set(square, cell);
      group.append(cell);
    }
    drawing.after(group);
    const layer = drawn("g", { class: "composed" });
    drawing.append(layer);
    return { layer, cells };
  };
  if (onBoard.size && places.size) pointed = overMap();
  else if (onBoard.size) {
    const point = (square) => {
      if (onBoard.has(square)) press(onBoard.get(square));
    };
    pointed = board(onBoard.keys().next().value, { point, key: () => false });
  }
  begin({ show, kept: () => (chosen.length ? chosen : null), takeUp, sent });
}
