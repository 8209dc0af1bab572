"use strict";
// An order by pointing: a piece, its target, and so on until the order is whole (rules 2.2-2.6).
{
  const { data, part, filled, say, drawn, centre, board, write, begin } = composing;
  const { words } = data;
  const template = data.sheet.slice(1, -1);
  const rules = legality(data);
  const held = new Map(data.pieces.map(([square, own, letter]) => [square, { own, letter }]));
  let steps = [];
  let chosen = null;

  const possible = () => (steps.length ? rules.steps(steps) : rules.openings);
  const targets = (square) => possible().filter(([from]) => from === square).map(([, to]) => to);
  const refuse = ({ why, letter, ...values }) =>
    say(filled(words.refusals[why], { ...values, rank: data.ranks[letter] }), true);

  const described = (square) => {
    const piece = held.get(square);
    if (data.volcanoes.includes(square)) return filled(words.volcano, { square });
    if (!piece) return filled(words.empty, { square });
    const rank = data.ranks[piece.letter];
    const ranks = [...(data.could[square] || "")].map((letter) => data.ranks[letter]).join(", ");
    const unknown = ranks ? words.could : words.unknown;
    return filled(piece.own ? words.own : rank ? words.enemy : unknown, { square, rank, ranks });
  };

  const prompt = () => {
    const [piece, squares] = chosen ? [described(chosen), targets(chosen).join(", ")] : [];
    if (chosen) say(filled(words.target, { piece, squares }));
    else if (steps.length < rules.due) say(steps.length ? words.second : words.first);
    else say(filled(words.whole, { steps: steps.map((step) => step.join("-")).join(", ") }));
  };

  const point = (square) => {
    if (steps.length === rules.due) return say(words.enough[rules.due - 1], true);
    if (square === chosen) {
      chosen = null;
    } else if (!chosen || !rules.starting(steps, square)) {
      const no = rules.starting(steps, square);
      if (no) return refuse(no);
      if (!targets(square).length) return say(filled(words.stuck, { square }), true);
      chosen = square;
    } else {
      const no = rules.refusal(steps, chosen, square);
      if (no) return refuse(no);
      // Rule 2.6: where two steps are due, the first must leave a second.
      if (!targets(chosen).includes(square))
        return say(filled(words.alone, { start: chosen, target: square }), true);
      steps = [...steps, [chosen, square]];
      chosen = null;
    }
    return show();
  };

  const undo = () => {
    if (chosen) chosen = null;
    else steps = steps.slice(0, -1);
    show();
  };

  const key = (square, pressed) => {
    if (pressed !== "Escape" && pressed !== "Backspace") return false;
    undo();
    return true;
  };

  const { drawing, layer, cells } = board((rules.openings[0] || ["a1"])[0], { point, key });

  const draw = () => {
    const shapes = [];
    drawing.classList.toggle("composing", Boolean(chosen) || steps.length > 0);
    for (const square of chosen ? targets(chosen) : []) {
      const [cx, cy] = centre(square);
      const look = held.has(square) ? { class: "target fought", r: 21 } : { class: "target", r: 8 };
      shapes.push(drawn("circle", { ...look, cx, cy }));
    }
    steps.forEach(([from, to], i) => {
      const [x, y] = centre(from);
      const [toX, toY] = centre(to);
      const far = held.has(to) ? 35 : 48; // the letter of an enemy stays to be read
      const turn = (Math.atan2(toY - y, toX - x) * 180) / Math.PI;
      const place = `translate(${x} ${y}) rotate(${turn})`;
      shapes.push(
        drawn("path", { class: "way", transform: place, d: `M18 0H${far - 10}` }),
        drawn("path", { class: "tip", transform: place, d: `M${far} 0l-14 -9v18z` }),
        drawn("circle", { class: "number", cx: x - 15, cy: y - 14, r: 9 }),
        drawn("text", { x: x - 15, y: y - 9 }, i + 1),
      );
    });
    layer.replaceChildren(...shapes);
  };

  const offer = part("draw");
  const show = () => {
    const lines = steps.map((step) => step.join("-"));
    if (offer.checked) lines.push("DRAW"); // which may go alone
    const n = steps.length + 1;
    const whole = n > Math.max(rules.due, 1) || (n === 1 && offer.checked);
    write(lines.length ? lines : template, whole ? "" : filled(words.unfilled, { n }));
    draw();
    prompt();
    part("undo").setAttribute("aria-disabled", !chosen && !steps.length);
    for (const [square, cell] of cells) {
      cell.setAttribute("aria-label", described(square));
      cell.setAttribute("aria-selected", square === chosen);
    }
  };
  part("undo").addEventListener("click", undo);
  offer.addEventListener("change", show);
  begin();
  show();
}
