"use strict";
// The bar: before the first turn one taps where a ship is to lie, and a ship to turn it; then one taps
// the squares of a salvo. A tap on a chosen square takes the shot back.
{
  const { data, template, words, extra, filled, spelled, write, next, begin, board, centre, drawn, rows } = composing;
  const size = rows.length;
  const name = (column, row) => rows[row][column];
  const shuffled = (things) => {
    const mixed = [...things];
    for (let last = mixed.length - 1; last > 0; last -= 1) {
      const [other] = crypto.getRandomValues(new Uint32Array(1));
      const at = other % (last + 1);
      [mixed[last], mixed[at]] = [mixed[at], mixed[last]];
    }
    return mixed;
  };

  // A salvo is a list of squares.
  const fired = new Set(data.fired);
  const salvo = {
    none: () => [],
    read: (line) => line.split(" ").slice(1),
    point: (shots, square) => {
      if (fired.has(square)) return shots;
      if (shots.includes(square)) return shots.filter((one) => one !== square);
      return [...shots, square].slice(-data.most);
    },
    done: (shots) => shots.length === data.most,
    begun: (shots) => shots.length > 0,
    lines: (shots) => [`SHOOT ${shots.join(" ")}`],
    told: (shots, done) => (done ? filled(words.salvo, { squares: shots.join(" ") }) : words.aim),
    missing: (shots) => `${shots.length} / ${data.most}`,
    options: () => [],
    drawing: (shots) => shots.flatMap((square) => {
      const [x, y] = centre(square);
      return [drawn("circle", { class: "shot", cx: x, cy: y, r: 14 }),
        drawn("path", { class: "shot", d: `M${x - 19} ${y}h38M${x} ${y - 19}v38` })];
    }),
    chosen: (shots) => shots,
  };

  // A fleet is a list of { ship, column, row, down }, in the order in which the ships were touched.
  const length = new Map(data.ships.map(([ship, squares]) => [ship, squares]));
  const title = new Map(data.ships.map(([ship, , told]) => [ship, told]));
  const covered = ({ ship, column, row, down }) => Array.from({ length: length.get(ship) },
    (_, n) => (down ? [column, row + n] : [column + n, row]));
  const isInside = (berth) => covered(berth).every(([column, row]) => column < size && row < size);
  const squares = (berth) => covered(berth).map(([column, row]) => name(column, row));
  const isFree = (berths, berth) => {
    if (!isInside(berth)) return false;
    const taken = new Set(berths.filter(({ ship }) => ship !== berth.ship).flatMap(squares));
    return squares(berth).every((square) => !taken.has(square));
  };
  const put = (berths, wanted) => {
    const found = wanted.find((berth) => isFree(berths, berth));
    return found ? [...berths.filter(({ ship }) => ship !== found.ship), found] : berths;
  };
  // Where a ship may lie with a square in it, first with its bow there.
  const around = (ship, column, row, ways) => ways.flatMap((down) =>
    Array.from({ length: length.get(ship) }, (_, n) => (down ? { ship, column, row: row - n, down }
      : { ship, column: column - n, row, down })).filter((berth) => berth.column >= 0 && berth.row >= 0));
  const missing = (berths) => data.ships.map(([ship]) => ship).filter((ship) => !berths.some((one) => one.ship === ship));
  const everywhere = (ship) => [true, false].flatMap((down) =>
    Array.from({ length: size * size }, (_, n) => ({ ship, column: n % size, row: Math.floor(n / size), down })));
  const fleet = {
    none: () => [],
    read: () => [],
    point: (berths, square) => {
      const row = rows.findIndex((names) => names.includes(square));
      const column = rows[row].indexOf(square);
      const hit = berths.find((berth) => squares(berth).includes(square));
      if (hit) return put(berths, around(hit.ship, hit.column, hit.row, [!hit.down]));
      const ship = missing(berths)[0] || berths.at(-1).ship;
      return put(berths, around(ship, column, row, [false, true]));
    },
    done: (berths) => !missing(berths).length,
    begun: (berths) => berths.length > 0,
    lines: (berths) => data.ships.map(([ship]) => berths.find((one) => one.ship === ship)).filter(Boolean)
      .map((berth) => `PLACE ${berth.ship} ${squares(berth)[0]} ${squares(berth).at(-1)}`),
    told: (berths, done) => {
      if (done) return words.placed;
      const [ship] = missing(berths);
      return filled(words.place, { ship: title.get(ship), n: length.get(ship) });
    },
    missing: (berths) => title.get(missing(berths)[0]),
    options: (berths) => [
      { text: words.shuffle, act: () => choose(data.ships.reduce((placed, [ship]) => put(placed, shuffled(everywhere(ship))), [])) },
      ...(berths.length ? [{ text: words.clear, act: () => choose([]) }] : []),
    ],
    drawing: (berths) => berths.map((berth) => {
      const [[left, top], [right, below]] = [squares(berth)[0], squares(berth).at(-1)].map(centre);
      return drawn("rect", { class: "ship", x: left - 16, y: top - 16, width: right - left + 32, height: below - top + 32, rx: 15 });
    }),
    chosen: (berths) => berths.flatMap(squares),
  };

  const way = data.ships.length ? fleet : salvo;
  const sent = data.sent.length ? way.read(data.sent[0]) : way.none();
  let made = way.none();
  let pointed = null;
  const show = () => {
    const [done, begun] = [way.done(made), way.begun(made)];
    const lines = [...(begun ? way.lines(made) : []), ...extra()];
    const why = done || (!begun && lines.length) ? "" : way.told(made, false);
    write(lines.length ? lines : template, why);
    next(way.told(made, done), why ? { text: way.missing(made), idle: true } : null, way.options(made));
    const chosen = new Set(way.chosen(made));
    pointed.layer.replaceChildren(...way.drawing(made));
    for (const [square, cell] of pointed.cells) cell.ariaSelected = chosen.has(square);
  };
  const choose = (now) => {
    made = now;
    show();
  };
  pointed = board(name(0, 0), { point: (square) => choose(way.point(made, square)), key: () => false });
  begin({
    show,
    kept: () => (way.begun(made) ? made : null),
    takeUp: (kept) => choose(kept || way.none()),
    sent: way.begun(sent) ? sent : null,
  });
}
