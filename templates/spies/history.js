"use strict";
/* The map of Spies at a moment of the match: the page's own drawing, in which pieces are put where
   they were. */
{
  const LOOK = { G: "#4a4a4a", I: "#00714f", R: "#b8400a", F: "#0a5fa8", B: "#8a3a7d" };
  const POWERS = { G: "germany", I: "italy", R: "russia", F: "france", B: "britain" };
  const INK = "#26241f";

  /* What stood after the n-th moment: the changes of all moments up to it. */
  function positions(moments) {
    const standing = new Map();
    return moments.map((moment) => {
      for (const change of changesOf(moment, ";")) {
        if (change[0] === ">") continue;
        const [what, where] = change.split("=");
        for (const one of what.split(",")) {
          if (where) standing.set(one, where);
          else standing.delete(one);
        }
      }
      return new Map(standing);
    });
  }

  function map(section) {
    const svg = document.querySelector(".place-board svg.board").cloneNode(true);
    const places = new Map([...svg.querySelectorAll(".label text")].map((town) =>
      [town.textContent, [Number(town.getAttribute("x")), Number(town.getAttribute("y")) - 6]]));
    svg.querySelectorAll("title, desc, defs, .ways path, .pieces, .composed, [role]").forEach((part) => part.remove());
    svg.querySelectorAll("[id]").forEach((part) => part.removeAttribute("id"));
    svg.removeAttribute("aria-labelledby");
    svg.setAttribute("role", "img");
    svg.ariaLabel = section.querySelector("h2").textContent;
    section.querySelector(".past-board").append(svg);

    function part(name, attributes, text = "") {
      const made = document.createElementNS(svg.namespaceURI, name);
      for (const key in attributes) made.setAttribute(key, attributes[key]);
      made.textContent = text;
      return made;
    }
    const ways = svg.querySelector(".ways");
    const pieces = part("g", { "font-weight": 700 });
    svg.append(pieces);

    function piece([what, load], x, y) {
      const colour = LOOK[what[0]] || INK;
      const look = (kind, fill, stroke) => part("use", { href: `#${kind}`, fill, stroke, "stroke-width": 2.2, x, y });
      if (what[0] === "@") return [look("badge", "#fff", INK), part("text", { fill: INK, "font-size": 16, x, y: y + 6 }, load)];
      const isSpy = /[A-E]$/.test(what);
      const shape = isSpy ? look("spy", colour, "#fff") : look("paper", "#fff7d1", colour);
      const name = part("text", { fill: isSpy ? "#fff" : INK, "font-size": 16, x, y: y + (isSpy ? 10 : 6) }, what.replace("-", ""));
      const carried = load ? [part("rect", { fill: "#fff7d1", stroke: INK, x: x - 13, y: y + 17, width: 26, height: 15 }),
        part("text", { fill: INK, "font-size": 14.5, x, y: y + 30 }, load)] : [];
      return [shape, name, ...carried];
    }

    let stood = new Map();

    return (standing, moment, moves) => {
      const now = new Map();
      const there = new Map();
      for (const [what, where] of standing) {
        const [city, load] = what[0] === "@" ? [what.slice(1), where] : where.split("+");
        there.set(city, [...(there.get(city) || []), [what, load]]);
      }
      const order = ([what]) => (what[0] === "@" ? 0 : /\d$/.test(what) ? 1 : 2);
      pieces.replaceChildren(...[...there].flatMap(([city, all]) => {
        const [x, y] = places.get(city);
        const sorted = all.sort((one, other) => order(one) - order(other));
        return sorted.flatMap((one, n) => {
          const row = Math.floor(n / 3);
          const wide = Math.min(3, sorted.length - 3 * row);
          const place = [x + 30 * ((n % 3) - (wide - 1) / 2), y + 28 + 33 * row];
          const [oldX, oldY] = stood.get(one[0]) || place;
          now.set(one[0], place);
          const parts = piece(one, ...place);
          if (moves && (oldX !== place[0] || oldY !== place[1]))
            for (const moved of parts) slide(moved, oldX - place[0], oldY - place[1]);
          return parts;
        });
      }));
      stood = now;
      const gone = changesOf(moment, ";").filter((change) => change[0] === ">");
      const isOnly = new Set(gone.map((change) => change[1])).size === 1;
      ways.replaceChildren(...gone.map((change) => {
        const [who, from, to] = change.slice(1).split(" ");
        const [[x, y], [u, v]] = [places.get(from), places.get(to)];
        const [a, b] = [(x + u) / 2 - (v - y) / 7, (y + v) / 2 + (u - x) / 7];
        const short = Math.min(1, 26 / Math.abs(u - a), 14 / Math.abs(v - b)); // where its plate begins
        const d = `M${x} ${y}Q${a} ${b} ${u - short * (u - a)} ${v - short * (v - b)}`;
        return part("path", { class: isOnly ? "only" : POWERS[who], stroke: LOOK[who], "marker-end": `url(#tip-${POWERS[who]})`, d });
      }));
    };
  }

  const section = document.querySelector("section.history");
  const draw = map(section);
  let standing;
  lookBack(section, (moments, n, moves) => {
    standing = standing || positions(moments);
    draw(standing[n], moments[n], moves);
  });
}
