"use strict";
// Marks of the reader's own on enemy pieces that he does not know (rule 9.1): a letter or a few
// words, chosen beside what the report tells of the piece. They go into the sheet as MARK lines.
{
  const { data, made, drawn, centre, filled, panel, invite, again } = composing;
  const { marked, words } = JSON.parse(document.getElementById("marks-data").textContent);
  const open = new Set(data.pieces.filter(([, own, letter]) => !own && letter === "?").map(([at]) => at));
  // What fights told of a piece stands on the page already.
  const told = (square) => {
    const line = [...document.querySelectorAll(".told li")].find((one) => one.firstChild.textContent === square);
    return line ? line.textContent : filled(data.words.unknown, { square });
  };
  data.spelling.free.push(words.mark); // what stands behind it is the reader's own
  const tags = drawn("g", { class: "marks" });
  document.querySelector(".place-board .board").append(tags);
  for (const tag of document.querySelectorAll(".place-board .tags")) tag.remove();
  let changed = {};
  let at = null;
  const mark = (square) => changed[square] ?? marked[square] ?? "";

  const sign = made("input", { maxlength: 12, size: 12, autocomplete: "off", spellcheck: "false" });
  const heading = made("p", {});
  const letters = made("span", { class: "tools" });
  const off = made("button", { type: "button" }, words.unmark);
  const box = made("div", { class: "marking", role: "group" }, heading, letters,
    made("label", {}, `${words.write} `, sign), " ", off);
  box.hidden = true;
  panel.append(box);

  const draw = () => tags.replaceChildren(...[...open].filter(mark).map((square) => {
    const [x, y] = centre(square);
    const text = mark(square);
    return drawn("text", { x, y: y + 22 }, text.length > 6 ? `${text.slice(0, 5)}…` : text);
  }));
  const put = (text) => {
    if (text === (marked[at] ?? "")) delete changed[at];
    else changed[at] = text;
    sign.value = text;
    draw();
    again();
  };
  sign.addEventListener("input", () => put(sign.value.trim()));
  off.addEventListener("click", () => put(""));
  const ask = (square) => {
    at = square;
    heading.textContent = told(square);
    box.setAttribute("aria-label", told(square));
    letters.replaceChildren(...[...(data.could[square] || Object.keys(data.ranks).join(""))].map((letter) => {
      const button = made("button", { type: "button", "aria-label": data.ranks[letter] }, letter);
      button.addEventListener("click", () => put(letter));
      return button;
    }));
    sign.value = mark(square);
    box.hidden = false;
    letters.firstChild.focus({ preventScroll: true });
  };

  invite("marks", {
    tapped: (square) => {
      if (open.has(square)) ask(square);
      return open.has(square);
    },
    lines: () => Object.entries(changed).map(([square, text]) => `${words.mark} ${square} ${text}`.trim()),
    kept: () => (Object.keys(changed).length ? changed : null),
    takeUp: (kept) => {
      changed = { ...kept };
      box.hidden = true;
      draw();
    },
  });
  draw();
}
