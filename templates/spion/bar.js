"use strict";
// The bar of Spion: a place that is pointed at is where the spy goes, further ones are fallbacks, and
// what dice or a wrong guess ask for is chosen beside the sentence. What is rare has forms in the row
// of other orders; which there are, and what may be chosen in them, stands in the page.
{
  const { data, words, rows, template, part, filled, spelled, say, next, chip, drawn, made, centre, board, write, begin, extra } = composing;
  const panel = document.querySelector(".composer");
  let goals; // as MOVE names them
  let lines; // that forms have made
  let takes; // the places from which a card is taken after a wrong guess
  let put; // the place for a card that is taken
  let whom = ""; // who is challenged, until a type is guessed

  const without = (list, one) => list.filter((each) => each !== one);

  // Where the spy goes.
  const isNear = (place) => !data.reach.includes(place);
  const hasCard = (place) => data.cards.includes(place);
  const named = (place) => data.names[place] || place;
  const placeOf = (goal) => goal.replace(/NEAR | IF.*/g, "");
  const isIf = (goal) => / IF/.test(goal);
  const goesFor = () => goals.map(placeOf).filter(hasCard);
  const told = (goal) => {
    const place = placeOf(goal);
    return filled(isIf(goal) ? words.ifCard : isNear(place) ? words.near : hasCard(place) ? words.forCard
      : words.there, { place: named(place) });
  };
  const kinds = new Map(rows.flatMap((names, y) => names.map((name, x) => [name, data.kinds[y][x]])));
  const goTo = (wanted) => show((goals = wanted));
  const point = (place) => {
    const known = goals.find((goal) => placeOf(goal) === place);
    const wanted = known ? without(goals, known) : [...goals, (isNear(place) ? "NEAR " : "") + place];
    if (data.closed) say(data.closed, true);
    else if ("#sh ".includes(kinds.get(place))) say(filled(words.barred, { place }), true);
    // All of them may yet be made conditional.
    else if (spelled(`MOVE ${wanted.join(" IF CARD, ")} IF CARD`).length > data.longest) say(words.tooLong, true);
    else goTo(wanted);
  };
  const key = (place, pressed) => /Escape|Backspace/.test(pressed) && (goTo(goals.slice(0, -1)), true);

  // Choices beside the sentence. Many are those of the forms: their values and texts.
  const choices = (line, name) => {
    const select = panel.querySelector(`[data-line^="${line}"] [name=${name}]`);
    return select ? [...select.options].map(({ value, text }) => [value, text]) : [];
  };
  const removed = (what, act, text = what) =>
    ({ text: `${text} ×`, on: true, act, label: filled(words.remove, { what }) });
  const given = (line) => removed(spelled(line), () => show((lines = without(lines, line))));
  const moves = () => [
    ...goals.map((goal, n) => removed(named(placeOf(goal)), () => goTo(without(goals, goal)), `${n + 1} ${placeOf(goal)}`)),
    // Until its turn comes another may take the card.
    ...goals.filter((goal) => data.rounds && hasCard(placeOf(goal))).map((goal) =>
      ({ text: filled(words.onlyCard, { place: placeOf(goal) }), on: isIf(goal), act: () => goTo(goals.map((one) =>
        (one !== goal ? one : isIf(one) ? one.slice(0, -8) : `${one} IF CARD`))) })),
    ...(goals[0] ? [] : data.reach.filter(hasCard)).map((place) =>
      ({ text: filled(words.chip, { place: named(place) }), act: () => point(place) }))];
  const takesCard = () => data.free[1] && (goesFor()[0] || lines.some((line) => /^(CHA|AMB)/.test(line)));
  const places = () => (takesCard() ? [{ text: filled(words.place, { n: put }),
    act: () => show((put = data.free[data.free.indexOf(put) + 1] || data.free[0])) }] : []);
  const look = (value) => show((whom = value));
  const whose = choices("CHALLENGE", "whom");
  const whomText = () => whose.find(([value]) => value === whom)[1];
  const guesses = () => [removed(whomText(), () => look("")), ...choices("CHALLENGE", "guess").map(([value, text]) =>
    ({ text, act: () => {
      const line = `CHALLENGE ${whom}${value}`;
      lines = [...without(lines, line), line];
      look("");
    } }))];
  const answers = () => (data.asked ? choices("ANSWER", "take") : []).map(([value, n]) =>
    ({ text: filled(words.place, { n }), on: takes.includes(n), act: () =>
      show((takes = takes.includes(n) ? without(takes, n) : [...takes, n])) }));
  const swaps = () => data.swaps.filter(([value]) => !lines.includes(value)).map(([value, text]) =>
    ({ text, act: () => show((lines = [...lines.filter((line) => !/^(SWAP|PASS)/.test(line)), value])) }));

  // A full holder has no room for a card that comes, so something is to become of one.
  const kind = data.asked ? "KEEP" : "FIFTH";
  const comesFifth = () => !data.free[0] && (goesFor()[0] || takes[0])
    && ![...lines, ...template].some((line) => line.replace("# ", "").startsWith(kind));
  const fifths = () => choices("{kind}", "act").filter(([value]) => /^OUT \d|^REF/.test(value)).map(([value]) =>
    ({ text: filled(value === "REFUSE" ? words.refuse : words.out, { n: value.slice(4) }),
      act: () => show((lines = [...lines, `${kind} *: ${value}`])) }));

  // A form's line is what its fields hold, one after another. Choices that hang on the first one are
  // shown for that only.
  for (const form of panel.querySelectorAll("[data-line]")) {
    const fields = [...form.querySelectorAll("select, input")];
    form.oninput = () => {
      for (const option of form.querySelectorAll("[data-of]")) {
        option.hidden = option.disabled = !fields[0].value.startsWith(option.dataset.of);
        if (option.hidden && option.selected) option.parentElement.selectedIndex = 0;
      }
    };
    form.oninput();
    form.querySelector("button").onclick = () => {
      const held = fields.map((one) => (one.type === "checkbox" && !one.checked ? "" : one.value)).join("").trim();
      const line = form.dataset.line.replace("{kind}", "")
        + held.replace(/(PLACE \d).*/, "$1").replace(/(OUT \w+|REFUSE), /, "$1 TO ");
      if (held) show((lines = [...lines.filter((each) => each !== line && !each.startsWith("PHRASE")), line]));
    };
  }
  for (const select of panel.querySelectorAll("[data-part=embassies]"))
    for (const place in data.names) select.append(new Option(named(place), select.dataset.before + place));

  const described = (place) => {
    const n = goals.map(placeOf).indexOf(place) + 1;
    return [
      filled(words.kinds[kinds.get(place)], { place, name: data.names[place] }),
      ...data.pieces.flatMap(([at, what]) => (at === place ? what : [])),
      ...(isNear(place) ? [] : [words.reach]),
      ...(n ? [filled(words.goal, { n })] : []),
    ].join("; ");
  };
  const mark = (goal, n) => {
    const [x, y] = centre(placeOf(goal));
    const frame = (look) => drawn("rect", { class: look, x: x - 20, y: y - 20, width: 40, height: 40, rx: 6 });
    return [frame("picked"), frame("picked inner"), ...(goals.length < 2 ? [] : [
      drawn("circle", { cx: x + 15, cy: y - 14, r: 10 }), drawn("text", { x: x + 15, y: y - 9 }, n + 1)])];
  };

  const known = (line) => line.match(/^(FIFTH|ANSWER|KEEP) [^\s:]+/)?.[0];
  const show = () => {
    const isSettling = (line) => data.settling.includes(line.split(" ")[0]);
    const move = goals[0] ? [`MOVE ${goals.join(", ")}`] : [];
    const answer = takes[0] ? [template[0].replace("...", takes.join(","))] : [];
    const settling = [...lines.filter(isSettling), ...move, ...answer];
    const all = [...settling, ...(put !== data.free[0] && takesCard() ? [`PLACE ${put}`] : []), ...lines.filter((line) => !isSettling(line))];
    const isReplaced = (line) => all.some((each) => known(each) && known(each) === known(line));
    const rest = template.filter((line) => line[0] === "#" && !isReplaced(line.slice(2)));
    const open = template.filter((line) => line[0] !== "#");
    const isBegun = all[0] || extra()[0]; // commands may go alone
    const stops = open[0] && !settling[0] && (all[0] ? data.asked : !isBegun);
    write([...(isBegun ? [] : open), ...all, ...rest, ...extra()], data.idle, stops);
    part("lines").replaceChildren(...lines.map(given).map(chip));
    layer.replaceChildren(...goals.flatMap(mark));
    for (const [place, cell] of cells) {
      cell.ariaLabel = described(place);
      cell.ariaSelected = goals.map(placeOf).includes(place);
    }
    const sentence = whom ? filled(words.guess, { whom: whomText() }) : comesFifth() ? words.fifth
      : goals[0] && !settling[1] ? filled(words.goes, { places: goals.map(told).join(words.or) })
      : !settling[0] && all[0] ? words.silent
      : all[0] ? filled(words.whole, { lines: all.map(spelled).join("; ") }) : data.sent?.told ?? data.first;
    const isIn = data.sent && !isBegun && !whom;
    next(sentence, isIn ? { text: words.change, act: () => show(take(data.sent)), idle: true } : null, whom ? guesses() : [...(comesFifth() ? fifths() : []), ...moves(), ...places(),
      ...whose.map(([value, text]) => ({ text, act: () => look(value) })), ...answers(), ...swaps(), ...lines.map(given)]);
  };

  const { layer, cells } = board(data.reach.find(hasCard) || data.reach[0] || rows[0][0], { point, key });
  const take = (draft) => {
    ({ to: goals = [], lines = [], takes = [], put = data.free[0] } = draft || {});
  };
  take();
  begin({ show, sent: data.sent, takeUp: (draft) => show(take(draft)),
    kept: () => (goals[0] || lines[0] || takes[0] ? { to: goals, lines, takes, put } : null) });
}
