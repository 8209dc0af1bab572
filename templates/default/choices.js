"use strict";
// The bar of a game whose legal orders are listed: each of them is a button or, on a board of squares,
// a tap on its square. A sheet has `most` of them; the last one that is chosen takes the place of the
// first.
{
  const { data, template, words, extra, filled, spelled, write, next, begin, board, centre, drawn } = composing;
  const choices = data.choices.map(([line, text, square]) => ({ line, text, square }));
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
      const [x, y] = centre(square);
      return drawn("circle", { class: "chosen", cx: x, cy: y, r: data.cell * 0.4 });
    });
    pointed.layer.replaceChildren(...rings);
    for (const [square, cell] of pointed.cells) cell.ariaSelected = chosen.includes(onBoard.get(square)?.line);
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
  if (onBoard.size) {
    const point = (square) => {
      if (onBoard.has(square)) press(onBoard.get(square));
    };
    pointed = board(onBoard.keys().next().value, { point, key: () => false });
  }
  begin({ show, kept: () => (chosen.length ? chosen : null), takeUp, sent });
}
