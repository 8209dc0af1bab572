"use strict";
// Placing the army (rules 1.2-1.4): from the tray by click, drag or key, at random, from a text.
{
  const { data, part, filled, say, made, board, write, begin } = composing;
  const { words, home, army } = data;
  const names = new Map(army.map(([letter, , name]) => [letter, name]));
  const KEPT = `adjud espionage ${data.size}`;
  let placed = new Map(); // letters by square
  let past = [];
  let hand = null; // a letter of the tray, or a square whose piece is to go elsewhere

  const count = (letters, letter) => letters.filter((one) => one === letter).length;
  const left = (letter) =>
    army.find(([known]) => known === letter)[1] - count([...placed.values()], letter);
  const sign = (letter) =>
    made("span", { class: `sign own ${data.below}`, "aria-hidden": true }, letter);
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
    const title = made("span", { class: "name" }, name);
    const attributes = { type: "button", "data-letter": letter };
    const button = made("button", attributes, sign(letter), title, number);
    button.addEventListener("click", () => {
      hand = hand === letter || !left(letter) ? null : letter;
      show();
    });
    part("tray").append(button);
    return [letter, { button, number }];
  }));

  // Dragging, by mouse or finger: from the tray, or from one square to another.
  let drag = null;
  const grasp = (event) => {
    const source = event.target.closest("[data-letter], [data-square]");
    if (!source || event.button) return;
    const { letter, square } = source.dataset;
    if (letter ? left(letter) : placed.has(square))
      drag = { letter, square, x: event.clientX, y: event.clientY, ghost: null };
  };
  const pull = (event) => {
    if (!drag) return;
    if (!drag.ghost) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 8) return;
      drag.ghost = sign(drag.letter || placed.get(drag.square));
      drag.ghost.classList.add("ghost");
      document.body.append(drag.ghost);
    }
    drag.ghost.style.translate = `${event.clientX}px ${event.clientY}px`;
  };
  const drop = (event) => {
    const { letter, square, ghost } = drag || {};
    drag = null;
    if (!ghost) return;
    ghost.remove();
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const cell = under && under.closest("[data-square]");
    if (!cell) {
      if (square) remove(square);
    } else if (letter) lay(cell.dataset.square, letter);
    else if (cell.dataset.square !== square) swap(square, cell.dataset.square);
  };
  for (const place of [grid, part("tray")]) place.addEventListener("pointerdown", grasp);
  document.addEventListener("pointermove", pull);
  document.addEventListener("pointerup", drop);
  document.addEventListener("pointercancel", () => {
    if (drag && drag.ghost) drag.ghost.remove();
    drag = null;
  });

  const shuffled = (list) => {
    const mixed = [...list];
    for (let i = mixed.length - 1; i > 0; i--) {
      const j = Math.floor(Math.random() * (i + 1));
      [mixed[i], mixed[j]] = [mixed[j], mixed[i]];
    }
    return mixed;
  };
  const random = () => {
    const stay = placed.size < home.length ? placed : new Map();
    const rest = army.flatMap(([letter, n]) =>
      Array(n - count([...stay.values()], letter)).fill(letter));
    const free = shuffled(home.filter((square) => !stay.has(square)));
    change([...stay, ...free.map((square, i) => [square, rest[i]])]);
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
  const storage = (use) => {
    try {
      return use(window.localStorage);
    } catch {
      return null; // a browser may refuse it to files
    }
  };
  const kept = () => storage((store) => store.getItem(KEPT));
  const keep = () => {
    if (placed.size < home.length) return say(filled(words.placed, numbers()), true);
    storage((store) => store.setItem(KEPT, rows().join("\n")));
    part("recall").hidden = !kept();
    return say(kept() ? words.kept : words.unkept, !kept());
  };

  const numbers = () => ({ placed: placed.size, army: home.length });
  const prompt = () => {
    if (names.has(hand)) say(filled(words.hand, { rank: names.get(hand) }));
    else if (hand) say(filled(words.lifted, { square: hand }));
    else if (!placed.size) say(words.first);
    else say(placed.size < home.length ? filled(words.placed, numbers()) : words.whole);
  };
  const described = (square, letter) => {
    const told = data.volcanoes.includes(square) ? words.volcano : letter ? words.own : words.empty;
    return filled(told, { square, rank: names.get(letter) });
  };
  const show = () => {
    const whole = placed.size === home.length;
    write(["SETUP", ...rows()], whole ? "" : filled(words.unplaced, numbers()));
    part("undo").setAttribute("aria-disabled", !past.length);
    for (const [letter, { button, number }] of tray) {
      number.textContent = left(letter);
      button.setAttribute("aria-pressed", hand === letter);
      button.classList.toggle("none", !left(letter));
    }
    for (const [square, cell] of cells) {
      const letter = placed.get(square);
      cell.replaceChildren(...(letter ? [sign(letter)] : []));
      cell.classList.toggle("held", Boolean(letter));
      cell.setAttribute("aria-selected", hand === square);
      cell.setAttribute("aria-label", described(square, letter));
    }
    prompt();
  };

  const undo = () => {
    placed = past.pop() || placed;
    hand = null;
    show();
  };
  const doing = { undo, random, mirror, empty: () => change([]), keep, recall: () => load(kept()),
    load: () => load(part("text").value) };
  for (const [name, action] of Object.entries(doing)) part(name).addEventListener("click", action);
  part("recall").hidden = !kept();
  document.querySelector(".army").hidden = true;
  begin();
  show();
}
