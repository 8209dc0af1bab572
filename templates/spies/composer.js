"use strict";
// A sheet by pointing: a piece, then cities in the order of the wish; forms for the rest. What may be
// chosen in the forms stands in the page; this writes lines, in English words.
{
  const { data, panel, part, filled, say, made, drawn, spelled, write, begin, extra } = composing;
  const { words, pieces, setup } = data;
  const codes = Object.keys(data.cities);
  const near = {}; // of each city and ship, where a step leads from it
  for (const [, one, other] of data.links.matchAll(/(...)(...)/g)) {
    (near[one] ??= []).push(other);
    (near[other] ??= []).push(one);
  }
  const found = {}; // from a city, how many steps it is to each place
  const far = (from, to) => {
    const steps = (found[from] ??= new Map([[from, 0]]));
    if (steps.size < 2)
      for (const [place, n] of steps)
        for (const next of near[place]) if (!steps.has(next)) steps.set(next, n + 1);
    return steps.get(to);
  };
  const template = data.sheet.slice(1, -1);
  const own = new Set(pieces.map((piece) => piece.code[0]));
  const secrets = data.options.secrets.map(([code, where]) => [code, code + where]);
  const offered = {
    ...data.options,
    secrets,
    cities: codes.map((city) => [city, `${city} ${data.cities[city][0]}`]),
    foreign: secrets.filter(([code]) => !own.has(code[0])),
    conditions: [...data.options.conditions,
      ...secrets.map(([code, secret]) => [code, filled(words.lies, { secret })])],
  };
  const counted = (choice) => choice[0].includes("{n}")
    ? [2, 3, 4, 5].map((n) => choice.map((text) => filled(text, { n }))) : [choice];
  for (const select of panel.querySelectorAll("[data-options]"))
    select.append(...offered[select.dataset.options].flatMap(counted)
      .map(([value, told]) => made("option", { value }, told)));
  const plans = new Map(); // of each spy its steps: { goals } or { text }
  const posts = new Map(); // of each piece { city, on }
  let lines = [];
  let auto = false;
  let chosen = null;

  const isPlanned = (piece) => !setup && piece.kind === "spy";
  const placed = (piece) => (posts.get(piece.code) || {}).city || (setup ? "" : piece.city);
  const named = (city) => filled(words.city, { city, name: data.cities[city][0] });
  const goalText = ({ city, near, cond }) =>
    `${near ? "NEAR " : ""}${city}${cond ? ` IF ${cond}` : ""}`;
  const stepText = (step) => step.text || `GO ${step.goals.map(goalText).join(", ")}`;
  const planOf = (piece) => plans.get(piece.code) || [];
  const planLine = (piece) => {
    const steps = [...(piece.captured ? ["ESCAPE"] : []), ...planOf(piece).map(stepText)];
    return `SPY ${piece.code}: ${steps.join("; ")}`;
  };

  // Where a spy may stand before its last step, and the spaces that it has left there.
  const before = (piece) => {
    const start = piece.captured ? piece.capital : piece.city || piece.capital;
    const steps = planOf(piece).filter((step) => step.goals);
    const done = steps.slice(0, isOpen(piece) ? -1 : undefined);
    return done.reduce(([at, left], { goals: [first] }) => [first.city, left - Math.min(left, far(at, first.city))],
      [start, data.spaces]);
  };
  const isOpen = (piece) => {
    const last = planOf(piece).at(-1);
    return Boolean(last && last.goals);
  };

  const values = (form) => Object.fromEntries(
    [...form.querySelectorAll("select, input")].map((field) => [field.name, field.value.trim()]));
  // A line with its holes filled; what stands in brackets falls away where its hole is empty.
  const lineOf = (text, given) => {
    const fill = (rest) => rest.replace(/\{(\w+)\}/g, (hole, name) => given[name]);
    return fill(text.replace(/\[(.*?\{(\w+)\}.*?)\]/g, (whole, inside, name) => (given[name] ? inside : "")));
  };
  const tile = () => {
    const select = panel.querySelector("[data-tile] select");
    return select && select.value ? [select.value] : [];
  };
  const postLine = (piece) => {
    const { city, on } = posts.get(piece.code);
    return `${setup ? "" : "POLICE "}${piece.code} ${city}${on ? ` ON ${on}` : ""}`;
  };

  const sheet = () => {
    if (setup) {
      if (auto) return { body: ["SETUP AUTO"], why: "", stops: false };
      const missing = pieces.filter((piece) => !posts.has(piece.code)).map((piece) => piece.code);
      const rest = template.filter((line) => missing.includes(line.split(" ")[0]));
      const made = pieces.filter((piece) => posts.has(piece.code)).map(postLine);
      const why = missing.length ? filled(words.missing, { pieces: missing.join(", ") }) : "";
      return { body: ["SETUP", ...made, ...rest], why, stops: Boolean(why) };
    }
    const moved = pieces.filter((piece) => posts.has(piece.code)).map(postLine);
    const spies = pieces.filter((piece) => isPlanned(piece));
    const sent = spies.filter((piece) => planOf(piece).length || (piece.captured && piece.back));
    const idle = spies.filter((piece) => !sent.includes(piece) && !piece.captured);
    const what = [
      ...(tile().length || !data.options.tiles.length ? [] : [words.tile]),
      ...(idle.length ? [filled(words.stays, { pieces: idle.map((piece) => piece.code).join(", ") })] : []),
    ];
    const standing = template.filter((line) => line[0] === "#");
    const body = [...tile(), ...moved, ...sent.map(planLine), ...lines, ...standing];
    return { body, why: what.length ? filled(words.left, { what: what.join("; ") }) : "", stops: false };
  };

  // Buttons of a row: to move it up, and to remove it.
  const button = (sign, told, what, action) => {
    const element = made("button", { "aria-label": filled(told, { what }) }, sign);
    element.onclick = action;
    return element;
  };
  const swap = (list, i) => list.map((each, n) => (n === i - 1 ? list[i] : n === i ? list[i - 1] : each));
  const listed = (name, rows) => {
    const list = part(name);
    const at = [...list.children].findIndex((each) => each.contains(document.activeElement));
    list.replaceChildren(...rows);
    list.hidden = !rows.length && !list.dataset.empty;
    if (at < 0) return;
    (list.children[Math.min(at, rows.length - 1)] || panel).querySelector("button, select").focus();
  };
  const setPlan = (piece, steps, told) => {
    const kept = steps.filter((step) => step.text || step.goals.length);
    if (kept.length) plans.set(piece.code, kept);
    else plans.delete(piece.code);
    show(told);
  };

  const condition = (piece, step, goal) => {
    const offered = panel.querySelector("[name=cond]");
    const select = made("select", { "aria-label": goal.city },
      ...[...offered.options].map((option) => option.cloneNode(true)));
    select.value = goal.cond || "";
    select.addEventListener("change", () => {
      goal.cond = select.value;
      show();
    });
    return select;
  };
  const stepRows = (piece) => planOf(piece).flatMap((step, i, steps) => {
    const change = (wanted) => setPlan(piece, wanted);
    const gone = (what) => button("×", words.remove, what, () => change(steps.filter((each) => each !== step)));
    const up = (what) => (i ? [button("↑", words.up, what, () => change(swap(steps, i)))] : []);
    if (step.text) return [made("li", {}, made("span", {}, spelled(step.text)), ...up(step.text), gone(step.text))];
    const goals = step.goals.map((goal, n) => {
      const what = `${goal.near ? `${words.near} ` : ""}${named(goal.city)}`;
      const rest = () => change(steps.map((each) =>
        (each === step ? { goals: step.goals.filter((other) => other !== goal) } : each)));
      const higher = n ? [button("↑", words.up, what, () =>
        change(steps.map((each) => (each === step ? { goals: swap(step.goals, n) } : each))))] : [];
      return made("div", {}, made("span", {}, `${n + 1}. ${what}`), condition(piece, step, goal), ...higher,
        button("×", words.remove, what, rest));
    });
    return [made("li", {}, ...up(filled(words.step, { n: i + 1 })), ...goals)];
  });

  // A police piece guards a secret of its city.
  const guard = (piece) => {
    const city = placed(piece);
    const there = setup
      ? pieces.filter((other) => other.kind === "secret" && placed(other) === city).map((other) => other.code)
      : [...panel.querySelectorAll("[name=act] option")].map((option) => option.value.split(" ")[1])
        .filter((code) => code && data.lying[code] === city && code[0] === piece.code[0]);
    if (!city || !there.length) return [];
    const select = made("select", { "aria-label": words.on }, made("option", { value: "" }, words.free),
      ...there.map((code) => made("option", { value: code }, code)));
    select.value = (posts.get(piece.code) || piece).on || "";
    select.addEventListener("change", () => {
      posts.set(piece.code, { city, on: select.value });
      show();
    });
    return [made("li", {}, made("label", {}, `${words.on} `, select))];
  };

  const choose = (piece) => {
    chosen = piece;
    show(isPlanned(piece) ? words.plan : words.place);
  };
  // What a spy may discover: first what lies at its last goal, best goal first. What keeps it from that
  // is said at once.
  const lastGoals = (piece) => {
    const last = planOf(piece).findLast((step) => step.goals);
    return last ? last.goals.map((goal) => goal.city) : [piece.city || piece.capital];
  };
  const isLaden = (piece) => piece.load && !planOf(piece).some((step) => (step.text || "").startsWith("DROP"))
    && !(piece.load[0] !== piece.code[0] && planOf(piece).some(({ goals = [] }) => goals.some(({ city }) => city === piece.capital)));
  const offerFinds = (piece) => {
    const places = lastGoals(piece);
    const rank = ([, where]) => places.indexOf(where.trim());
    const all = data.options.secrets.filter(([code]) =>
      data.finds.includes(code) && (code[0] === piece.code[0] || !own.has(code[0])));
    const here = all.filter((one) => rank(one) >= 0).sort((one, other) => rank(one) - rank(other));
    const rest = all.filter((one) => rank(one) < 0);
    const where = places.map(named).join(", ");
    const group = (label, choices) => (choices.length
      ? [made("optgroup", { label }, ...choices.map(([code, at]) => made("option", { value: code }, code + at)))] : []);
    const [what, other] = ["what", "else"].map((name) => panel.querySelector(`[data-step^=DISCOVER] [name=${name}]`));
    const offered = () => [...group(where, here), ...group(words.elsewhere, rest)];
    what.replaceChildren(...offered());
    other.replaceChildren(made("option", { value: "" }, "-"), ...offered());
    const [chits, money] = data.pays[piece.code[0]];
    const told = [...(here.length ? [] : [filled(words.none, { where })]),
      ...(isLaden(piece) ? [filled(words.laden, { piece: piece.code, secret: piece.load })] : []),
      ...(chits ? [] : [words.nochit]), ...(chits && !money ? [words.poor] : [])];
    part("finds").textContent = told.join(" ");
  };
  let finding = "";

  const buttons = pieces.filter((piece) => setup || piece.kind !== "secret").map((piece) => {
    const element = made("button", { "data-piece": piece.code }, "");
    element.onclick = () => {
      if (piece.captured && chosen === piece) piece.back = !piece.back;
      choose(piece);
    };
    part("pieces").append(element);
    return [piece, element];
  });

  const room = (piece, city) => {
    const most = data.cities[city][1];
    if (piece.kind === "spy") return true;
    if (!most || piece.code[0] !== owner(city)) return null;
    const there = pieces.filter((other) =>
      other !== piece && other.kind === piece.kind && placed(other) === city).length;
    return there < (piece.kind === "police" ? most : 2);
  };
  const owner = (city) => data.cities[city][2];

  const point = (city) => {
    const piece = chosen;
    if (!piece) {
      const here = pieces.find((other) => isPlanned(other) && other.city === city);
      return here ? choose(here) : say(words.nobody, true);
    }
    const values = { piece: piece.code, city: named(city) };
    if (isPlanned(piece)) return goTo(piece, city, values);
    const free = room(piece, city);
    if (free === null) return say(filled(words.nothome, values), true);
    if (!free) return say(filled(words.full, values), true);
    auto = false;
    posts.set(piece.code, { city, on: "" });
    for (const other of pieces) // what it guarded may lie elsewhere now
      if (piece.kind === "secret" && (posts.get(other.code) || {}).on === piece.code)
        posts.get(other.code).on = "";
    if (setup) chosen = pieces.find((other) => !posts.has(other.code)) || piece;
    return show(filled(words.put, values));
  };
  const goTo = (piece, city, values) => {
    const steps = planOf(piece);
    const last = steps.at(-1);
    const open = isOpen(piece) ? last : { goals: [] };
    if (open.goals.some((goal) => goal.city === city))
      return setPlan(piece, steps.map((step) =>
        (step === open ? { goals: open.goals.filter((goal) => goal.city !== city) } : step)));
    const [at, left] = before(piece);
    const near = part("nearly").checked || far(at, city) > left;
    open.goals.push({ city, near, cond: "" });
    if (open !== last) steps.push(open);
    part("nearly").checked = false;
    const told = { ...values, n: open.goals.length, step: steps.length };
    return setPlan(piece, steps, filled(near ? words.far : words.goal, told));
  };

  // The cities of the drawing can be pointed at, by one stop for the Tab key: arrows lead from one to
  // the nearest in their direction.
  const svg = document.querySelector(".place-board svg.board");
  const spots = {};
  for (const label of svg.querySelectorAll(".label text"))
    spots[label.textContent] = [Number(label.getAttribute("x")), Number(label.getAttribute("y")) - 6];
  svg.setAttribute("role", "group");
  const towns = new Map(codes.map((city) => {
    const [x, y] = spots[city];
    return [city, drawn("rect", { "data-place": city, role: "button", tabindex: -1, fill: "transparent",
      x: x - 24, y: y - 12, width: 48, height: 24 })];
  }));
  const marks = drawn("g", { class: "composed" });
  svg.append(...towns.values(), marks);
  let cursor = codes[0];
  const focus = (city, focused = true) => {
    towns.get(cursor).setAttribute("tabindex", -1);
    cursor = city;
    towns.get(city).setAttribute("tabindex", 0);
    if (focused) towns.get(city).focus();
  };
  const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const least = (cost) => codes.reduce((best, city) => (cost(city) < cost(best) ? city : best));
  const beside = ([dx, dy]) => {
    const [x, y] = spots[cursor];
    const cost = (city) => {
      const [u, v] = spots[city];
      const along = (u - x) * dx + (v - y) * dy;
      const across = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
      return along > 0 ? along + 2 * across : Infinity;
    };
    const nearest = least(cost);
    return cost(nearest) < Infinity ? nearest : cursor;
  };
  // A finger may fall beside a small city: the nearest one within 24 pixels is meant.
  svg.addEventListener("click", (event) => {
    const away = (place) => {
      const { x, y, width, height } = towns.get(place).getBoundingClientRect();
      return Math.hypot(x + width / 2 - event.clientX, y + height / 2 - event.clientY);
    };
    const nearest = least(away);
    const city = away(nearest) < 24 ? nearest : event.target.dataset.place;
    if (!city) return;
    focus(city);
    point(city);
  });
  for (const [city, town] of towns) {
    town.addEventListener("focus", () => focus(city, false));
    town.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (ways[event.key]) focus(beside(ways[event.key]));
      else if (event.key === "Enter" || event.key === " ") point(city);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }
  focus(cursor, false);

  const show = (told = "") => {
    const { body, why, stops } = sheet();
    const alone = setup && !posts.size && !auto && extra().length; // commands, without a set-up
    write(alone ? extra() : [...body, ...extra()], alone ? "" : why, stops && !alone);
    for (const [piece, element] of buttons) {
      const where = isPlanned(piece) ? planOf(piece).map(stepText).join("; ") : placed(piece);
      const worth = piece.worth ? `=${piece.worth}` : "";
      element.textContent = `${piece.code}${worth}${where ? ` ${spelled(where)}` : ""}`;
      element.setAttribute("aria-pressed", piece === chosen);
      element.classList.toggle("done", isPlanned(piece) ? Boolean(planOf(piece).length) : posts.has(piece.code));
    }
    const planning = chosen && isPlanned(chosen);
    const now = planning ? [chosen.code, ...planOf(chosen).map(stepText)].join() : "";
    if (planning && now !== finding) offerFinds(chosen);
    finding = now;
    listed("steps", planning ? stepRows(chosen) : chosen && chosen.kind === "police" ? guard(chosen) : []);
    listed("lines", lines.map((line, i) => made("li", {}, made("span", {}, spelled(line)),
      button("×", words.remove, spelled(line), () => {
        lines = lines.filter((each, n) => n !== i);
        show();
      }))));
    const [at, left] = planning ? before(chosen) : ["", 0];
    marks.replaceChildren();
    for (const [city, town] of towns) {
      const [x, y] = spots[city];
      const [name] = data.cities[city];
      const near = planning ? far(at, city) <= left : chosen && room(chosen, city);
      const open = planning && isOpen(chosen) ? planOf(chosen).at(-1).goals : [];
      const n = open.findIndex((goal) => goal.city === city) + 1;
      if (near) marks.append(drawn("rect", { class: "near", x: x - 29, y: y - 17, width: 58, height: 34, rx: 5 }));
      if (n) marks.append(drawn("circle", { class: "number", cx: x + 28, cy: y - 10, r: 12 }),
        drawn("text", { x: x + 28, y: y - 4 }, n));
      const said = [`${city} ${name}`, ...(near && planning ? [words.reach] : [])].join(", ");
      town.setAttribute("aria-label", said);
    }
    const first = setup ? words.place : words.plan;
    say(told || (chosen ? words.all : first));
  };

  for (const form of panel.querySelectorAll("[data-line], [data-step]")) {
    form.querySelector("button").onclick = () => {
      const given = values(form);
      const text = lineOf(form.dataset.line || form.dataset.step, given);
      if (form.dataset.line) {
        lines = [...lines.filter((each) => each !== text), text];
        return show();
      }
      if (!chosen || !isPlanned(chosen)) return say(words.nobody, true);
      return setPlan(chosen, [...planOf(chosen), { text }]);
    };
  }
  panel.querySelector("[data-tile]")?.addEventListener("change", () => show());
  part("auto")?.addEventListener("click", () => {
    auto = true;
    show();
  });

  const tiled = panel.querySelector("[data-tile] select");
  const kept = () => {
    const back = pieces.filter((piece) => piece.back).map((piece) => piece.code);
    const draft = { plans: [...plans], posts: [...posts], lines, auto, back, tile: tile()[0] || "" };
    return plans.size || posts.size || lines.length || auto || back.length || draft.tile ? draft : null;
  };
  const takeUp = (draft) => {
    const { plans: ways, posts: placed, back, tile: played } =
      { plans: [], posts: [], back: [], tile: "", ...draft };
    for (const [mine, theirs] of [[plans, ways], [posts, placed]]) {
      mine.clear();
      for (const [code, value] of theirs) mine.set(code, value);
    }
    lines = draft ? draft.lines : [];
    auto = Boolean(draft && draft.auto);
    for (const piece of pieces) piece.back = back.includes(piece.code);
    if (tiled) tiled.value = played;
    chosen = null;
    show();
  };
  begin({ show: () => show(), kept, takeUp });
}
