"use strict";
// A piece of the reader's as HTML has it: what is drawn for its rank, and its letter.
function rankSign(letter, look) {
  const { made, drawn } = composing;
  const picture = drawn("svg", { viewBox: "-9 -10 18 20" }, drawn("use", { href: `#rank-${letter}` }));
  return made("span", { class: `sign drawn own ${look}`, "aria-hidden": true }, picture, letter);
}
