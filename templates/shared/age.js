"use strict";
/* Says how old the page is, and how long it is until the deadline, by the reader's clock and in the
   words of the page's language: in the line of head from a day before it. The times themselves stand
   in the page. */
{
  const told = document.querySelector(".age");
  const { made, due, old, late, left } = told.dataset;
  const head = document.querySelector(".due[data-due]");

  /* A time in at most so many units, the largest first. */
  function time(length, units) {
    const minutes = Math.floor(length / 60_000);
    const counted = [[Math.floor(minutes / 1440), "day"], [Math.floor(minutes / 60) % 24, "hour"], [minutes % 60, "minute"]];
    const first = Math.max(0, counted.findIndex(([n]) => n));
    const said = minutes ? counted.slice(first, first + units).filter(([n]) => n) : counted.slice(2);
    return said.map(([n, unit]) =>
      new Intl.NumberFormat(document.documentElement.lang, { style: "unit", unit, unitDisplay: "long" }).format(n)).join(" ");
  }

  function say() {
    const age = Date.now() - Date.parse(made);
    const rest = Date.parse(due) - Date.now();
    const passed = rest < 0;
    const said = passed || age >= 3_600_000 ? [(passed ? late : old).replace("{time}", time(Math.max(age, 0), 1))] : [];
    if (rest >= 0) said.push(left.replace("{time}", time(rest, 2)));
    told.textContent = said.join(" ");
    told.classList.toggle("late", passed);
    told.hidden = !said.length;
    if (!head || rest >= 86_400_000) return;
    const hours = Math.floor(rest / 3_600_000);
    head.textContent = passed ? head.dataset.late
      : head.dataset[hours ? "hours" : "minutes"].replace("{n}", hours || Math.floor(rest / 60_000));
    head.classList.add("soon");
  }

  say();
  setInterval(say, 20_000);
}
