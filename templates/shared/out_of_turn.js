"use strict";
// A sheet of a seat that is not awaited: what may be sent at any time.
{
  const { data, order, write, begin, extra, say } = composing;
  const [empty, textarea] = [data.words.empty, document.querySelector(".out-of-turn textarea")];
  const kept = () => null; // but the boxes
  const show = () => {
    const lines = extra();
    const missing = lines.length ? "" : empty;
    write(lines, missing);
    say("");
  };
  textarea.before(order);
  begin({ show, kept, takeUp: show, sent: null });
}
