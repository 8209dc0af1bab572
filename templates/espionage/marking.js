"use strict";
// Marks an enemy piece of unknown rank that is chosen (rule 9.1), with the letter of a rank, on the
// page of a letter; there is no room for marks.js, which tells more of a piece. Marks go into the
// sheet as MARK lines.
{
  const { data, made, drawn, centre, part, say, filled, invite, again } = composing;
  const { marked, words } = JSON.parse(document.getElementById("marks-data").textContent);
  const open = piecesOf(data).filter(([, { letter }]) => letter === "?").map(([at]) => at);
  const changed = new Map();
  const mark = (square) => changed.get(square) ?? marked[square] ?? "";
  data.spelling.free.push(words.mark); // what stands behind it is the reader's own

  const tags = drawn("g", { class: "marks" });
  const box = made("p", { class: "tools", role: "group" });
  box.hidden = true;
  part("marking").append(box);
  for (const tag of document.querySelectorAll(".place-board .tags")) tag.remove();
  document.querySelector(".place-board .board").append(tags);

  const draw = () =>
    tags.replaceChildren(...open.filter(mark).map((square) => {
      const [x, y] = centre(square);
      const text = mark(square);
      return drawn("text", { x, y: y + 22 }, text.length > 6 ? `${text.slice(0, 5)}…` : text);
    }));
  const put = (square, text) => {
    if (text === (marked[square] ?? "")) changed.delete(square);
    else changed.set(square, text);
    draw();
    again();
  };
  const ask = (square) => {
    const shown = box.ariaLabel === square && !box.hidden;
    box.hidden = shown;
    box.ariaLabel = square;
    box.replaceChildren(made("b", {}, square), ...[...(data.could[square] || Object.keys(data.ranks)), ""].map((letter) => {
      const told = letter ? { "aria-label": data.ranks[letter] } : {};
      const button = made("button", { ...told }, letter || words.unmark);
      button.onclick = () => put(square, letter);
      return button;
    }));
    const to = part("mark");
    to.hidden = shown;
    to.textContent = filled(words.look, { square });
    to.onclick = () => {
      reveal(box);
      box.querySelector("button").focus({ preventScroll: true });
    };
    return shown ? again() : say(document.querySelector(`[data-square=${square}]`).title);
  };

  invite("marks", {
    tapped: (square) => {
      if (open.includes(square)) ask(square);
      return open.includes(square);
    },
    lines: () => [...changed].map(([square, text]) => `${words.mark} ${square} ${text}`.trim()),
    kept: () => (changed.size ? [...changed] : null),
    takeUp: (draft) => {
      changed.clear();
      for (const [square, text] of draft || []) changed.set(square, text);
      draw();
    },
  });
  draw();
}
