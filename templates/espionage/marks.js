"use strict";
// What is known of an enemy piece that is chosen, with its way on the board, and the reader's own
// mark on it (rule 9.1): a letter or a few words. Marks go into the sheet as MARK lines. The browser
// keeps each with the square on which its piece began, until it is sent or taken away.
{
  const { data, made, drawn, centre, part, say, filled, invite, again, recall, remember } = composing;
  const { marked, words } = JSON.parse(document.getElementById("marks-data").textContent);
  const open = new Set(piecesOf(data).filter(([, { letter }]) => letter === "?").map(([at]) => at));
  const told = new Map([...document.querySelectorAll(".told li")].map((line) => {
    const [square, text] = line.childNodes;
    return [square.textContent, { text: text.textContent, way: line.dataset.way.split(" ") }];
  }));
  const now = new Map([...told].map(([square, { way }]) => [way[0], square]));
  data.spelling.free.push(words.mark); // what stands behind it is the reader's own
  const walked = drawn("g", { class: "walked" });
  const tags = drawn("g", { class: "marks" });
  const drawing = document.querySelector(".place-board .board");
  drawing.querySelector(".piece").before(walked);
  drawing.append(tags);
  for (const tag of document.querySelectorAll(".place-board .tags")) tag.remove();
  const sent = (square) => marked[square] ?? "";

  // A mark that is kept is out of date where another was sent since, or its piece is gone or told. A
  // page of an earlier turn leaves those of later ones alone.
  const [name, turn] = [`adjud marks ${data.draft.slice(0, -1).join(" ")}`, data.draft.at(-1)];
  const kept = Object.entries(recall(name) || {});
  const later = kept.filter(([, mark]) => mark.turn > turn);
  const changed = Object.fromEntries(kept.filter((one) => !later.includes(one))
    .map(([start, { text, over }]) => [now.get(start), text, over])
    .filter(([square, text, over]) => open.has(square) && sent(square) === over && text !== over));
  const keep = () => {
    const own = Object.entries(changed).map(([square, text]) =>
      [told.get(square).way[0], { text, over: sent(square), turn }]);
    const all = [...later, ...own];
    return remember(name, all.length ? Object.fromEntries(all) : null) && own.length > 0;
  };
  let at = null;
  const mark = (square) => changed[square] ?? sent(square);

  const sign = made("input", { maxlength: 12, size: 12, autocomplete: "off", spellcheck: "false" });
  const heading = made("p", {});
  const letters = made("span", { class: "tools" });
  const off = made("button", {}, words.unmark);
  const note = made("p", { class: "note" }, words.keeps);
  const marking = made("div", {}, letters, made("label", {}, `${words.write} `, sign), " ", off, note);
  const box = made("div", { class: "marking", role: "group" }, heading, marking);
  box.hidden = true;
  part("marking").append(box);

  const draw = () => {
    note.hidden = !keep();
    tags.replaceChildren(...[...open].filter(mark).map((square) => {
      const [x, y] = centre(square);
      const text = mark(square);
      return drawn("text", { x, y: y + 22 }, text.length > 6 ? `${text.slice(0, 5)}…` : text);
    }));
    const way = box.hidden ? [] : told.get(at).way.map(centre);
    const d = `M${way.join("L")}`;
    const [cx, cy] = way[0] || [];
    walked.replaceChildren(...(way.length < 2 ? []
      : [drawn("path", { d }), drawn("path", { d }), drawn("circle", { cx, cy, r: 7 })]));
  };
  const put = (text) => {
    if (text === sent(at)) delete changed[at];
    else changed[at] = text;
    sign.value = text;
    draw();
    again();
  };
  sign.addEventListener("input", () => put(sign.value.trim()));
  off.onclick = () => put("");
  const ask = (square) => {
    const { text } = told.get(square);
    box.hidden = at === square && !box.hidden;
    at = square;
    heading.replaceChildren(made("b", {}, square), text);
    box.ariaLabel = square + text;
    letters.replaceChildren(...[...(data.could[square] || Object.keys(data.ranks).join(""))].map((letter) => {
      const button = made("button", { "aria-label": data.ranks[letter] }, letter);
      button.onclick = () => put(letter);
      return button;
    }));
    sign.value = mark(square);
    marking.hidden = !open.has(square);
    draw();
    const to = part("mark");
    if (to) to.hidden = box.hidden; // there is none where the bar is not at the board
    if (box.hidden) return again();
    const look = () => {
      reveal(box);
      if (!marking.hidden) letters.firstChild.focus({ preventScroll: true });
    };
    if (!to) return look();
    to.textContent = filled(words.look, { square });
    to.onclick = look;
    return say(square + text);
  };

  invite("marks", {
    tapped: (square) => {
      if (told.has(square)) ask(square);
      return told.has(square);
    },
    lines: () => Object.entries(changed).map(([square, text]) => `${words.mark} ${square} ${text}`.trim()),
  });
  draw();
}
