"use strict";
/* Turns the empty board, whose width is `far`; its letters and volcanoes stay upright. A text of
   its edge holds the places of its letters. */
function otherSide(svg, far) {
  for (const text of svg.querySelectorAll(".coordinate text"))
    for (const across of ["x", "y"])
      text.setAttribute(across, text.getAttribute(across).split(" ").reverse().join(" "));
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
