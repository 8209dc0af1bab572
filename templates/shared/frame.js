"use strict";
/* A link to a row opens it, in browsers, too, that do not do so by themselves, and paper has all rows
   open. `reveal` shows what lies in a row. */
function reveal(what, block = "nearest") {
  for (let one = what.closest("details"); one; one = one.parentElement.closest("details")) one.open = true;
  what.scrollIntoView({ block });
}
{
  const follow = () => {
    const row = document.getElementById(location.hash.slice(1));
    if (row && row.matches(".in")) reveal(row, "start");
  };
  addEventListener("hashchange", follow);
  for (const link of document.querySelectorAll("a[href^='#']")) link.addEventListener("click", () => setTimeout(follow));
  addEventListener("beforeprint", () => {
    for (const row of document.querySelectorAll(".rest > details, .rest > section > details")) row.open = true;
  });
  follow();
}
