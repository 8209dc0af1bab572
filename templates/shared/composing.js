"use strict";
// What the order composer of every game needs: a board to point at, a sheet to write, a place to
// say things. A game's script says what pointing at a square means. All words come with the data.
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
// `composing.invite(name, guest)` lets it in, `composing.again()` writes the sheet anew when its
// lines have changed, and `composing.say(text, refused)` speaks in the line at the board.
const composing = (() => {
  const data = JSON.parse(document.getElementById("composer-data").textContent);
  const parts = document.getElementById("composer").content.cloneNode(true);
  const order = parts.querySelector(".place-order");
  const panel = order.querySelector(".composer");
  const status = order.querySelector("[role=status]");
  const part = (name) => order.querySelector(`[data-part=${name}]`);

  const filled = (text, values) =>
    text.replace(/\{(\w+)\}/g, (hole, name) => values[name] ?? hole);

  const say = (text, refused = false) => {
    const hint = byHand.hidden || refused ? "" : byHand.querySelector("span").textContent;
    const lines = refused ? "" : words(instead()).map(spelled).join(", ");
    const told = lines ? filled(data.words.instead, { lines }) : text;
    status.textContent = `${told} ${hint}`.trim();
    status.classList.toggle("refused", refused);
  };

  // Commands that the sheet may hold beside orders or, with `data-alone`, instead of them. One that
  // cannot be taken back is offered only when another box was ticked first.
  const commands = [...parts.querySelectorAll("[data-command]")];
  const ticked = () => commands.filter((box) => box.checked);
  const instead = () => ticked().filter((box) => "alone" in box.dataset);
  const words = (boxes) => boxes.map((box) => box.dataset.command);
  for (const box of parts.querySelectorAll("[data-command], [data-asks]"))
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

  const furnished = (element, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const made = (tag, attributes, ...children) =>
    furnished(document.createElement(tag), attributes, children);
  const drawn = (tag, attributes, ...children) =>
    furnished(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

  // `data.rows` has the names of the squares as they lie before the reader, the top row first; on a
  // board without gaps `data.files` and `data.lines` have the halves of their names.
  const { cell: wide, margin } = data;
  const rows = data.files ? data.lines.map((line) => [...data.files].map((file) => file + line))
    : (data.rows || []).map((line) => line.split(" "));
  const places = new Map(
    rows.flatMap((names, row) => names.map((name, column) => [name, { column, row }])));
  const placeOf = (square) => places.get(square);
  const centre = (square) => {
    const { column, row } = placeOf(square);
    return [column, row].map((n) => margin + wide * (n + 0.5));
  };

  let pointed = null; // what `board` has made
  // A grid of cells over the drawing, one stop for the Tab key. `point(square)` is a choice by
  // click, touch, Enter or Space; `key(square, key)` any other key, true where it meant something.
  const board = (start, { point, key }) => {
    const drawing = document.querySelector(".place-board .board");
    const cells = new Map();
    const grid = made("div", { class: "cells", role: "grid", "aria-label": data.words.board });
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
      if (focused) cells.get(cursor).focus();
    };
    goTo(start, false);
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const inside = (n, many) => Math.max(0, Math.min(many - 1, n));
    grid.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const { column, row } = placeOf(cursor);
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
  const area = document.querySelector(".place-sheet textarea");
  const sending = parts.querySelector(".sending");
  const byHand = parts.querySelector("[data-part=by-hand]");
  const letter = document.querySelector(".place-sheet a[href^='mailto:']");
  const address = letter && letter.href.split("&body=")[0];
  const [head, end] = [data.sheet[0], data.sheet[data.sheet.length - 1]];
  const template = data.sheet.slice(1, -1);
  const missing = sending.querySelector("[data-part=missing]");
  const senders = [sending.querySelector("[data-part=copy]"), ...(letter ? [letter] : [])];
  let written = area.defaultValue;
  // Lines are English here and in the data; the sheet has the reader's own words.
  const own = new Map(Object.entries(data.spelling.words));
  const spelled = (line) => {
    const [first] = line.split(" ");
    const words = data.spelling.free.includes(first) ? /^\w+/ : /[\w-]+/g;
    return line.replace(words, (word) => own.get(word) ?? word);
  };
  let wanted = written;
  let open = { why: "", stops: false }; // what is not filled in, and whether that is refused

  // Of a sheet that was changed by hand only what is left of the template is known to be refused.
  const unfilled = () => {
    if (area.value === written) return open;
    const lines = data.sheet.map(spelled);
    const left = lines.find((line) => line.includes("..") && area.value.includes(line));
    return left ? { why: filled(data.words.open, { line: left }), stops: true } : { why: "" };
  };
  const mark = () => {
    const { why, stops } = unfilled();
    missing.textContent = stops ? filled(data.words.unready, { why }) : why;
    for (const sender of senders) sender.setAttribute("aria-disabled", Boolean(stops));
  };
  const stopped = (event) => {
    if (!unfilled().stops) return false;
    event.preventDefault();
    say(missing.textContent, true);
    return true;
  };

  const shown = () => {
    mark();
    byHand.hidden = area.value === written;
    area.rows = area.value.trim().split("\n").length; // on paper, where letters are smaller
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`;
    if (!letter) return;
    // RFC 6068: lines end in CR LF.
    letter.href = `${address}&body=${encodeURIComponent(area.value.replace(/\r?\n/g, "\r\n"))}`;
  };
  const put = () => {
    area.value = written = wanted;
    shown();
    keep();
  };
  // `lines` hold what `extra()` returns, where the game wants it.
  // `why` says what is not filled in; where that `stops`, the sheet would be refused as it is.
  const write = (lines, why = "", stops = Boolean(why)) => {
    const alone = words(instead());
    const sheets = asked("sheets").flat();
    // Beside sheets for later turns one that is not begun is left out; it would be refused.
    const isLeft = sheets.length && lines === template && !alone.length;
    const present = isLeft ? [] : [head, ...(alone.length ? alone : lines), end];
    wanted = [...present, ...sheets.flat()].map(spelled).join("\n");
    const untouched = area.value === written;
    const [unfinished] = asked("unfinished").filter(Boolean);
    open = alone.length || isLeft ? { why: "", stops: false } : { why, stops };
    if (unfinished) open = { why: unfinished, stops: true };
    if (untouched) put();
    else keep();
  };
  const copy = async (event) => {
    if (stopped(event)) return undefined;
    try {
      await navigator.clipboard.writeText(area.value);
    } catch {
      area.select(); // a page from a file may not be given the clipboard
      if (!document.execCommand("copy")) return say(data.words.uncopied, true);
    }
    return say(data.words.copied);
  };
  area.addEventListener("input", () => {
    shown();
    keep();
  });
  byHand.querySelector("button").onclick = put;
  sending.querySelector("[data-part=copy]").onclick = copy;
  if (letter) letter.addEventListener("click", stopped);

  // What is begun waits in the browser's own store, under the match, the seat, its holder and the
  // turn, until it is thrown away or a page of another turn is opened.
  const guests = new Map();
  const [whose, turn] = [`adjud draft ${data.draft.slice(0, -1).join(" ")} `, data.draft.at(-1)];
  const drafted = part("draft");
  const [take, discard] = drafted.querySelectorAll("button");
  let composer = null; // of the game: show(), kept(), takeUp(kept), and `sent`: kept() of what was sent
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
  const begun = () => {
    const beside = [...guests].map(([name, { kept }]) => [name, kept ? kept() : null]);
    const found = { made: composer.kept(), beside: beside.filter(([, kept]) => kept !== null),
      given: words(ticked()).filter((word) => word !== "RESIGN"), // which is asked for each time
      text: area.value === written ? null : area.value };
    const isBegun = found.made || found.text !== null || found.beside.length || found.given.length;
    return isBegun ? found : null;
  };
  const keep = () => {
    if (!composer) return;
    const now = begun();
    const wanted = now ? { at: Date.now(), ...now } : earlier;
    const isKept = remember(whose + turn, wanted);
    const when = earlier && new Date(earlier.at).toLocaleString(document.documentElement.lang,
      { dateStyle: "long", timeStyle: "short" });
    drafted.hidden = !earlier && !isKept;
    drafted.querySelector("span").textContent = earlier ? filled(data.words.earlier, { when }) : "";
    take.hidden = !earlier;
    missing.hidden = Boolean(earlier); // there is one line for both
  };
  const takeUp = ({ made, beside, given, text }) => {
    for (const box of commands) box.checked = given.includes(box.dataset.command);
    const theirs = new Map(beside);
    for (const [name, guest] of guests) if (guest.takeUp) guest.takeUp(theirs.get(name) ?? null);
    composer.takeUp(made);
    put();
    if (text !== null) area.value = text;
    shown();
  };
  const answered = () => {
    earlier = null;
    keep();
    senders[0].focus(); // the button that was pressed may be gone
  };
  take.onclick = () => {
    takeUp(earlier);
    answered();
  };
  discard.onclick = () => {
    if (!earlier) takeUp({ made: null, beside: [], given: [], text: null });
    answered();
  };
  const again = () => composer.show();
  const invite = (name, guest) => {
    guests.set(name, guest);
    again();
  };
  const asked = (what) => [...guests.values()].filter((guest) => guest[what]).map((guest) => guest[what]());
  const extra = () => [...words(ticked()), ...asked("lines").flat()];
  const acting = () => [...guests.values()].find((guest) => guest.acts && guest.acts());
  const tapped = (square) => [...guests.values()].some((guest) => guest.tapped && guest.tapped(square));

  // What sends the sheet stands beside the board, however far below the sheet itself is.
  document.querySelector(".table > :first-child").after(order);
  const begin = (theirs) => {
    composer = theirs;
    earlier = recall(whose + turn);
    const was = (draft) => JSON.stringify([draft.made, draft.beside, draft.given, draft.text]);
    if (earlier && was({ made: theirs.sent, beside: [], given: [], text: null }) === was(earlier))
      earlier = null; // it has been sent
    [...(storage(Object.keys) || []), ...Object.keys(besides())]
      .filter((name) => name.startsWith(whose) && name !== whose + turn)
      .forEach((name) => remember(name, null));
    area.after(byHand);
    const tools = part("tools");
    if (tools) {
      sending.querySelector(".tools").append(...tools.children);
      tools.remove();
    }
    if (letter) {
      const line = letter.parentElement;
      sending.querySelector(".tools").prepend(letter);
      letter.className = "button";
      letter.setAttribute("aria-describedby", missing.id);
      line.remove();
    }
    senders.at(-1).classList.add("primary");
    shown();
    again();
  };

  // How the board stands after what is composed for the present turn: { own, letter } by square.
  const standing = () => composer.standing();

  return { template, acting, standing, onBoard: () => pointed, data, rows, order, panel, part, filled, say, made, drawn, centre, board, spelled, storage, recall, remember, write, begin,
    invite, again, extra, tapped };
})();
