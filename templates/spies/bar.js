"use strict";
// Orders by one piece after another: a tap on the map is where it goes, chips change what it does
// there, and forms write what is rare. `orders` has for each piece what is written behind its code:
// steps of a spy, a city, a line of a tile, in English words; nothing where a spy stays or the rules
// choose the tile.
{
  const { data, words, bar, part, filled, made, drawn, spelled, say, next, write, begin, extra, template } = composing;
  const { pieces, setup, cities } = data;
  const { svg, spots, names, hooks } = map;
  const codes = Object.keys(cities);
  const letters = [...new Set(pieces.map(({ code }) => code[0]))];
  const tiles = setup ? [] : letters.map((power) => ({ code: power, kind: "tile", power }));
  const asked = [...pieces.filter(({ kind }) => setup || kind === "spy"), ...tiles]; // one after the other
  const all = [...asked, ...pieces.filter((piece) => !asked.includes(piece))];
  const orders = new Map();
  let auto = false; // in the set-up
  let lines = [];
  let now = asked.find((piece) => !piece.captured);
  let before = null; // as it was before the last tap

  const near = {}; // of each city and ship, where a step leads from it
  for (const [, one, other] of data.links.matchAll(/(...)(...)/g)) {
    (near[one] ??= []).push(other);
    (near[other] ??= []).push(one);
  }
  const trees = {}; // from a city, the place before each other place on the way there
  const route = (from, to) => {
    const tree = (trees[from] ??= new Map([[from, null]]));
    if (tree.size < 2)
      for (const place of tree.keys())
        for (const beyond of near[place]) if (!tree.has(beyond)) tree.set(beyond, place);
    const way = [to];
    while (way[0] !== from) way.unshift(tree.get(way[0]));
    return way;
  };
  const far = (from, to) => route(from, to).length - 1;

  // Plans of spies.
  const given = (piece) => orders.get(piece.code) || "";
  const isSpy = (piece) => !setup && piece.kind === "spy";
  const stepsOf = (piece) => given(piece).split(/\s*;\s*/).filter(Boolean);
  const isHome = (step) => /^GO (NEAR )?HOME/.test(step);
  const isFind = (step) => step.startsWith("DISCOVER");
  const startOf = (piece) => piece.city || piece.capital;
  const goalOf = (piece) => {
    const go = stepsOf(piece).findLast((step) => step.startsWith("GO") && !isHome(step)) || "";
    const [, city] = go.match(/GO (?:NEAR )?(\w+)/) || [];
    return city in cities ? city : startOf(piece);
  };
  const findsIn = (piece, city) => data.finds.filter(([code, where]) =>
    where === city && (code[0] === piece.code[0] || !letters.includes(code[0]))).map(([code]) => code);
  const chits = (piece) => data.pays[piece.code[0]] - pieces.filter((other) =>
    other !== piece && other.code[0] === piece.code[0] && stepsOf(other).some(isFind)).length;
  const go = (piece, city, spaces, goal = city) => `GO ${spaces > data.spaces ? "NEAR " : ""}${goal}`;
  const homeward = (piece, city) =>
    go(piece, city, far(startOf(piece), city) + far(city, piece.capital), "HOME");
  // The usual order: there, for the best of what lies there, and home.
  const usual = (piece, city) => {
    const spaces = far(startOf(piece), city);
    const isNear = spaces > data.spaces;
    const [best] = isNear || piece.load || chits(piece) < 1 ? []
      : findsIn(piece, city).filter((code) => !data.traps.includes(code));
    return [...(piece.captured ? ["ESCAPE"] : []), ...(spaces ? [go(piece, city, spaces)] : []),
      ...(best ? [`DISCOVER ${best}`] : []), ...(isNear || city === piece.capital ? [] : [homeward(piece, city)])];
  };

  // Places of pieces. A home city has room for so many of a kind; null where it is none.
  const cityOf = (piece) => given(piece).slice(0, 3) || piece.city;
  const guardOf = (piece) => (orders.has(piece.code) ? given(piece).slice(7) : piece.on);
  const room = (piece, city) => {
    const [most, owner] = cities[city];
    if (piece.kind === "spy") return true;
    if (!most || piece.code[0] !== owner) return null;
    const there = pieces.filter((other) => other !== piece && other.kind === piece.kind && cityOf(other) === city);
    return there.length < (piece.kind === "police" ? most : 2);
  };
  const dearest = (one, other) => (Number(other.worth) || 0) - (Number(one.worth) || 0);
  const guarded = (piece, city) => (setup
    ? pieces.filter((other) => other.kind === "secret" && cityOf(other) === city).sort(dearest).map(({ code }) => code)
    : Object.keys(data.lying).filter((code) => data.lying[code] === city)).filter((code) => code[0] === piece.code[0]);
  const open = (piece, city) => piece.kind === "police"
    && guarded(piece, city).find((code) => !pieces.some((other) => other !== piece && guardOf(other) === code));
  const put = (piece, city, on = open(piece, city)) => {
    auto = false;
    for (const other of pieces) // what was guarded may lie elsewhere now
      if (piece.kind === "secret" && guardOf(other) === piece.code && cityOf(other) !== city) orders.set(other.code, cityOf(other));
    orders.set(piece.code, city + (on ? ` ON ${on}` : ""));
  };
  const placeRest = () => {
    if (!orders.size) auto = true;
    // Secrets and spies come before police, which are put where something is left to be guarded.
    else for (const piece of pieces.filter(({ code }) => !orders.has(code)).sort((one, other) => (one.kind === "police") - (other.kind === "police")))
      put(piece, codes.filter((city) => room(piece, city)).map((city) => [city, Math.random()
        + (piece.kind === "spy" ? far(city, piece.capital) + 9 * Boolean(cities[city][1]) : -cities[city][0] - 9 * Boolean(open(piece, city)))])
        .reduce((best, one) => (one[1] < best[1] ? one : best))[0]);
    show();
  };

  const lineOf = (piece) => {
    const before = piece.kind === "tile" ? "" : isSpy(piece) ? `SPY ${piece.code}: ` : `${setup ? "" : "POLICE "}${piece.code} `;
    return given(piece) && before + given(piece);
  };
  const written = () => {
    const missing = setup && !auto ? pieces.map(({ code }) => code).filter((code) => !orders.has(code)) : [];
    const body = [...tiles, ...pieces].map(lineOf).filter(Boolean);
    const rest = template.filter((line) => line[0] === "#" || missing.includes(line.split(" ")[0]));
    const isAlone = missing.length === pieces.length && extra().length; // commands, without a set-up
    const head = auto ? ["SETUP AUTO"] : setup ? ["SETUP"] : [];
    write([...(isAlone ? [] : [...head, ...body, ...lines, ...rest]), ...extra()],
      missing.length && !isAlone ? filled(words.missing, { pieces: missing.join(", ") }) : "");
    return isAlone;
  };

  // What is said.
  const name = (city) => names.get(city);
  const short = ({ code, kind }) => (kind !== "secret" && letters.length === 1 ? code.slice(2) : code);
  const said = (key, piece, more) => filled(words[key], { piece: short(piece), worth: piece.worth, ...more });
  const isDone = ({ code }) => orders.has(code) || auto;
  const following = () => {
    const at = asked.indexOf(now) + 1;
    return [...asked.slice(at), ...asked.slice(0, at)].find((piece) => !isDone(piece));
  };
  const told = (piece) => stepsOf(piece).map((step, n) => {
    const [, isNear, city, more] = step.match(/^GO (NEAR )?(\w+)(.*)/) || [];
    if (step === "ESCAPE") return words.escapes;
    if (isFind(step)) return (n ? "" : `${filled(words.inCity, { city: name(startOf(piece)) })}, `) + filled(words.discovers, { secret: spelled(step.slice(9)) });
    if (isHome(step)) return isNear ? words.toward : words.home;
    if (!(city in cities)) return spelled(step);
    return `→ ${isNear ? filled(words.nearCity, { city: name(city) }) : name(city)}${more ? " …" : ""}`;
  }).join(", ");
  const whyNot = (piece) => {
    if (stepsOf(piece).some(isFind) || !findsIn(piece, goalOf(piece)).length) return "";
    return piece.load ? ` ${said("laden", piece, { secret: piece.load })}` : chits(piece) < 1 ? ` ${words.nochit}` : "";
  };
  const sentence = (piece) => {
    const text = given(piece);
    if (piece.kind === "tile") return text ? data.tiles.find(([, line]) => line === text)[4] : filled(words.tile, { tile: data.discards[piece.power] });
    if (isSpy(piece)) {
      if (text) return said("plan", piece, { plan: told(piece) }) + whyNot(piece);
      return said(piece.captured ? "caught" : isDone(piece) ? "staysIn" : "tap", piece, { city: piece.city && name(piece.city) });
    }
    const [city, on] = [cityOf(piece), guardOf(piece)];
    if (text) return said(on ? "guards" : "put", piece, { city: name(city), secret: on });
    return said(piece.kind === "spy" ? "placeSpy" : "place", piece);
  };
  const ready = () => {
    const idle = asked.filter((piece) => isSpy(piece) && !given(piece)).map(short);
    if (auto) return words.auto;
    return idle.length ? filled(idle.length > 1 ? words.allStay : words.oneStays, { spies: idle.join(", ") }) : sentence(now);
  };
  const set = (piece, text) => () => {
    if (text === null) orders.delete(piece.code);
    else orders.set(piece.code, text);
    show();
  };
  const optionsFor = (piece) => {
    const text = given(piece);
    const clear = text ? [{ text: words.clear, act: set(piece, null) }] : [];
    if (piece.kind === "tile") return data.tiles.filter(([power]) => power === piece.power)
      .map(([, line, tile, more]) => ({ text: tile, more, on: line === text, act: set(piece, line) }));
    if (!isSpy(piece)) {
      const [city, on] = [cityOf(piece), guardOf(piece)];
      const guards = city && piece.kind === "police" ? guarded(piece, city) : [];
      return [...guards.map((code) => ({ text: filled(words.on, { secret: code }), on: on === code,
        act: set(piece, on === code ? city : `${city} ON ${code}`) })), ...clear];
    }
    const steps = stepsOf(piece);
    if (piece.captured && steps.length < 2) return [{ text: words.escape, on: text, act: set(piece, text ? "" : "ESCAPE") }];
    if (!text) return [];
    const plain = steps.filter((step) => !isFind(step));
    const at = plain.length - isHome(plain.at(-1) || "");
    const finds = /GO NEAR (?!HOME)/.test(text) ? [] : findsIn(piece, goalOf(piece)).slice(0, 8).map((code) => {
      const on = steps.some((step) => isFind(step) && step.includes(code));
      return { text: code, on, label: filled(words.discovers, { secret: code }),
        act: set(piece, [...plain.slice(0, at), ...(on ? [] : [`DISCOVER ${code}`]), ...plain.slice(at)].join("; ")) };
    });
    const on = isHome(steps.at(-1));
    const home = goalOf(piece) === piece.capital ? [] : [{ text: words.homeChip, on,
      act: set(piece, (on ? steps.slice(0, -1) : [...steps, homeward(piece, goalOf(piece))]).join("; ")) }];
    return [...finds, ...home, ...clear];
  };
  const stepFor = (piece, rest) => {
    if (setup) return { text: orders.size ? words.rest : words.all, act: placeRest };
    if (isDone(piece) || !asked.includes(piece)) return { act: () => choose(rest), text: filled(words.next,
      { what: rest.kind === "tile" ? words.theTile : said("theSpy", rest) }) };
    return { text: piece.kind === "tile" ? words.noTile : said("stays", piece), idle: true, act: () => {
      orders.set(piece.code, "");
      choose(following() || piece);
    } };
  };

  const chips = new Map(all.map((piece) => {
    const head = piece.kind === "tile" ? [words.tileChip, ...(tiles.length > 1 ? [piece.power] : [])].join(" ")
      : short(piece) + (piece.worth ? `=${piece.worth}` : "");
    const chip = made("button", { class: `chip ${piece.kind}`, "data-piece": piece.code },
      made("span", {}, head), made("small", {}), made("span", { class: "plan" }));
    chip.onclick = () => choose(piece);
    return [piece, chip];
  }));
  const strip = bar.querySelector(".chips");
  strip.append(...chips.values());
  const state = (piece) => {
    const text = given(piece);
    if (piece.kind === "tile") return text.split(" ")[1] || (isDone(piece) ? "–" : words.choose);
    if (!isSpy(piece)) return cityOf(piece) || "…";
    if (!text) return piece.city || words.held;
    return goalOf(piece) === piece.city ? piece.city : `→ ${goalOf(piece)}`;
  };
  const choose = (piece) => {
    now = piece;
    if (piece.captured && piece.pays && !isDone(piece)) orders.set(piece.code, "ESCAPE");
    show();
    const chip = chips.get(piece); // its strip, never the page, is scrolled to it
    const at = chip.offsetLeft - strip.offsetLeft;
    if (at < strip.scrollLeft || at + chip.offsetWidth > strip.scrollLeft + strip.clientWidth) strip.scrollLeft = at - strip.clientWidth / 2;
  };

  // The cities are one stop for the Tab key: arrows lead from one to the nearest in their direction.
  const [under, over] = [drawn("g", { class: "composed" }), drawn("g", { class: "composed" })];
  svg.querySelector(".towns").before(under);
  svg.setAttribute("role", "group");
  map.frame.removeAttribute("tabindex");
  const towns = new Map(codes.map((city) => [city, drawn("rect", { "data-place": city, role: "button", tabindex: -1,
    fill: "transparent", x: spots[city][0] - 33, y: spots[city][1] - 16, width: 66, height: 32 })]));
  svg.append(over, ...towns.values());
  let cursor = pieces.find(({ capital }) => capital).capital;
  const focus = (city) => {
    towns.get(cursor).setAttribute("tabindex", -1);
    towns.get(city).setAttribute("tabindex", 0);
    cursor = city;
  };
  const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const beside = ([dx, dy]) => {
    const cost = (city) => {
      const [u, v] = spots[city].map((n, i) => n - spots[cursor][i]);
      const along = u * dx + v * dy;
      return along > 0 ? along + 2 * Math.abs(u * dy + v * dx) : 9999 * (city !== cursor);
    };
    const nearest = codes.filter((city) => city !== cursor).reduce((best, city) => (cost(city) < cost(best) ? city : best));
    return cost(nearest) < 9999 ? nearest : cursor;
  };
  svg.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (ways[event.key]) {
      focus(beside(ways[event.key]));
      towns.get(cursor).focus({ preventScroll: true });
    } else if (event.key === "Enter" || event.key === " ") point(cursor);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  focus(cursor);

  const draw = () => {
    const isTile = now.kind === "tile";
    const start = isTile ? "" : isSpy(now) ? startOf(now) : cityOf(now);
    const goal = !isTile && isSpy(now) ? goalOf(now) : start;
    const ring = (city) => {
      if (isTile || given(now) || city === start) return "";
      if (!isSpy(now)) return room(now, city) ? "back" : "";
      const there = far(start, city);
      return there > data.spaces ? "" : there + far(city, now.capital) > data.spaces ? "away" : "back";
    };
    const [width, height] = map.isFine() ? [58, 33] : [75, 41];
    const way = (kind, from, to) => drawn("path", { class: kind,
      d: `M${route(from, to).map((place) => (spots[place] || data.zones[place]).join(" ")).join("L")}` });
    under.replaceChildren(...(goal === start ? [] : [way("trip", start, goal)]),
      ...(isHome(stepsOf(now).at(-1) || "") ? [way("trip back", goal, now.capital)] : []));
    over.replaceChildren(...codes.flatMap((city) => {
      const reach = ring(city);
      const kinds = city === goal || city === start ? ["edge", "goalmark"] : reach ? [`ring ${reach}`] : [];
      towns.get(city).ariaLabel = [`${city} ${name(city)}`, ...(reach && isSpy(now) ? [words[reach]] : [])].join(", ");
      return kinds.map((kind) => drawn("rect", { class: kind, x: spots[city][0] - width / 2, y: spots[city][1] - height / 2, width, height, rx: 7 }));
    }));
  };
  const show = () => {
    const isAlone = written();
    for (const [piece, chip] of chips) {
      const [, small, plan] = chip.children;
      chip.ariaPressed = piece === now;
      chip.classList.toggle("done", isDone(piece));
      small.textContent = state(piece);
      plan.textContent = isSpy(piece) ? told(piece) : "";
    }
    const rest = isAlone ? null : following();
    if (asSent && !kept() && !extra().length) {
      next(filled(words.sentIn, { lines: data.sent.map(spelled).join("; ") }), { text: words.change, act: () => takeUp(asSent, now), idle: true });
    } else next(rest ? sentence(now) : ready(), rest ? stepFor(now, rest) : null, optionsFor(now));
    const field = part("plan");
    if (field) {
      field.disabled = !isSpy(now);
      field.value = isSpy(now) ? spelled(given(now)) : "";
      field.labels[0].firstChild.textContent = isSpy(now) ? said("planOf", now) : words.nobody;
      part("lines").value = lines.join("\n");
    }
    draw();
  };

  const point = (city) => {
    const idle = pieces.find((piece) => isSpy(piece) && piece !== now && piece.city === city && !isDone(piece));
    before = JSON.stringify([kept(), all.indexOf(now)]);
    if (now.kind === "tile" || (idle && isSpy(now) && isDone(now))) {
      if (idle) choose(idle);
      else say(words.nobody, true);
    } else if (isSpy(now)) set(now, usual(now, city).join("; "))();
    else if (room(now, city)) {
      put(now, city);
      choose((setup && following()) || now);
    } else say(said(room(now, city) === null ? "nothome" : "full", now, { city: name(city) }), true);
  };
  hooks.tapped = (city) => {
    focus(city);
    point(city);
  };
  hooks.undo = () => {
    const [draft, at] = JSON.parse(before);
    takeUp(draft, all[at]);
  };
  hooks.redrawn = draw;

  // The forms. In what they write, what stands in brackets falls away where its hole is empty.
  const choices = (list) => list.flatMap(([value, told]) => (value.includes("{n}") ? [2, 3, 4, 5] : [0])
    .map((n) => made("option", { value: filled(value, { n }) }, filled(told, { n }))));
  const secrets = data.options.secrets.map(([code, where]) => [code, code + where]);
  const offered = { ...data.options, secrets, cities: codes.map((city) => [city, `${city} ${name(city)}`]),
    finds: data.finds.map(([code, where]) => [code, `${code} ${where}`]),
    foreign: secrets.filter(([code]) => !letters.includes(code[0])),
    conditions: [...data.options.conditions, ...secrets.map(([code, secret]) => [code, filled(words.lies, { secret })])] };
  for (const select of document.querySelectorAll(".composer [data-options]")) select.append(...choices(offered[select.dataset.options]));
  for (const button of document.querySelectorAll(".composer fieldset button"))
    button.onclick = () => {
      const form = button.closest("fieldset");
      const values = Object.fromEntries([...form.querySelectorAll("select")].map(({ name: hole, value }) => [hole, value]));
      const text = filled((form.dataset.step || form.dataset.line)
        .replace(/\[(.*?\{(\w+)\}.*?)\]/g, (whole, inside, hole) => (values[hole] ? inside : "")), values);
      if (form.dataset.line) {
        lines = [...new Set(lines).add(spelled(text))];
        show();
      } else if (!isSpy(now)) say(words.nobody, true);
      else if (button.value) set(now, given(now).replace(/^(.*GO (?!(?:NEAR )?HOME)[^;]*)/, `$1,${text.slice(2)}`))();
      else set(now, [...stepsOf(now), text].join("; "))();
    };
  // What is written into the fields may be in the reader's own words.
  const english = new Map(Object.entries(data.spelling.words).map(([one, own]) => [own, one]));
  part("plan")?.addEventListener("change", ({ target }) => set(now, target.value.trim().toUpperCase()
    .replace(/[^\s;,:<>=]+/g, (word) => english.get(word) ?? word) || null)());
  part("lines")?.addEventListener("change", ({ target }) => {
    lines = target.value.split("\n").filter(Boolean);
    show();
  });

  // What was sent already, as a draft.
  const sent = new Map(setup ? [] : asked.map(({ code }) => [code, ""]));
  const others = [];
  for (const line of data.sent) {
    const [, code, text] = line.match(/^(?:SPY |POLICE )?([A-Z]-\w+):? (.+)/) || [];
    const [tile] = data.tiles.find((one) => one[1] === line) || [];
    if (code || tile) sent.set(code || tile, text || line);
    else if (!setup) others.push(spelled(line));
  }
  const asSent = data.sent.length ? { orders: [...sent], lines: others, auto: data.sent[0] === "SETUP AUTO" } : null;

  const kept = () => (orders.size || lines.length || auto ? { orders: [...orders], lines, auto } : null);
  const takeUp = (draft, piece = null) => {
    orders.clear();
    for (const [code, text] of (draft && draft.orders) || []) orders.set(code, text);
    ({ lines, auto } = { lines: [], auto: false, ...draft });
    choose(piece || following() || asked[0]);
  };
  begin({ show, kept, takeUp, sent: asSent });
}
