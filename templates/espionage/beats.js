"use strict";
/* Answers who wins a fight between an attacker and a target that the reader chooses. What it knows
   is the page's own table (rule 3.2), a row for each rank: its sign and name, what it takes. */
{
  const box = document.querySelector(".beats");
  const rows = [...box.querySelectorAll("tbody tr")].map((row) =>
    [...row.children].map((cell) => cell.textContent));
  const sign = ([name]) => name[0];
  const fighting = rows.filter(([, taken]) => taken.includes(" "));
  const answer = document.createElement("p");
  answer.ariaLive = "polite";

  const [attacker, target] = box.dataset.asked.split("|").map((asked, i) => {
    const label = document.createElement("label");
    const select = document.createElement("select");
    const choices = i ? [...rows.map(([name]) => name), "?"] : fighting.map(([name]) => name);
    select.append(...choices.map((name) => new Option(name, name[0])));
    select.addEventListener("change", tell);
    label.append(asked + " ", select);
    box.querySelector("p").before(label, " ");
    return select;
  });

  function tell() {
    const [, taken] = fighting.find((row) => sign(row) === attacker.value);
    const lost = rows.map(sign).filter((one) => !taken.includes(one));
    answer.textContent =
      target.value === "?"
        ? box.dataset.unknown.replace("{won}", taken).replace("{lost}", lost.join(" "))
        : taken.includes(target.value) ? box.dataset.won : box.dataset.lost;
  }

  box.querySelector("p").before(answer);
  tell();
}
