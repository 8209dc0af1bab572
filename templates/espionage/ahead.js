"use strict";
// Orders for later turns (rules section 8). What the enemy may do is played on the board, and then
// the answer; each case becomes a line of the sheet for its turn.
{
  const { data, filled, say, next, made, part, invite, again, tapped } = composing;
  const ahead = JSON.parse(document.getElementById("ahead-data").textContent);
  const { words } = ahead;
  const { isBegun, isWhole, linesOf, starting, going, draw } = planned(words);
  const [plan, planning, turns, cases, conditions, theirs, mine, add, form, sent] = ["plan", "planning",
    "turn", "cases", "conditions", "theirs", "mine", "add", "condition", "sent"].map(part);
  const plans = new Map(); // cases by turn: what is asked, in the words of the sheet, and the steps
  const withdrawn = new Set();
  let turn = ahead.turns[0];
  let at = 0; // the case on the board
  let active = false;
  let isTheirs = true; // whose step is chosen next
  let from = null;

  const all = () => plans.get(turn) || [];
  const fresh = () => ({ asked: [], steps: [] });
  const current = () => {
    if (!plans.has(turn)) plans.set(turn, [fresh()]);
    return all()[at];
  };
  const begun = () => [...plans].map(([n, list]) => [n, list.filter(isBegun)]).filter(([, list]) => list.length);
  const sheets = () => [
    ...begun().map(([n, list]) => [n, linesOf(list)]),
    ...[...withdrawn].map((n) => [n, ["CLEAR"]]),
  ].sort(([one], [other]) => ahead.turns.indexOf(one) - ahead.turns.indexOf(other))
    .map(([n, lines]) => [`${ahead.head} ${n}${ahead.origin}`, ...lines, "END"]);
  const unfinished = () => {
    for (const [n, list] of begun()) {
      if (!list.every(isWhole)) return filled(words.open, { turn: n });
      if (list.filter(({ asked }) => !asked.length).length > 1) return filled(words.twice, { turn: n });
    }
    return "";
  };

  const start = (square) => {
    const one = current();
    if (!isTheirs && isWhole(one)) return say(words.full, true);
    const no = starting(one, square, isTheirs);
    if (no) return say(no, true);
    from = square;
    return again();
  };
  const go = (square) => {
    const no = going(current(), from, square, isTheirs);
    if (no) return say(no, true);
    if (isTheirs) ask(`${from}-${square}`);
    else current().steps.push([from, square]);
    isTheirs = false;
    from = null;
    return again();
  };
  const ask = (asked) => {
    if (!current().asked.includes(asked)) current().asked.push(asked);
    withdrawn.delete(turn);
  };
  const point = (square) => {
    if (from !== null && from !== square) return go(square);
    if (from === null) {
      tapped(square);
      return start(square);
    }
    from = null;
    return again();
  };
  const undo = () => {
    if (from !== null) from = null;
    else if (!current().steps.pop()) current().asked.pop();
    again();
  };

  const prompt = () => {
    const one = current();
    const values = { turn, n: at + 1, square: from, step: one.steps.length + 1, line: linesOf([one]).map(composing.spelled).join(", ") };
    const told = from !== null ? words.where : isTheirs ? words.theirs : isWhole(one) ? words.whole : words.mine;
    next(filled(told, values), { text: words.back, act: () => open(false) });
  };
  const button = (text, told, action, pressed) => {
    const element = made("button", { "aria-label": told }, text);
    if (pressed !== undefined) element.ariaPressed = pressed;
    element.onclick = action;
    return element;
  };
  const changed = (list, change) => {
    change();
    from = null;
    again();
    (list.querySelector("button") || add).focus();
  };
  const listed = () => {
    cases.replaceChildren(...all().map((one, n) => {
      const text = isBegun(one) ? linesOf([one]).map(composing.spelled).join(", ") : words.empty;
      return made("li", {},
        button(text, `${n + 1}: ${text}`, () => changed(cases, () => {
          at = n;
          isTheirs = !one.asked.length && !one.steps.length;
        }), n === at),
        button("×", filled(words.remove, { what: text }), () => changed(cases, () => {
          plans.set(turn, all().filter((other) => other !== one));
          if (!all().length) plans.delete(turn);
          at = 0;
        })));
    }));
    conditions.replaceChildren(...current().asked.map((asked) => made("li", {},
      made("span", {}, composing.spelled(asked)),
      button("×", filled(words.remove, { what: asked }), () => changed(conditions, () => {
        current().asked = current().asked.filter((other) => other !== asked);
      })))));
  };
  const show = () => {
    draw(current(), from, isTheirs);
    theirs.ariaPressed = isTheirs;
    mine.ariaPressed = !isTheirs;
    listed();
    prompt();
  };

  // A sheet in canonical lines, as it was sent.
  const read = (lines) => {
    const list = [];
    for (const line of lines) {
      const [, head, steps] = /^(?:(IF .*|ELSE): )?([^:]*)$/.exec(line);
      const made = steps.split(", ").map((step) => step.split("-"));
      const last = list.at(-1);
      if (!head && last && !last.head) last.steps.push(...made);
      else list.push({ head, asked: /^IF /.test(head) ? head.slice(3).split(" AND ") : [], steps: made });
    }
    return list.map(({ asked, steps }) => ({ asked, steps }));
  };
  const choose = (n) => {
    turn = n;
    at = 0;
    from = null;
    isTheirs = !isBegun(current());
    turns.value = n;
  };
  sent.replaceChildren(...ahead.kept.map(([n, lines]) => made("li", {},
    made("span", {}, `${filled(words.turn, { turn: n })}: ${lines.map(composing.spelled).join("; ")}`),
    button(words.change, `${words.change}: ${filled(words.turn, { turn: n })}`, () => {
      plans.set(n, read(lines));
      withdrawn.delete(n);
      choose(n);
      open(true);
    }),
    button(words.withdraw, `${words.withdraw}: ${filled(words.turn, { turn: n })}`, () => {
      plans.delete(n);
      withdrawn.add(n);
      again();
    }))));
  const open = (wanted) => {
    active = wanted;
    from = null;
    planning.hidden = !active;
    plan.textContent = active ? words.back : words.plan;
    plan.ariaExpanded = active;
    again();
    if (active) scrollTo(0, 0);
  };

  turns.append(...ahead.turns.map((n) => made("option", { value: n }, filled(words.turn, { turn: n }))));
  const [what, where, not] = form.querySelectorAll("select, input");
  what.append(...Object.entries(data.ranks).map(([letter, rank]) =>
    made("option", { value: `{square} ${letter}` }, filled(words.known, { rank }))));
  where.append(...composing.rows.flat().filter((square) => !data.volcanoes.includes(square))
    .map((square) => made("option", {}, square)));
  form.querySelector("button").onclick = () => {
    ask((not.checked ? "NOT " : "") + filled(what.value, { square: where.value }));
    not.checked = false;
    again();
  };
  what.addEventListener("change", () => {
    where.disabled = what.value === "FIGHT";
  });
  where.disabled = true;
  turns.addEventListener("change", () => {
    choose(Number(turns.value));
    again();
  });
  for (const [element, wanted] of [[theirs, true], [mine, false]])
    element.onclick = () => {
      isTheirs = wanted;
      from = null;
      again();
    };
  add.onclick = () => {
    if (!isBegun(all().at(-1) || fresh())) return say(words.first, true);
    plans.get(turn).push(fresh());
    at = all().length - 1;
    isTheirs = true;
    from = null;
    return again();
  };
  plan.onclick = () => open(!active);

  const kept = () => (begun().length || withdrawn.size ? { plans: begun(), withdrawn: [...withdrawn] } : null);
  const takeUp = (draft) => {
    plans.clear();
    withdrawn.clear();
    for (const [n, list] of draft ? draft.plans : []) plans.set(n, list);
    for (const n of draft ? draft.withdrawn : []) withdrawn.add(n);
    choose(begun().length ? begun()[0][0] : ahead.turns[0]);
  };
  const guest = { sheets, unfinished, kept, takeUp, acts: () => active, point, undo, draw: show };
  invite("ahead", guest);
  open(active);
}
