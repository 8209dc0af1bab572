"use strict";
// The bar of a seat that is not awaited: it sends what may be sent at any time.
{
  const { words, extra, write, next, begin } = composing;
  const show = () => {
    const lines = extra();
    write(lines, words.empty, !lines.length);
    next(lines.length ? words.chosen : words.first);
  };
  begin({ show, kept: () => null, takeUp: show, sent: null }); // nothing is kept but the boxes
}
