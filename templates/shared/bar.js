"use strict";
// The action bar of every game: one sentence, options, one button that does the next thing, and what
// is rare behind ⋯. Beside it what every composer needs: a board to point at, a sheet to write. All
// words come with the page. A game calls `begin` once, and in its show()
//   write(lines, why, stops)      puts these lines into the sheet. `why` says what is still missing;
//                                 where that `stops`, the sheet would be refused, so it is not sent.
//   next(sentence, step, options) says what comes next. `step` is { text, act, idle }: what the button
//                                 says and does. Without `act`, or where it is `idle`, it is dashed;
//                                 without a step it is green and sends the sheet, if that is complete.
//                                 An option is { text, act, label, on, more }: a button beside the
//                                 sentence, pressed where `on` is true; `more` is its second line.
//   say(text, refused)            says something for once, in place of the sentence.
//
// Scripts of the page that run after the game's own can take part as guests. A guest is an object
// with any of these:
//   tapped(square)  an enemy's piece is chosen and no step is begun; true if that is the guest's
//   lines()         lines that go into the sheet beside the order, in English words as in the data
//   kept()          what a draft is to hold of the guest: a plain value, null for nothing
//   takeUp(kept)    takes that up again; null empties the guest
//   sheets()        whole sheets for later turns, each a list of lines, which go behind the present one
//   unfinished()    says what is not filled in there; empty if nothing
//   acts()          true while the board is the guest's: then point(square), undo() and draw() are its
// `invite(name, guest)` lets it in, and `again()` shows all anew when its lines have changed.
const composing = (() => {
  const find = (name) => document.querySelector(name);
  const data = JSON.parse(find("#composer-data").textContent);
  const bar = find(".bar");
  const words = { ...bar.dataset, ...data.words };
  const [told, sentence, opts, button, link, more] =
    [".told", ".told span", ".opts", "button.primary", "a.primary", ".more"].map((name) => bar.querySelector(name));
  const part = (name) => find(`[data-part=${name}]`);
  for (const one of document.querySelectorAll(".scripted")) one.hidden = false;

  const filled = (text, values) =>
    text.replace(/\{(\w+)\}/g, (hole, name) => values[name] ?? hole);
  const furnished = (element, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const made = (tag, attributes, ...children) =>
    furnished(document.createElement(tag), attributes, children);
  const drawn = (tag, attributes, ...children) =>
    furnished(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

  const say = (text, refused = false) => {
    if (sentence.textContent !== text) sentence.textContent = text;
    told.classList.toggle("refused", refused);
  };
  const fits = (text) => {
    say(text);
    return sentence.scrollHeight <= sentence.clientHeight + 1;
  };

  // Commands that the sheet may hold beside orders or, with `data-alone`, instead of them. One that
  // cannot be taken back is offered only when another box was ticked first.
  const commands = [...document.querySelectorAll("[data-command]")];
  const ticked = () => commands.filter((box) => box.checked);
  const instead = () => ticked().filter((box) => "alone" in box.dataset);
  const named = (boxes) => boxes.map((box) => box.dataset.command);
  for (const box of document.querySelectorAll("[data-command], [data-asks]"))
    box.addEventListener("change", () => {
      const sure = box.dataset.asks && commands.find((other) => other.dataset.command === box.dataset.asks);
      if (sure) {
        sure.closest("label").hidden = !box.checked;
        sure.checked = false;
      }
      for (const other of commands)
        if (box.checked && other.dataset.command === box.dataset.not) other.checked = false;
      again();
    });

  // `data.rows` has the names of the squares as they lie before the reader, the top row first; on a
  // board without gaps `data.files` and `data.lines` have the halves of their names.
  const { cell: wide, margin } = data;
  const rows = data.files ? data.lines.map((line) => [...data.files].map((file) => file + line))
    : (data.rows || []).map((line) => line.split(" "));
  const places = new Map(
    rows.flatMap((names, row) => names.map((name, column) => [name, { column, row }])));
  const centre = (square) => {
    const { column, row } = places.get(square);
    return [column, row].map((n) => margin + wide * (n + 0.5));
  };

  let pointed = null; // what `board` has made
  // A grid of cells over the drawing, one stop for the Tab key. `point(square)` is a choice by
  // click, touch, Enter or Space; `key(square, key)` any other key, true where it meant something.
  const board = (start, { point, key }) => {
    const drawing = find(".place .board");
    const cells = new Map();
    const grid = made("div", { class: "cells", role: "grid", "aria-label": words.board });
    for (const names of rows) {
      const line = made("div", { role: "row" });
      for (const square of names) {
        const cell = made("div", { role: "gridcell", tabindex: -1, "data-square": square });
        cells.set(square, cell);
        line.append(cell);
      }
      grid.append(line);
    }
    const chosenAt = (square) => (acting() || { point }).point(square);
    let cursor = start;
    const goTo = (square, focused = true) => {
      cells.get(cursor).tabIndex = -1;
      cursor = square;
      cells.get(cursor).tabIndex = 0;
      if (focused) cells.get(cursor).focus({ preventScroll: true });
    };
    goTo(start, false);
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const inside = (n, many) => Math.max(0, Math.min(many - 1, n));
    grid.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const { column, row } = places.get(cursor);
      const move = moves[event.key];
      if (move)
        goTo(rows[inside(row + move[1], rows.length)][inside(column + move[0], rows[0].length)]);
      else if (event.key === "Enter" || event.key === " ") chosenAt(cursor);
      else if (!key(cursor, event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    grid.addEventListener("focusin", (event) => goTo(event.target.dataset.square, false));
    grid.addEventListener("click", (event) => {
      const cell = event.target.closest("[data-square]");
      if (!cell) return;
      goTo(cell.dataset.square);
      chosenAt(cursor);
    });
    drawing.after(grid);
    const aside = (many) => `${(100 * margin) / (wide * many + 2 * margin)}%`;
    grid.style.inset = `${aside(rows.length)} ${aside(rows[0].length)}`;
    const layer = drawn("g", { class: "composed" });
    drawing.append(layer);
    pointed = { drawing, layer, grid, cells, goTo };
    return pointed;
  };

  // The sheet in the page's own text field. What was changed by hand there is left alone until
  // the reader says otherwise.
  const area = find(".place-sheet textarea");
  const [head, end] = [data.sheet[0], data.sheet[data.sheet.length - 1]];
  const template = data.sheet.slice(1, -1);
  // Lines are English here and in the data; the sheet has the reader's own words.
  const own = new Map(Object.entries(data.spelling.words));
  const spelled = (line) => {
    const [first] = line.split(" ");
    const kept = data.spelling.free.includes(first) ? /^\w+/ : /[\w-]+/g;
    return line.replace(kept, (word) => own.get(word) ?? word);
  };
  let written = area.defaultValue;
  let wanted = written;
  let open = { why: "", stops: false }; // what is not filled in, and whether that is refused
  let turn = { text: "", options: [] }; // what the game says
  let posted = null; // the sheet with which an email was begun

  // Of a sheet that was changed by hand only what is left of the template is known to be refused.
  const isByHand = () => area.value !== written;
  const unfilled = () => {
    if (!isByHand()) return open;
    const left = data.sheet.map(spelled).find((line) => line.includes("..") && area.value.includes(line));
    return left ? { why: filled(words.open, { line: left }), stops: true } : { why: "", stops: false };
  };

  // The link that begins an email with the sheet (RFC 6068; lines end in CR LF); without a body where
  // that would be longer than mail programs take. Comments go first, then what holds without its line.
  const [MOST, LIMIT] = [1800, 2000];
  const begun = (lines) => `${words.to}&body=${encodeURIComponent([...lines, ""].join("\r\n"))}`;
  const letter = () => {
    let lines = area.value.trim().split(/\r?\n/);
    const shorter = [(list) => list.filter((line) => !/^\s*#/.test(line)), composer.shorter || ((list) => list)];
    for (const drop of shorter) if (begun(lines).length > MOST) lines = drop(lines);
    return begun(lines).length > LIMIT ? null : begun(lines);
  };

  const chip = ({ text, act, label, on, more: second }) => {
    const one = made("button", {}, text, ...(second ? [made("small", {}, second)] : []));
    if (label) one.ariaLabel = label;
    if (on !== undefined) one.ariaPressed = Boolean(on);
    one.onclick = act;
    return one;
  };
  const render = () => {
    if (!composer) return;
    const { why, stops } = unfilled();
    const lines = named(instead()).map(spelled).join(", ");
    let { text, step, options } = turn;
    let look = "send";
    if (isByHand()) [text, step, options, look] = [words.byHand, null, [], ""];
    else if (lines) [text, step, options] = [filled(words.instead, { lines }), null, []];
    else if (earlier && !begunNow()) [text, step] = [earlierTold(), { text: words.take, act: take }];
    if (posted === area.value) [text, step] = [words.posted, null];
    if (!step && stops) step = { text: why, idle: true };
    const href = words.to && !step ? letter() : null;
    if (words.to && !step && !href) step = { text: words.long, act: () => copy().then(() => { location.href = words.to; }) };
    else if (!words.to && !step) step = { text: words.copy, act: copy, look };
    // An offer of a draw is said until it is answered, a tip until the first choice.
    const offer = posted !== area.value && !named(ticked()).includes("DRAW") && words.offer;
    [offer && `${offer} ${text}`, !begunNow() && offer, !touched && words.tip, text].some((one) => one && fits(one));
    const focused = [button, link].includes(document.activeElement);
    button.hidden = !step;
    link.hidden = Boolean(step);
    if (step) {
      button.textContent = step.text;
      button.className = `primary ${step.look || (step.act && !step.idle ? "" : "idle")}`.trim();
      button.ariaDisabled = !step.act;
      button.onclick = step.act || (() => say(text, true));
      link.removeAttribute("href");
    } else {
      link.textContent = posted === area.value ? words.again : words.send;
      link.className = `button primary ${look}`.trim();
      link.href = href;
    }
    if (focused) (step ? button : link).focus();
    if (opts) {
      const at = [...opts.children].indexOf(document.activeElement);
      opts.replaceChildren(...options.map(chip));
      if (at >= 0 && opts.children[at]) opts.children[at].focus({ preventScroll: true });
    }
    const back = part("by-hand");
    back.hidden = !isByHand();
    part("take").hidden = !earlier;
    part("discard").hidden = !earlier && !begunNow();
  };
  let touched = false;
  const next = (text, step = null, options = []) => {
    if (turn.text && text !== turn.text) touched = true;
    turn = { text, step, options };
    render();
  };

  const put = () => {
    area.value = written = wanted;
    area.rows = wanted.split("\n").length;
    keep();
    render();
  };
  const write = (lines, why = "", stops = Boolean(why)) => {
    const alone = named(instead());
    const sheets = asked("sheets").flat();
    // Beside sheets for later turns one that is not begun is left out; it would be refused.
    const isLeft = sheets.length && lines === template && !alone.length;
    const present = isLeft ? [] : [head, ...(alone.length ? alone : lines), end];
    wanted = [...present, ...sheets.flat()].map(spelled).join("\n");
    const [unfinished] = asked("unfinished").filter(Boolean);
    const untouched = !isByHand();
    open = alone.length || isLeft ? { why: "", stops: false } : { why, stops };
    if (unfinished) open = { why: unfinished, stops: true };
    if (untouched) put();
    else keep();
  };
  const copy = async () => {
    const { why, stops } = unfilled();
    if (stops) return say(filled(words.unready, { why }), true);
    try {
      await navigator.clipboard.writeText(area.value);
    } catch {
      reveal(area);
      area.select(); // a page from a file may not be given the clipboard
      if (!document.execCommand("copy")) return say(words.uncopied, true);
    }
    return say(words.copied);
  };
  area.addEventListener("input", () => {
    keep();
    render();
  });
  link.addEventListener("click", () => {
    posted = area.value;
    setTimeout(render);
  });
  part("by-hand").onclick = put;
  part("copy").onclick = copy;

  // What is behind ⋯ goes away again.
  document.addEventListener("click", ({ target }) => {
    if (!more.contains(target) || target.closest(".menu")) more.open = false;
  });
  more.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    more.open = false;
    more.firstElementChild.focus();
  });

  // What is begun waits in the browser's own store, under the match, the seat, its holder and the
  // turn, until it is thrown away or a page of another turn is opened.
  const guests = new Map();
  const [whose, now] = [`adjud draft ${data.draft.slice(0, -1).join(" ")} `, data.draft.at(-1)];
  let composer = null; // of the game: show(), kept(), takeUp(kept), `sent`: kept() of what was sent, shorter(lines)
  let earlier = null; // a draft that was found and not yet answered for

  // A browser may refuse its store to files, and Chromium gives a file that is loaded again an empty
  // one now and then, so the tab's own history has a copy for a page that is loaded again.
  const tried = (what) => {
    try {
      return what();
    } catch {
      return null; // refused, full, or not written by us
    }
  };
  const storage = (use) => tried(() => use(window.localStorage));
  const besides = () => history.state || {};
  const recall = (name) => [storage((store) => JSON.parse(store.getItem(name))), besides()[name]]
    .filter(Boolean).sort((one, other) => (other.at || 0) - (one.at || 0))[0] || null;
  // Keeps a plain value, null for nothing; returns true if the store has it, so that other tabs do.
  const remember = (name, value) => {
    tried(() => history.replaceState({ ...besides(), [name]: value }, ""));
    return storage((store) => {
      if (value) store.setItem(name, JSON.stringify(value));
      else store.removeItem(name);
      return Boolean(value);
    });
  };
  const begunNow = () => {
    const beside = [...guests].map(([name, { kept }]) => [name, kept ? kept() : null]);
    const found = { made: composer.kept(), beside: beside.filter(([, kept]) => kept !== null),
      given: named(ticked()).filter((word) => word !== "RESIGN"), // which is asked for each time
      text: isByHand() ? area.value : null };
    const isBegun = found.made || found.text !== null || found.beside.length || found.given.length;
    return isBegun ? found : null;
  };
  const keep = () => {
    if (!composer) return;
    const found = begunNow();
    remember(whose + now, found ? { at: Date.now(), ...found } : earlier);
  };
  const earlierTold = () => filled(words.earlier, { when: new Date(earlier.at)
    .toLocaleString(document.documentElement.lang, { dateStyle: "long", timeStyle: "short" }) });
  const takeUp = ({ made: kept, beside, given, text }) => {
    for (const box of commands) box.checked = given.includes(box.dataset.command);
    const theirs = new Map(beside);
    for (const [name, guest] of guests) if (guest.takeUp) guest.takeUp(theirs.get(name) ?? null);
    composer.takeUp(kept);
    put();
    if (text !== null) area.value = text;
    render();
  };
  const answered = (draft) => {
    earlier = null;
    if (draft) takeUp(draft);
    keep();
    render();
    (button.hidden ? link : button).focus(); // the button that was pressed may be gone
  };
  const take = () => answered(earlier);
  part("take").onclick = take;
  part("discard").onclick = () => answered(earlier ? null : { made: null, beside: [], given: [], text: null });
  const again = () => composer.show();
  const invite = (name, guest) => {
    guests.set(name, guest);
    again();
  };
  const asked = (what) => [...guests.values()].filter((guest) => guest[what]).map((guest) => guest[what]());
  const extra = () => [...named(ticked()), ...asked("lines").flat()];
  const acting = () => [...guests.values()].find((guest) => guest.acts && guest.acts());
  const tapped = (square) => [...guests.values()].some((guest) => guest.tapped && guest.tapped(square));

  const begin = (theirs) => {
    composer = theirs;
    earlier = recall(whose + now);
    const was = (draft) => JSON.stringify([draft.made, draft.beside, draft.given, draft.text]);
    if (earlier && was({ made: theirs.sent, beside: [], given: [], text: null }) === was(earlier))
      earlier = null; // it has been sent
    [...(storage(Object.keys) || []), ...Object.keys(besides())]
      .filter((name) => name.startsWith(whose) && name !== whose + now)
      .forEach((name) => remember(name, null));
    again();
  };

  // How the board stands after what is composed for the present turn: { own, letter } by square.
  const standing = () => composer.standing();

  return { template, acting, standing, onBoard: () => pointed, data, words, rows, bar, part, filled, say, next, chip, made,
    drawn, centre, board, spelled, storage, recall, remember, write, begin, invite, again, extra, tapped };
})();
