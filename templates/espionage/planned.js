"use strict";
// A case of orders in advance, played on the board (rules section 8): what the enemy is expected to
// step, and the answer. A case is { asked, steps }: what is asked in the words of the sheet, and
// the steps of the answer. How fights end, nobody knows; so a piece may also step from a square
// that is empty, or to which an enemy's has come. `words` have what is said of the enemy's steps.
function planned(words) {
  const { data, filled, onBoard, standing } = composing;
  const { drawing, layer, cells } = onBoard();
  const { stepped, arrows, pose, label } = drawings(drawing, data);

  const expected = ({ asked }) =>
    asked.filter((one) => /^[a-j]\d+-[a-j]\d+$/.test(one)).map((step) => step.split("-"));
  const isBegun = ({ asked, steps }) => asked.length + steps.length > 0;
  const isWhole = ({ steps }) => steps.length === data.moves;
  const order = ({ steps }) =>
    Array.from({ length: data.moves }, (none, i) => (steps[i] || ["..", ".."]).join("-"));
  const lineOf = (one) =>
    `${one.asked.length ? `IF ${one.asked.join(" AND ")}` : "ELSE"}: ${order(one).join(", ")}`;
  const linesOf = (list) => {
    const [always, asking] = [false, true].map((wanted) =>
      list.filter((one) => Boolean(one.asked.length) === wanted));
    return asking.length || always.length > 1 ? [...asking, ...always].map(lineOf) : order(always[0]);
  };

  const played = (one, isTheirs) => (isTheirs ? expected(one) : one.steps);
  const rules = (one, isTheirs) => {
    const pieces = [...stepped(standing(), isTheirs ? [] : expected(one))]
      .map(([square, { own, letter }]) => [square, { own: own !== isTheirs, letter }]);
    return legality({ ...data, barred: [], immobile: isTheirs ? [] : data.immobile }, new Map(pieces));
  };
  const why = ({ why: no, letter, ...values }) =>
    filled(data.words.refusals[no], { ...values, rank: data.ranks[letter] });
  // Why a step cannot start or end there; empty where it can.
  const starting = (one, square, isTheirs) => {
    if (data.volcanoes.includes(square)) return why({ why: "volcano", square });
    const no = rules(one, isTheirs).starting(played(one, isTheirs), square);
    const before = standing().get(square);
    const isFree = !no || no.why === "no-piece" || (no.why === "not-yours" && before && before.own);
    if (isTheirs) return no ? filled(words.none, { square }) : "";
    return isFree ? "" : why(no);
  };
  const going = (one, from, square, isTheirs) => {
    const no = rules(one, isTheirs).going(played(one, isTheirs), from, square);
    return !no ? "" : isTheirs && no.why === "own-piece" ? filled(words.own, { square }) : why(no);
  };

  const draw = (one, from, isTheirs) => {
    const position = stepped(standing(), [...expected(one), ...one.steps]);
    const { going: no } = rules(one, isTheirs);
    const targets = from === null ? [] : [...cells.keys()]
      .filter((square) => !no(played(one, isTheirs), from, square));
    drawing.classList.add("composing");
    pose(layer, position, [...arrows(expected(one), "theirs"), ...arrows(one.steps, "")], targets);
    label(cells, position, from);
  };

  return { isBegun, isWhole, linesOf, starting, going, draw };
}
