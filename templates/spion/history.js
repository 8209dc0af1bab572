"use strict";
/* The board of Spion at a moment of the match. It is the page's own drawing, in which pieces and
   cards are put where they were; so shapes and colours are those of the page. */
{
  const LOOK = { B: "blue", G: "green", Y: "yellow", R: "red" };
  const DASHES = { "~": "8 6", ":": "1 6" };

  /* What stood after the n-th moment, by what it is: the changes of all moments up to it. */
  function positions(moments) {
    const standing = new Map();
    return moments.map((moment) => {
      for (const change of changesOf(moment, ";")) {
        const [what, where] = change.split("=");
        if (!"+~:".includes(what[0])) standing.set(what, where);
      }
      return new Map(standing);
    });
  }

  function board(section) {
    const titles = JSON.parse(section.dataset.titles);
    const svg = document.querySelector(".place-board svg.board").cloneNode(true);
    svg.querySelectorAll("title, desc, defs, .goal, .sent, .way, .composed, .embassy .card, .embassy .type")
      .forEach((part) => part.remove());
    svg.removeAttribute("aria-labelledby");
    svg.ariaLabel = section.querySelector("h2").textContent;
    const holders = document.createElement("ul");
    holders.className = "holders";
    section.querySelector(".past-board").append(svg);
    section.querySelector(".replay").append(holders);

    function part(name, attributes, text = "") {
      const made = document.createElementNS(svg.namespaceURI, name);
      for (const key in attributes) made.setAttribute(key, attributes[key]);
      made.textContent = text;
      return made;
    }
    const ways = part("g", {});
    svg.querySelector(".piece").parentNode.before(ways);
    const cards = part("g", {});
    ways.before(cards);

    const pieces = new Map();
    for (const letter in LOOK)
      for (const piece of svg.querySelectorAll(".piece." + LOOK[letter]))
        pieces.set(piece.querySelector("circle") ? letter : letter.toLowerCase(), piece);
    const embassies = new Map([...svg.querySelectorAll(".embassy")].map((embassy) =>
      [embassy.querySelector(".house").dataset.place, embassy]));

    const stood = new Map();

    function put(piece, where, moves) {
      const [x, y, scale = 1] = where.split(",").map(Number);
      piece.setAttribute("transform", `translate(${x} ${y})` + (scale < 1 ? ` scale(${scale})` : ""));
      const [oldX, oldY] = stood.get(piece) || [x, y];
      stood.set(piece, [x, y]);
      if (!moves || (x === oldX && y === oldY)) return;
      for (const part of piece.children) slide(part, (oldX - x) / scale, (oldY - y) / scale);
    }

    /* A closed card lies left of the spies that are in the embassy, as the board of the page has it. */
    function lay(embassy, card, spies = []) {
      embassy.classList.toggle("filled", Boolean(card));
      if (!card) return [];
      const name = embassy.querySelector("text");
      const [x, y] = [Number(name.getAttribute("x")), Number(name.getAttribute("y")) + 1];
      if (card === "?") {
        const many = 1 + spies.filter((spy) => Math.abs(spy[0] - x) < 22 && Math.abs(spy[1] - y) < 22).length;
        return [part("use", { class: "card", href: "#card", x: x - (Math.min(19, 38 / many) * (many - 1)) / 2, y: y + 9 })];
      }
      return [part("rect", { class: "card", fill: "#fff4d6", rx: 2, x: x - 19, width: 38, y: y + 2, height: 14 }),
        part("text", { fill: "#2b2206", "font-size": Math.min(10.5, 60 / card.length), "font-weight": 700, x, y: y + 13 }, card)];
    }

    function way(change) {
      const [what, points] = change.split("=");
      const piece = pieces.get(what[1]);
      const [x, y] = points.split(" ").at(-1).split(",");
      const made = part("g", { stroke: piece.getAttribute("fill"), class: "way " + LOOK[what[1]] });
      made.append(part("polyline", { points, "stroke-dasharray": DASHES[what[0]] || "none" }), part("circle", { cx: x, cy: y, r: 3 }));
      return made;
    }

    function holder(letter, held) {
      const [row, sign, shown] = ["li", "span", "code"].map((name) => document.createElement(name));
      sign.className = "sign " + LOOK[letter];
      sign.textContent = letter;
      sign.ariaHidden = true;
      shown.textContent = held.includes(",") ? held.split(",").map((card) => card || "-").join(" ") : held;
      row.append(sign, ` ${titles[LOOK[letter]]} `, shown);
      return row;
    }

    return (standing, moment, moves) => {
      const rows = [];
      const laid = [];
      const spies = Object.keys(LOOK).filter((spy) => standing.has(spy))
        .map((spy) => standing.get(spy).split(",").map(Number));
      for (const [what, where] of standing) {
        if (what[0] === "#") rows.push(holder(what[1], where));
        else if (what[0] === "@") laid.push(...lay(embassies.get(what.slice(1)), where, spies));
        else put(pieces.get(what), where, moves);
      }
      for (const [code, embassy] of embassies) if (!standing.has("@" + code)) lay(embassy, "");
      cards.replaceChildren(...laid);
      holders.replaceChildren(...rows);
      ways.replaceChildren(...changesOf(moment, ";").filter((change) => "+~:".includes(change[0])).map(way));
    };
  }

  const section = document.querySelector("section.history");
  const draw = board(section);
  let standing;
  lookBack(section, (moments, n, moves) => {
    standing = standing || positions(moments);
    draw(standing[n], moments[n], moves);
  });
}
