"use strict";
/* The board of Espionage at a moment of the match. It is the page's own drawing, emptied and
   filled again, so that shapes and colours are those of the page. */
{
  const CELL = 48;
  const MARGIN = 26;
  const PLACE = /^([a-j])(\d+)(?:([wb])(.)(m?)(k?)(\d*))?$/;
  const LOOK = { w: "white", b: "black" };

  /* The steps of a moment, as it tells them. */
  function stepsOf(moment) {
    return [...moment.querySelectorAll("i")].flatMap((steps) =>
      steps.textContent.split(" ").map((step) => {
        const [from, to] = step.split(/[-\u2011]/);
        return { outcome: steps.className || "moved", from, to };
      }));
  }

  /* What stands on each square after the n-th moment: the steps of all moments up to it bring
     pieces there, and what they do not tell are changes. */
  function positions(moments) {
    const squares = new Map();
    return moments.map((moment) => {
      for (const { outcome, from, to } of stepsOf(moment)) {
        const piece = squares.get(from);
        squares.delete(from);
        if (piece && outcome !== "lost") squares.set(to, { ...piece, moved: true });
      }
      for (const change of changesOf(moment, " ")) {
        const [, file, rank, side, letter, moved, known, since] = PLACE.exec(change);
        if (side) {
          const seen = { side: LOOK[side], letter, moved: !!moved, ring: !!(known || since), since };
          squares.set(file + rank, seen);
        } else {
          squares.delete(file + rank);
        }
      }
      return new Map(squares);
    });
  }

  function board(section) {
    const svg = document.querySelector(".place-board svg.board").cloneNode(true);
    const own = section.dataset.below;
    const size = Number(section.dataset.size);
    let turned = own === "black";
    svg.querySelectorAll("title, desc, defs, .home, .barred, .tags").forEach((part) => part.remove());
    svg.removeAttribute("aria-labelledby");
    svg.ariaLabel = section.querySelector("h2").textContent;
    section.querySelector(".past-board").append(svg);

    function part(name, attributes, text) {
      const made = document.createElementNS(svg.namespaceURI, name);
      for (const key in attributes) made.setAttribute(key, attributes[key]);
      if (text) made.textContent = text;
      return made;
    }

    function place(square) {
      let column = square.charCodeAt(0) - 97;
      let row = size - Number(square.slice(1));
      if (turned) [column, row] = [size - 1 - column, size - 1 - row];
      return [MARGIN + CELL * column + CELL / 2, MARGIN + CELL * row + CELL / 2];
    }

    function outline(mine, x, y, far, corner, style) {
      return mine
        ? part("rect", { x: x - far, y: y - far, width: 2 * far, height: 2 * far, rx: corner, ...style })
        : part("circle", { cx: x, cy: y, r: far, ...style });
    }

    function since(piece) {
      return section.dataset.since.replace("{turn}", piece.since);
    }

    function drawPieces(side, standing) {
      const mine = side === own;
      const shapes = [];
      const letters = [];
      const parts = new Map();
      let dashes = "";
      for (const [square, piece] of standing) {
        if (piece.side !== side) continue;
        const [x, y] = place(square);
        const unknown = piece.letter === "?";
        const shape = [outline(mine, x, y, 18, 5)];
        const aside = unknown ? x : x + 9;
        const look = unknown ? { class: "unknown", "font-weight": 400 } : { "font-size": 16 };
        const sign = [part("text", { x: aside, y: y + 7, ...look }, piece.letter)];
        if (!unknown) sign.push(part("use", { href: `#rank-${piece.letter}`, x: x - 8, y }));
        if (piece.since) [...shape, ...sign].forEach((one) => one.append(part("title", {}, since(piece))));
        if (piece.ring) shape.push(outline(mine, x, y, 15.5, 3.5, { class: "ring", fill: "none" }));
        letters.push(...sign);
        shapes.push(...shape);
        parts.set(square, [...shape, ...sign]);
        if (piece.moved) dashes += `M${aside - 4} ${y + 11.5}h8`;
      }
      svg.querySelector(".piece." + side).replaceChildren(...shapes);
      svg.querySelector(".letter." + side).replaceChildren(...letters);
      svg.querySelector(".moved." + side).setAttribute("d", dashes);
      return parts;
    }

    function arrow(side, outcome, [x, y], [toX, toY]) {
      const whose = side === own ? "mine" : "theirs";
      const long = (CELL - 21) / CELL;
      const made = part("g", { class: whose });
      made.append(
        outcome === "lost"
          ? part("path", { d: `M${x - 6} ${y - 6}l12 12m0-12l-12 12` })
          : part("circle", { cx: x, cy: y, r: 4.5, "stroke-width": 2.5 }),
        part("path", {
          d: `M${x} ${y}L${x + (toX - x) * long} ${y + (toY - y) * long}`,
          "marker-end": `url(#tip-${whose})`,
          ...(whose === "theirs" && { "stroke-dasharray": "1 6" }),
        }),
      );
      return made;
    }

    function star([x, y]) {
      const corners = Array.from({ length: 20 }, (_, i) => {
        const far = i % 2 ? 25 : 18.5;
        const turn = (Math.PI * i) / 10;
        return `${(x + far * Math.sin(turn)).toFixed(1)},${(y + far * Math.cos(turn)).toFixed(1)}`;
      });
      return part("polygon", { points: corners.join(" ") });
    }

    function turn() {
      turned = !turned;
      otherSide(svg, 2 * MARGIN + CELL * size);
      return turned !== (own === "black");
    }

    function draw(standing, moment, side, moves) {
      const steps = stepsOf(moment).map(({ outcome, from, to }) =>
        ({ outcome, to, start: place(from), target: place(to) }));
      const parts = new Map(["white", "black"].flatMap((one) => [...drawPieces(one, standing)]));
      steps.forEach(({ outcome, to, start, target }, i) => {
        for (const part of (moves && outcome !== "lost" && parts.get(to)) || []) {
          slide(part, start[0] - target[0], start[1] - target[1], 300 * i);
        }
      });
      const fights = steps.filter((step) => step.outcome !== "moved");
      svg.querySelector(".fight").replaceChildren(...fights.map((step) => star(step.target)));
      svg.querySelector(".arrows").replaceChildren(
        ...steps.map((step) => arrow(side, step.outcome, step.start, step.target)),
      );
    }
    return { draw, turn };
  }

  const section = document.querySelector("section.history");
  const { draw, turn } = board(section);
  const sides = [...section.querySelectorAll(".moments > li")].map((moment) => moment.id.split("-")[2]);
  let standing;
  lookBack(section, (moments, n, moves) => {
    standing = standing || positions(moments);
    draw(standing[n], moments[n], sides[n], moves);
  }, turn);
}
