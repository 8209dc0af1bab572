"use strict";
// What the order composer of every game needs: a board to point at, a sheet to write, a place to
// say things. A game's script says what pointing at a square means. All words come with the data.
const composing = (() => {
  const data = JSON.parse(document.getElementById("composer-data").textContent);
  const parts = document.getElementById("composer").content.cloneNode(true);
  const panel = parts.querySelector(".composer");
  const status = panel.querySelector("[role=status]");
  const part = (name) => panel.querySelector(`[data-part=${name}]`);

  const filled = (text, values) =>
    text.replace(/\{(\w+)\}/g, (hole, name) => values[name] ?? hole);

  const say = (text, refused = false) => {
    const hint = byHand.hidden || refused ? "" : byHand.querySelector("span").textContent;
    status.textContent = `${text} ${hint}`.trim();
    status.classList.toggle("refused", refused);
  };

  const furnished = (element, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const made = (tag, attributes, ...children) =>
    furnished(document.createElement(tag), attributes, children);
  const drawn = (tag, attributes, ...children) =>
    furnished(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

  // `data.rows` are the names of the squares as they lie before the reader, the top row first.
  const { rows = [], cell: wide, margin } = data;
  const places = new Map(
    rows.flatMap((names, row) => names.map((name, column) => [name, { column, row }])));
  const placeOf = (square) => places.get(square);
  const centre = (square) => {
    const { column, row } = placeOf(square);
    return [column, row].map((n) => margin + wide * (n + 0.5));
  };

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
      else if (event.key === "Enter" || event.key === " ") point(cursor);
      else if (!key(cursor, event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    grid.addEventListener("focusin", (event) => goTo(event.target.dataset.square, false));
    grid.addEventListener("click", (event) => {
      const cell = event.target.closest("[data-square]");
      if (!cell) return;
      goTo(cell.dataset.square);
      point(cursor);
    });
    const holder = made("div", { class: "pointed" });
    drawing.replaceWith(holder);
    holder.append(drawing, grid);
    holder.after(panel);
    const aside = (many) => `${(100 * margin) / (wide * many + 2 * margin)}%`;
    grid.style.inset = `${aside(rows.length)} ${aside(rows[0].length)}`;
    const layer = drawn("g", { class: "composed" });
    drawing.append(layer);
    return { drawing, layer, grid, cells, goTo };
  };

  // The sheet in the page's own text field. What was changed by hand there is left alone until
  // the reader says otherwise.
  const area = document.querySelector(".place-sheet textarea");
  const sending = parts.querySelector(".sending");
  const byHand = sending.querySelector("[data-part=by-hand]");
  const letter = document.querySelector(".place-sheet a[href^='mailto:']");
  const begun = letter && letter.href.split("&body=")[0];
  const [head, end] = [data.sheet[0], data.sheet[data.sheet.length - 1]];
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
    missing.hidden = !why;
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
    letter.href = `${begun}&body=${encodeURIComponent(area.value.replace(/\r?\n/g, "\r\n"))}`;
  };
  const put = () => {
    area.value = written = wanted;
    shown();
  };
  // `why` says what is not filled in; where that `stops`, the sheet would be refused as it is.
  const write = (lines, why = "", stops = Boolean(why)) => {
    wanted = [head, ...lines, end].map(spelled).join("\n");
    const untouched = area.value === written;
    open = { why, stops };
    if (untouched) put();
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
  area.addEventListener("input", shown);
  byHand.querySelector("button").addEventListener("click", put);
  sending.querySelector("[data-part=copy]").addEventListener("click", copy);
  if (letter) letter.addEventListener("click", stopped);

  // A board and what sends the sheet belong together, however far below the sheet itself is.
  const begin = () => {
    area.after(byHand);
    (panel.closest(".place-board") ? status : area).after(sending);
    if (letter) {
      const line = letter.parentElement;
      sending.querySelector(".tools").append(letter);
      letter.className = "button";
      letter.setAttribute("aria-describedby", missing.id);
      line.remove();
    }
    shown();
  };

  return { data, panel, part, filled, say, made, drawn, centre, board, spelled, write, begin };
})();
