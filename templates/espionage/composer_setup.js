"use strict";
// Placing the army (rules 1.2-1.4): from the tray by click, drag or key, the rest by lot, a text.
{
  const { data, part, filled, say, next, made, board, storage, write, begin, extra, words } = composing;
  const { home, army } = data;
  const names = new Map(army.map(([letter, , name]) => [letter, name]));
  const KEPT = `adjud espionage ${data.size}`;
  let placed = new Map(); // letters by square
  let past = [];
  let hand = null; // a letter of the tray, or a square whose piece is to go elsewhere

  const count = (letters, letter) => letters.filter((one) => one === letter).length;
  const left = (letter) =>
    army.find(([known]) => known === letter)[1] - count([...placed.values()], letter);
  const sign = (letter) => rankSign(letter, data.below);
  const letters = (squares) => squares.map((square) => placed.get(square) || ".").join("");
  const rows = () =>
    [0, 1, 2].map((row) => letters(home.slice(row * data.size, (row + 1) * data.size)));

  // Every change goes through here, so that it can be undone.
  const change = (next) => {
    past.push(placed);
    placed = new Map(next);
    if (!names.has(hand) || !left(hand)) hand = null;
    show();
  };
  const lay = (square, letter) => {
    if (!home.includes(square)) return say(filled(words.outside, { square }), true);
    if (placed.get(square) === letter) return show();
    if (!left(letter)) return say(filled(words.none, { rank: names.get(letter) }), true);
    return change([...placed, [square, letter]]);
  };
  const swap = (from, to) => {
    if (!home.includes(to)) return say(filled(words.outside, { square: to }), true);
    const next = new Map(placed);
    next.set(to, placed.get(from));
    if (placed.has(to)) next.set(from, placed.get(to));
    else next.delete(from);
    return change(next);
  };
  const remove = (square) => change([...placed].filter(([taken]) => taken !== square));

  const point = (square) => {
    if (names.has(hand)) return lay(square, hand);
    if (hand && hand !== square) return swap(hand, square);
    if (!hand && !placed.has(square))
      return say(home.includes(square) ? words.nothing : filled(words.outside, { square }), true);
    hand = hand ? null : square;
    return show();
  };
  const key = (square, pressed) => {
    const letter = pressed.toUpperCase();
    if (names.has(letter)) {
      lay(square, letter);
      if (placed.get(square) === letter) goTo(home[(home.indexOf(square) + 1) % home.length]);
    } else if (pressed === "Delete" || pressed === "Backspace") {
      if (placed.has(square)) remove(square);
    } else if (pressed === "Escape") {
      hand = null;
      show();
    } else return false;
    return true;
  };
  const { grid, cells, goTo } = board(home[0], { point, key });

  const tray = new Map(army.map(([letter, , name]) => {
    const number = made("b", {});
    const button = made("button", { "data-letter": letter, title: name }, sign(letter), number);
    button.onclick = () => {
      hand = hand === letter || !left(letter) ? null : letter;
      show();
    };
    part("tray").append(button);
    return [letter, { button, number }];
  }));

  // From the tray, or from one square to another.
  dragging([grid, part("tray")], {
    held: (event) => {
      const source = event.target.closest("[data-letter], [data-square]");
      const { letter, square } = source ? source.dataset : {};
      return (letter ? left(letter) : placed.has(square)) && { letter, square };
    },
    ghost: ({ letter, square }) => sign(letter || placed.get(square)),
    ready: () => true,
    drop: ({ letter, square }, target) => {
      if (letter) return target && lay(target, letter);
      return target ? target !== square && swap(square, target) : remove(square);
    },
  });

  const shuffled = (list) => {
    const mixed = [...list];
    for (let i = mixed.length - 1; i > 0; i--) {
      const j = Math.floor(Math.random() * (i + 1));
      [mixed[i], mixed[j]] = [mixed[j], mixed[i]];
    }
    return mixed;
  };
  // Places what is left in the way of SETUP AUTO (rule 1.6), only more simply: it must fit whatever
  // the player has placed, and he sees it and can change it, so the two need not draw the same.
  const rest = () => {
    const next = new Map(placed.size < home.length ? placed : []);
    const unplaced = shuffled(army.flatMap(([letter, n]) =>
      Array(n - count([...next.values()], letter)).fill(letter)));
    const free = (...numbers) => shuffled(home.filter((square, i) =>
      !next.has(square) && numbers.includes(Math.floor(i / data.size))));
    const put = (letters, squares) => {
      for (const square of squares) {
        const found = unplaced.findIndex((letter) => letters.includes(letter));
        if (found >= 0) next.set(square, unplaced.splice(found, 1)[0]);
      }
    };
    const [front, middle, back] = [0, 1, 2];
    const rows = Math.random() < 0.8 ? [back, middle, front] : [middle, back, front];
    put("H", rows.flatMap((row) => free(row)).slice(0, 1));
    const heart = home.findIndex((square) => next.get(square) === "H");
    const guards = (square) => {
      const i = home.indexOf(square);
      return Math.abs(i - heart) === data.size ||
        (Math.abs(i - heart) === 1 && Math.floor(i / data.size) === Math.floor(heart / data.size));
    };
    const mined = 1 + Math.floor(3 * Math.random());
    put("M", free(middle, back).filter(guards).slice(0, mined));
    put("2345", free(middle, back).filter(guards));
    put("M", free(middle, back));
    put("S", free(front).slice(0, 2));
    put("45", free(front).slice(0, 2));
    put("123", free(front));
    put("12345SPM", free(front, middle, back));
    change([...next]);
  };
  const mirror = () => {
    const across = (n) => n - 2 * (n % data.size) + data.size - 1;
    change([...placed].map(([square, letter]) => [home[across(home.indexOf(square))], letter]));
  };

  // A text is placed as a whole or not at all: lines of nothing but letters of pieces.
  const load = (text) => {
    const found = text.toUpperCase().split(/[\n/]/)
      .map((line) => line.replace(/#.*/, "").replace(/[\s>,]/g, ""))
      .filter((line) => /^[1-5SPMH]+$/.test(line)).join("");
    const wrong = army
      .map(([letter, n, title]) => ({ title, n, seen: count([...found], letter) }))
      .filter(({ n, seen }) => n !== seen);
    const reasons = wrong.map((values) => filled(words.army, values));
    if (reasons.length) return say(reasons.join("; "), true);
    return change(home.map((square, i) => [square, found[i]]));
  };
  const last = () => storage((store) => store.getItem(KEPT));
  const keep = () => {
    if (placed.size < home.length) return say(filled(words.placed, numbers()), true);
    storage((store) => store.setItem(KEPT, rows().join("\n")));
    part("recall").hidden = !last();
    return say(last() ? words.kept : words.unkept, !last());
  };

  const numbers = () => ({ placed: placed.size, army: home.length });
  const prompt = () => {
    const isWhole = placed.size === home.length;
    const step = isWhole || (!placed.size && extra().length) ? null
      : { text: placed.size ? words.rest : words.all, act: rest };
    if (names.has(hand)) next(filled(words.hand, { rank: names.get(hand) }), step);
    else if (hand) next(filled(words.lifted, { square: hand }), step);
    else if (!placed.size && sent.size) next(words.sent, { text: words.change, act: () => change(sent), idle: true });
    else if (!placed.size) next(words.first, step);
    else next(isWhole ? words.whole : filled(words.placed, numbers()), step);
  };
  const described = (square, letter) => {
    const told = data.volcanoes.includes(square) ? words.volcano : letter ? words.own : words.empty;
    return filled(told, { square, rank: names.get(letter) });
  };
  const standing = (text) =>
    new Map(home.map((square, i) => [square, text[i]]).filter(([, letter]) => names.has(letter)));
  // What was sent is seen, and can be changed, as long as nothing else is placed.
  const before = data.sent.slice(1).join("");
  const sent = standing(before);
  const show = () => {
    const whole = placed.size === home.length;
    const beside = extra();
    const lines = placed.size || !beside.length ? ["SETUP", ...rows(), ...beside] : beside;
    write(lines, whole || lines === beside ? "" : filled(words.unplaced, numbers()));
    part("undo").ariaDisabled = !past.length;
    for (const [letter, { button, number }] of tray) {
      number.textContent = left(letter);
      button.ariaLabel = `${names.get(letter)}: ${left(letter)}`;
      button.ariaPressed = hand === letter;
      button.classList.toggle("none", !left(letter));
    }
    for (const [square, cell] of cells) {
      const letter = placed.get(square);
      const shown = placed.size ? letter : sent.get(square);
      cell.replaceChildren(...(shown ? [sign(shown)] : []));
      cell.classList.toggle("faint", shown !== letter);
      cell.classList.toggle("held", Boolean(letter));
      cell.ariaSelected = hand === square;
      cell.ariaLabel = cell.title = described(square, letter);
    }
    prompt();
  };

  const undo = () => {
    placed = past.pop() || placed;
    hand = null;
    show();
  };
  const doing = { undo, rest, mirror, empty: () => change([]), keep, recall: () => load(last()),
    load: () => load(part("text").value) };
  for (const [name, action] of Object.entries(doing)) part(name).onclick = action;
  part("recall").hidden = !last();

  const kept = () => (placed.size ? letters(home) : null);
  const takeUp = (draft) => {
    placed = standing(draft || "");
    past = [];
    hand = null;
    show();
  };
  begin({ show, kept, takeUp, sent: before });
}
