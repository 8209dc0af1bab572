"use strict";
// Answers to what the enemy may step, for the reader's next turn, on the page of a letter; there is
// no room for ahead.js, which asks for other things, too, and orders for later turns. A tap on an
// enemy's piece begins a case; a tap on one's own piece begins the one that holds in all others.
{
  const { filled, say, next, part, invite, again, spelled, standing } = composing;
  const { head, origin, turn, words } = JSON.parse(document.getElementById("answers-data").textContent);
  const { isBegun, isWhole, linesOf, starting, going, draw } = planned(words);
  const fresh = () => ({ asked: [], steps: [] });
  let cases = [];
  let active = false;
  let from = null;
  let isTheirs = true;

  const last = () => cases.at(-1) || fresh();
  const step = (square) => {
    const no = going(last(), from, square, isTheirs);
    if (no) return say(no, true);
    if (isTheirs) last().asked.push(`${from}-${square}`);
    else last().steps.push([from, square]);
    from = null;
    return again();
  };
  const start = (square) => {
    const isNew = !cases.length || isWhole(last());
    const one = isNew ? fresh() : last();
    isTheirs = !one.steps.length && !starting(one, square, true);
    const isTwice = isNew && !isTheirs && cases.some(({ asked }) => !asked.length);
    const no = isTwice ? filled(words.twice, { turn }) : starting(one, square, isTheirs);
    if (no || !standing().has(square)) return say(no || filled(words.none, { square }), true);
    if (isNew) cases.push(one);
    from = square;
    return again();
  };
  const undo = () => {
    if (from === null && !last().steps.pop()) last().asked.pop();
    from = null;
    if (!isBegun(last())) cases.pop();
    again();
  };

  const plan = part("plan");
  const turnTo = (wanted) => {
    active = wanted;
    from = null;
    plan.textContent = active ? words.back : words.plan;
    again();
    if (active) scrollTo(0, 0);
  };
  plan.onclick = () => turnTo(!active);

  invite("answers", {
    sheets: () => {
      const begun = cases.filter(isBegun);
      return begun.length ? [[`${head} ${turn}${origin}`, ...linesOf(begun), "END"]] : [];
    },
    unfinished: () => (cases.every(isWhole) ? "" : filled(words.open, { turn })),
    kept: () => (cases.length ? cases : null),
    takeUp: (draft) => {
      cases = draft || [];
      from = null;
    },
    acts: () => active,
    point: (square) => (from === null ? start(square) : square === from ? undo() : step(square)),
    undo,
    draw: () => {
      const one = last();
      const values = { turn, n: cases.length, square: from, step: one.steps.length + 1 };
      draw(one, from, isTheirs);
      const told = from ? words.where : !cases.length ? words.theirs : isWhole(one) ? words.whole : words.mine;
      const line = linesOf([one]).map(spelled).join(", ");
      next(filled(told, { ...values, n: cases.length || 1, line }), { text: words.back, act: () => turnTo(false) });
    },
  });
  turnTo(false);
}
