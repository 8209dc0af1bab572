"use strict";
// The bar of a game without a board to point at: the orders are written into the sheet.
{
  const { template, words, extra, write, next, begin } = composing;
  const area = document.querySelector(".place-sheet textarea");
  const open = () => {
    reveal(area);
    area.focus();
  };
  const show = () => {
    const lines = extra();
    write(lines.length ? lines : template, lines.length ? "" : words.first);
    next(words.first, lines.length ? null : { text: words.write, act: open });
  };
  begin({ show, kept: () => null, takeUp: show, sent: null });
}
