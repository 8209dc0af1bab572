"use strict";
// A sheet by pointing at goals and filling in forms (rules 5.2). Which forms there are and what
// may be chosen in them stands in the page; this writes their lines.
{
  const { data, rows, panel, part, filled, say, made, drawn, centre, board, spelled, write, begin, extra } =
    composing;
  const { words } = data;
  const template = data.sheet.slice(1, -1);
  const forms = [...panel.querySelectorAll("[data-line]")];
  let goals = [];
  let lines = []; // of forms that may be filled in again

  const known = (line) => (line.match(/^(FIFTH|ANSWER|KEEP) [^\s:]+/) || [""])[0];
  const isSettling = (line) => data.settling.includes(line.split(" ")[0]);
  const isNear = (place) => !data.reach.includes(place);
  const named = (place) => (data.names[place] ? `${place}, ${data.names[place]}` : place);
  const goalText = ({ place, ifCard }) =>
    `${isNear(place) ? "NEAR " : ""}${place}${ifCard ? " IF CARD" : ""}`;

  // A line with its holes filled; what stands in brackets falls away where its hole is empty.
  const lineOf = (form) => {
    const values = {};
    for (const field of form.querySelectorAll("select, input")) {
      const value = field.type === "checkbox" && !field.checked ? "" : field.value.trim();
      const given = (values[field.name] = values[field.name] || []);
      if (value && !given.includes(value)) given.push(value);
    }
    if (/^PLACE/.test(values.act)) values.to = [];
    const fill = (text) => text.replace(/\{(\w+)\}/g, (hole, name) => values[name].join(", "));
    return fill(form.dataset.line.replace(/\[(.*?\{(\w+)\}.*?)\]/g, (whole, inside, name) =>
      values[name] && values[name].length ? inside : ""));
  };
  const isOnce = (form) => "once" in form.dataset;
  const chosenOnce = () =>
    forms.filter((form) => isOnce(form) && form.querySelector("select, input").value.trim());

  const sheet = () => {
    const moves = goals.length ? [`MOVE ${goals.map(goalText).join(", ")}`] : [];
    const given = [...chosenOnce().map(lineOf), ...lines];
    const all = [...given.filter(isSettling), ...moves, ...given.filter((line) => !isSettling(line))];
    const replaced = lines.map(known).filter(Boolean);
    const rest = template.filter((line) => line[0] === "#" && !replaced.includes(known(line.slice(2))));
    const open = template.filter((line) => line[0] !== "#");
    const isBegun = all.length + extra().length > 0; // commands may go alone
    const line = all.some(isSettling) || (isBegun && !all.length) ? "" : open[0];
    return { all, replaced, line, body: [...(isBegun ? [] : open), ...all, ...rest, ...extra()] };
  };

  // A row of a list: what it says, and buttons to move it up and to remove it.
  const row = (list, what, keep, change, ...more) => {
    const button = (sign, told, action) => {
      const element = made("button", { "aria-label": filled(told, { what }) }, sign);
      element.onclick = action;
      return element;
    };
    const up = () => {
      const i = list.indexOf(keep);
      change(list.map((each, n) => (n === i - 1 ? keep : n === i ? list[i - 1] : each)));
    };
    const gone = () => change(list.filter((each) => each !== keep));
    const buttons = list[0] === keep ? [] : [button("↑", words.up, up)];
    return made("li", {}, made("span", {}, what), ...more, ...buttons,
      button("×", words.remove, gone));
  };
  const listed = (name, rows) => {
    const list = part(name);
    const at = [...list.children].findIndex((each) => each.contains(document.activeElement));
    list.replaceChildren(...rows);
    list.hidden = !rows.length && !list.dataset.empty;
    if (at < 0) return;
    const next = list.children[Math.min(at, rows.length - 1)];
    (next || panel).querySelector("button, select, input").focus();
  };

  const ifCard = (goal) => {
    if (!data.cards.includes(goal.place)) return [];
    const box = made("input", { type: "checkbox" });
    box.checked = goal.ifCard;
    box.addEventListener("change", () =>
      setGoals(goals.map((each) => (each === goal ? { ...goal, ifCard: box.checked } : each))));
    return [made("label", {}, box, words.card)];
  };
  const goalRows = () => goals.map((goal) => {
    const near = isNear(goal.place) ? ` (${words.nearest})` : "";
    return row(goals, named(goal.place) + near, goal, setGoals, ...ifCard(goal));
  });

  const setGoals = (wanted, told) => {
    goals = wanted;
    show(told);
  };
  const setLines = (wanted) => {
    lines = wanted;
    show();
  };

  const point = (place) => {
    if (data.closed) return say(data.closed, true);
    if (goals.some((goal) => goal.place === place))
      return setGoals(goals.filter((goal) => goal.place !== place), filled(words.removed, { place }));
    if ("#sh ".includes(kindOf(place))) return say(filled(words.barred, { place }), true);
    const wanted = [...goals, { place, ifCard: false }];
    // All of them may yet be made conditional.
    const longest = wanted.map((goal) => goalText({ ...goal, ifCard: true })).join(", ");
    if (spelled(`MOVE ${longest}`).length > data.longest)
      return say(words.long, true);
    const n = wanted.length;
    return setGoals(wanted, filled(isNear(place) ? words.near : words.added, { place, n }));
  };
  const key = (place, pressed) => {
    if (pressed !== "Escape" && pressed !== "Backspace") return false;
    setGoals(goals.slice(0, -1));
    return true;
  };

  const kindOf = (place) => {
    const row = rows.findIndex((names) => names.includes(place));
    return data.kinds[row][rows[row].indexOf(place)];
  };
  const described = (place) => {
    const n = goals.findIndex((goal) => goal.place === place) + 1;
    return [
      filled(words.kinds[kindOf(place)], { place, name: data.names[place] }),
      ...data.pieces.filter(([at]) => at === place).map(([, what]) => what),
      ...(isNear(place) ? [] : [words.reach]),
      ...(n ? [filled(words.goal, { n })] : []),
    ].join("; ");
  };

  let pointed = null;
  const show = (told) => {
    const { all, replaced, line, body } = sheet();
    const stops = data.needed || !all.length;
    write(body, line && filled(stops ? words.open : words.silent, { line: spelled(line) }), line && stops);
    listed("goals", goalRows());
    listed("lines", lines.map((line) => row(lines, spelled(line), line, setLines)));
    for (const note of panel.querySelectorAll("[data-standing]"))
      note.textContent = replaced.includes(known(note.dataset.standing)) ? words.replaced : "";
    if (pointed) {
      const { layer, cells } = pointed;
      layer.replaceChildren(...goals.flatMap(({ place }, i) => {
        const [x, y] = centre(place);
        return [drawn("circle", { class: "number", cx: x + 13, cy: y + 12, r: 11 }),
          drawn("text", { x: x + 13, y: y + 17.5 }, i + 1)];
      }));
      for (const [place, cell] of cells) {
        cell.setAttribute("aria-label", described(place));
        cell.setAttribute("aria-selected", goals.some((goal) => goal.place === place));
      }
    }
    const whole = filled(words.whole, { lines: all.map(spelled).join("; ") });
    const rest = all.some(isSettling) ? whole : data.first;
    say(told ? `${told} ${rest}` : rest);
  };

  // Choices that hang on another one are shown for that only.
  const narrow = (form) => {
    const [seat] = (form.querySelector("select, input").value || "").split(" ");
    for (const option of form.querySelectorAll("[data-of]")) {
      option.hidden = option.disabled = option.dataset.of !== seat;
      if (option.hidden && option.selected)
        [...option.parentElement.options].find((other) => !other.disabled).selected = true;
    }
  };
  for (const form of forms) {
    narrow(form);
    form.addEventListener("input", () => {
      narrow(form);
      if (isOnce(form)) show();
    });
    const add = form.querySelector("button");
    if (!add) continue;
    add.onclick = () => {
      const line = lineOf(form);
      if (/\{|: *$|TAKE *$/.test(line)) return;
      setLines([...lines.filter((each) => each !== line), line]);
    };
  }
  const offer = (parent, places) =>
    parent.append(...places.map((place) => made("option", { value: place }, named(place))));
  for (const select of panel.querySelectorAll("[data-part=embassies]"))
    offer(select, Object.keys(data.names));
  const choice = part("choice");
  if (choice) {
    offer(part("in-reach"), data.reach);
    offer(part("beyond"), Object.keys(data.names).filter(isNear));
    part("choose").onclick = () => point(choice.value);
  }

  if (rows.length) pointed = board(data.reach[0] || rows[0][0], { point, key });

  const fields = () => forms.filter(isOnce).flatMap((form) => [...form.querySelectorAll("select, input")]);
  const kept = () => {
    const once = chosenOnce().length ? fields().map(({ value }) => value) : [];
    return goals.length || lines.length || once.length ? { goals, lines, once } : null;
  };
  const takeUp = (draft) => {
    fields().forEach((field, n) => {
      field.value = (draft && draft.once[n]) ?? "";
    });
    lines = draft ? draft.lines : [];
    setGoals(draft ? draft.goals : []);
  };
  begin({ show: () => show(), kept, takeUp });
}
