"use strict";
/* Turns the empty board, whose width is `far`; its letters and volcanoes stay upright. */
function otherSide(svg, far) {
  const written = [...svg.querySelectorAll(".coordinate text")];
  for (const kind of [/\d/, /\D/]) {
    const texts = written.filter((text) => kind.test(text.textContent));
    const said = texts.map((text) => text.textContent).reverse();
    texts.forEach((text, i) => (text.textContent = said[i]));
  }
  const smoke = svg.querySelectorAll(".smoke path");
  svg.querySelectorAll(".volcano path").forEach((volcano, i) => {
    const [x, y] = volcano.getAttribute("d").match(/\d+/g);
    const moved = `translate(${far - 2 * (Number(x) + 20)} ${far - 2 * (y - 17)})`;
    for (const part of [volcano, smoke[i]]) {
      if (part.hasAttribute("transform")) part.removeAttribute("transform");
      else part.setAttribute("transform", moved);
    }
  });
}
