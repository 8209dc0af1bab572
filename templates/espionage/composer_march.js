"use strict";
// An order by pointing or dragging: a piece, its target, and so on until the order is whole (rules
// 2.2-2.6). The board shows how it stands after the steps that are made.
{
  const { data, template, part, filled, say, next, board, write, begin, extra, tapped, acting, words } =
    composing;
  const seen = new Map(piecesOf(data));
  const rules = legality(data, seen);
  const sent = data.sent.map((line) => line.split("-"));
  let steps = [];
  let chosen = null;

  const position = () => stepped(seen, steps);
  const possible = () => (steps.length ? rules.steps(steps) : rules.openings);
  const targets = (square) => possible().filter(([from]) => from === square).map(([, to]) => to);
  const refuse = ({ why, letter, ...values }) =>
    say(filled(words.refusals[why], { ...values, rank: data.ranks[letter] }), true);
  const written = (list) => list.map((step) => step.join("-")).join(", ");

  const prompt = () => {
    const [piece, squares] = chosen ? [described(position(), chosen), targets(chosen).join(", ")] : [];
    const step = { text: filled(words.step, { n: steps.length + 1, of: rules.due }) };
    if (chosen) next(filled(words.target, { piece, squares }), step);
    else if (steps.length === rules.due) next(filled(words.whole, { steps: written(steps) }));
    else if (steps.length) next(words.second, step);
    else if (sent.length && !extra().length)
      next(filled(words.sent, { steps: written(sent) }), { text: words.change, act: change, idle: true });
    else next(words.first, extra().length ? null : step);
  };

  const choose = (square) => {
    const no = rules.starting(steps, square);
    if (no) return refuse(no);
    if (!targets(square).length) return say(filled(words.stuck, { square }), true);
    chosen = square;
    return show();
  };
  const go = (square) => {
    const no = rules.refusal(steps, chosen, square);
    if (no) return refuse(no);
    // Rule 2.6: where two steps are due, the first must leave a second.
    if (!targets(chosen).includes(square))
      return say(filled(words.alone, { start: chosen, target: square }), true);
    steps = [...steps, [chosen, square]];
    chosen = null;
    return show();
  };
  const point = (square) => {
    if (!chosen && seen.has(square) && !seen.get(square).own && tapped(square)) return undefined;
    if (steps.length === rules.due) return say(words.enough[rules.due - 1], true);
    if (square === chosen) {
      chosen = null;
      return show();
    }
    return !chosen || !rules.starting(steps, square) ? choose(square) : go(square);
  };

  const undo = () => {
    if (acting()) return acting().undo();
    if (chosen) chosen = null;
    else steps = steps.slice(0, -1);
    return show();
  };
  const key = (square, pressed) => {
    if (pressed !== "Escape" && pressed !== "Backspace") return false;
    undo();
    return true;
  };

  const { drawing, layer, grid, cells } = board((rules.openings[0] || ["a1"])[0], { point, key });

  dragging([grid], {
    held: (event) => {
      const { square } = event.target.dataset;
      return !acting() && steps.length < rules.due && targets(square).length ? square : null;
    },
    ghost: (square) => {
      chosen = square;
      show();
      return rankSign(seen.get(square).letter, data.below);
    },
    ready: (square) => square === chosen,
    drop: (square, target) => {
      if (target && target !== square) return go(target);
      chosen = null;
      return show();
    },
  });

  const { stepped, arrows, pose, described, label } = drawings(drawing, data);
  const draw = () => {
    drawing.classList.toggle("composing", Boolean(chosen) || steps.length > 0 || sent.length > 0);
    const isSent = !chosen && !steps.length;
    const ways = isSent ? arrows(sent, "sent") : arrows(steps, "");
    pose(layer, position(), ways, chosen ? targets(chosen) : []);
  };

  const show = () => {
    const lines = [...steps.map((step) => step.join("-")), ...extra()];
    const n = steps.length + 1;
    const whole = n > Math.max(rules.due, 1) || (n === 1 && lines.length > 0); // extras may go alone
    write(lines.length ? lines : template, whole ? "" : filled(words.unfilled, { n }));
    draw();
    prompt();
    part("undo").ariaDisabled = !chosen && !steps.length && !acting();
    label(cells, position(), chosen);
    if (acting()) acting().draw();
  };
  const take = (wanted) => {
    steps = [];
    chosen = null;
    for (const step of wanted) {
      // An undone turn may come again with another board.
      if (!targets(step[0]).includes(step[1])) break;
      steps = [...steps, step];
    }
    show();
  };
  const change = () => take(sent);
  part("undo").onclick = undo;

  begin({
    show,
    kept: () => (steps.length ? steps : null),
    takeUp: (draft) => take(draft || []),
    sent,
    standing: position,
  });
}
