"use strict";
// Which steps are legal on the reader's view (rules 2.2-2.6), and the name of the sentence that
// says why another is not. The twin of movement.py and check.py: a test holds them together.
// `position` is a Map of squares to { own, letter }; `made` are the steps chosen before: none or one, each [from, to].
function legality({ size, volcanoes, barred, immobile, moves }, position) {
  const file = (square) => square.charCodeAt(0) - 97;
  const rank = (square) => Number(square.slice(1));
  const isMine = (square) => position.has(square) && position.get(square).own;
  const closed = new Set(barred.map((step) => step.join("-")));

  const beside = (square) =>
    [[-1, 0], [0, -1], [0, 1], [1, 0]]
      .map(([files, ranks]) => [file(square) + files, rank(square) + ranks])
      .filter(([f, r]) => f >= 0 && f < size && r >= 1 && r <= size)
      .map(([f, r]) => String.fromCharCode(97 + f) + r);

  // Rule 2.5: the first piece stands on its target, whatever becomes of it there.
  const occupied = (made, square) =>
    made.some(([, to]) => to === square) ||
    (isMine(square) && !made.some(([from]) => from === square));

  const starting = (made, square) => {
    if (made.some((step) => step.includes(square))) return { why: "two-pieces", square };
    if (!position.has(square)) return { why: "no-piece", square };
    const { own, letter } = position.get(square);
    if (!own) return { why: "not-yours", square };
    return immobile.includes(letter) ? { why: "immobile", square, letter } : null;
  };

  const going = (made, start, target) => {
    const step = { start, target };
    if (start === target) return { why: "nowhere", square: start };
    const files = Math.abs(file(start) - file(target));
    const ranks = Math.abs(rank(start) - rank(target));
    if (files && ranks) return { why: "crooked", ...step };
    if (files + ranks > 1) return { why: "too-far", ...step };
    if (volcanoes.includes(target)) return { why: "volcano", square: target };
    if (closed.has(`${start}-${target}`)) return { why: "barred", ...step };
    if (made.some(([, to]) => to === target)) return { why: "taken", square: target };
    if (occupied(made, target)) return { why: "own-piece", square: target };
    return null;
  };

  const refusal = (made, start, target) => starting(made, start) || going(made, start, target);
  const steps = (made) =>
    [...position.keys()]
      .filter((start) => !starting(made, start))
      .flatMap((start) => beside(start).map((target) => [start, target]))
      .filter(([start, target]) => !going(made, start, target));
  const first = steps([]);
  const openings = moves > 1 ? first.filter((step) => steps([step]).length) : [];
  const due = openings.length ? 2 : Math.min(first.length, 1); // rule 2.6

  return { starting, going, refusal, steps, openings: due === 2 ? openings : first, due };
}
