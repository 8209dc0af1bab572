"use strict";
/* The map of Spies at a moment of the match: the page's own drawing, in which pieces are put where
   they were. */
{
  const LOOK = { G: "#4a4a4a", I: "#00714f", R: "#b8400a", F: "#0a5fa8", B: "#8a3a7d" };
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
    svg.removeAttribute("aria-labelledby");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", section.querySelector("h2").textContent);
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
      if (what[0] === "@")
        return [part("rect", { fill: "#fff", stroke: INK, "stroke-width": 2.5, x: x - 12, y: y - 12, width: 24, height: 24 }),
          part("text", { fill: INK, "font-size": 19, x, y: y + 7 }, load)];
      const isSpy = /[A-E]$/.test(what);
      const shape = isSpy
        ? part("circle", { fill: colour, stroke: "#fff", cx: x, cy: y, r: 13.5 })
        : part("path", { fill: "#fff7d1", stroke: colour, "stroke-width": 1.8, d: `M${x - 13} ${y - 13}h20l6 6v20h-26z` });
      const name = part("text", { fill: isSpy ? "#fff" : INK, "font-size": 16, x, y: y + 5.5 }, what.replace("-", ""));
      const carried = load ? [part("rect", { fill: "#fff7d1", stroke: INK, x: x - 12, y: y + 13, width: 24, height: 13 }),
        part("text", { fill: INK, "font-size": 13, x, y: y + 24 }, load)] : [];
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
          const place = [x + 29 * ((n % 3) - (wide - 1) / 2), y + 27 + 29 * row];
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
      ways.replaceChildren(...gone.map((change) => {
        const [who, from, to] = change.slice(1).split(" ");
        const [[x, y], [u, v]] = [places.get(from), places.get(to)];
        return part("path", { stroke: LOOK[who], d: `M${x} ${y}Q${(x + u) / 2 - (v - y) / 7} ${(y + v) / 2 + (u - x) / 7} ${u} ${v}` });
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
