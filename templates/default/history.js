"use strict";
/* The board as text, as it stood at a moment of the match. */
{
  const section = document.querySelector("section.history");
  const text = document.createElement("pre");
  section.querySelector(".past-board").append(text);
  lookBack(section, (moments, n) => {
    text.textContent = moments[n].dataset.changes;
  });
}
