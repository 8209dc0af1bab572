"use strict";
/* Checks what the last page of a match promises, and letters that are given to it against it: heads,
   commitments, receipts and the links of public dice. Only `adjud audit` plays the match again by the
   rules and compares what letters tell. A paper is the page or a letter: a text with titles, digests
   below them, and commands that print the digests, or the value of an email as JSON, which is attached
   to it and stands in its page. The first paper is the page. */
{
  const section = document.querySelector(".check");
  const words = section.dataset;
  const asked = section.querySelector(".asked");
  const found = section.querySelector(".found");
  const input = section.querySelector("input");
  const log = document.getElementById("log");
  const subtle = globalThis.crypto?.subtle;
  const utf8 = new TextEncoder();
  const files = [];

  const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const bytes = (digits) => Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  const digest = async (content) => hex(await subtle.digest("SHA-256", content));
  const sha256 = (text) => digest(utf8.encode(text));
  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

  /* What a command hashes that stands behind a digest; nothing if there is none. */
  function opened(text) {
    const command = text.match(/\n[ \t]*(\(?)printf '%s' [^]*?sha256sum/);
    if (!command) return;
    const pieces = [...command[0].matchAll(/'((?:[^'\n]|'\\'')*)'/g)].map(([, piece]) => piece.replaceAll("'\\''", "'"));
    const said = pieces.filter((piece) => piece !== "%s");
    if (!command[0].includes("xxd")) return utf8.encode(said.join(""));
    const before = utf8.encode(command[1] && said.shift());
    return Uint8Array.from([...before, ...bytes(said.join(""))]);
  }

  function paper(name, text) {
    const titles = [...text.matchAll(/^[ \t]*(\S[^\n]{1,120}?):?[ \t]*\n\s*([0-9a-f]{64})[ \t]*$/gm)];
    const epoch = text.match(/^epo\w+: ([a-z]+)$/im)?.[1];
    const made = { name, promises: [], heads: [], match: "", epoch };
    titles.forEach((title, n) => {
      const [whole, what, told] = title;
      const head = what.match(/^Logg? \S+ ([a-z][a-z0-9-]*), \S+ (\d+)$/);
      const rest = text.slice(title.index + whole.length, titles[n + 1]?.index);
      const link = rest.match(/^\s*\n +[^\s:]+: ([0-9a-f]{64})[ \t]*(?:\n|$)/);
      if (head) made.heads.push({ what, ply: Number(head[2]), told, match: head[1] });
      else if (!/ADJUD[123]\|/.test(what)) made.promises.push({ what, told, opened: link ? bytes(link[1]) : opened(rest) });
    });
    made.head = made.heads.at(-1);
    made.short = [...text.matchAll(/\b(\d+),\s+((?:[0-9a-f]{4}-){4}[0-9a-f]{4})\b/g)].map(([, ply, told]) => ({ ply: Number(ply), told }));
    const receipts = text.matchAll(/(ADJUD[123]\|([a-z][a-z0-9-]*)\|([a-z]+)\|(\d+)\|(\d+)\|(kept\|)?)[^\n:]{0,40}(?:\n\|[^\n:]{0,40})?:[\s|]*([0-9a-f]{64})/g);
    made.receipts = [...receipts].map(([, what, match, seat, turn, revision, kept, told]) =>
      ({ what, match, seat, turn: Number(turn), revision: Number(revision), kept, told, paper: made }));
    const said = text.matchAll(/(ADJUD[23]\|([a-z][a-z0-9-]*)\|([a-z]+)\|\d+\|(RESIGN|DRAW|CLEAR)\|([0-9TZ:-]{20})):[\s|]*([0-9a-f]{64})/g);
    made.said = [...said].map(([, what, match, seat, word, at, told]) => ({ what, match, seat, word, at, told, paper: made }));
    made.match = made.head?.match ?? made.receipts[0]?.match ?? made.said[0]?.match;
    return made;
  }

  /* What the value of an email tells of the same. A commitment is named by what it is of, not by a title. */
  function ofValue(name, json) {
    const { report, to } = JSON.parse(json);
    const { match, ply, log, ordered, used, commitments = [] } = report ?? {};
    const lines = [...(ordered ?? []), ...(used ?? [])].map(({ hashed, digest }) => `${hashed}: ${digest}`);
    if (log) lines.push(`Log of ${match}, ply ${ply}`, log.head);
    const made = paper(name, lines.join("\n"));
    for (const { what, seat, number, digest: told, opened: key } of commitments) {
      const isLink = what === "key";
      made.promises.push({ what: [what, number, seat].filter(Boolean).join(" "), told, of: [what, seat],
        number: isLink ? number : undefined, opened: isLink ? bytes(key) : key?.includes("|") ? utf8.encode(key) : undefined });
    }
    return Object.assign(made, { match: match ?? to?.match, epoch: to?.epoch ?? "" });
  }

  /* What all parts of one document tell, texts and values. */
  function joined(name, parts) {
    const made = { name };
    for (const list of ["promises", "heads", "short", "receipts", "said"]) made[list] = parts.flatMap((part) => part[list]);
    for (const receipt of [...made.receipts, ...made.said]) receipt.paper = made;
    for (const { match, epoch } of parts) made.match ??= match, made.epoch = made.epoch || epoch;
    return Object.assign(made, { head: made.heads.at(-1) });
  }

  /* A value begins with the first of its fields by name, whichever that is. */
  const isValue = (text) => /^\s*\{"[a-z]+":/.test(text) && /"label":"ADJUD\d"/.test(text);

  /* A page; the key of its log is its last title. */
  function ofPage(name, page) {
    const value = page.getElementById("adjud-value");
    return joined(name, [...(value ? [ofValue(name, value.textContent)] : []), paper(name, inLines(page))]);
  }

  /* A page says it in elements; that of the club's site with a match's heads in a table. */
  function inLines(page) {
    const list = page.querySelector("table.heads");
    if (list) {
      const rows = [...list.querySelectorAll("tbody tr")].map((row) =>
        `Log of ${list.dataset.match}, ply ${row.querySelector("th").textContent}\n${row.querySelector(".digest").textContent}`);
      return [...rows, `Epoch: ${list.dataset.epoch}`].join("\n");
    }
    const titles = [...page.querySelectorAll(".proof code.digest")].map((told) => {
      const title = told.parentNode.previousElementSibling;
      let next = title;
      while ((next = next.nextElementSibling) && !next.matches("h3,pre"));
      const key = told.parentNode.nextElementSibling;
      const link = key?.matches("p.digest") ? `  ${key.textContent}\n` : "";
      return `${title.textContent}\n${told.textContent}\n${link}${next?.matches("pre") ? next.textContent : ""}`;
    });
    const epoch = page.querySelector(".epoch")?.textContent ?? "";
    return [...titles, epoch, ...[...page.querySelectorAll("li, .proof .note")].map((item) => item.textContent)].join("\n");
  }

  /* A text as it was written: as it is labelled, else as UTF-8, else as old Windows wrote. Where every
     other byte of the beginning is nothing, it is UTF-16. */
  function decoded(octets, label = "utf-8") {
    const wide = octets.length > 3 && ((octets[0] === 255 && octets[1] === 254) || !octets[1] ? "utf-16le"
      : (octets[0] === 254 && octets[1] === 255) || !octets[0] ? "utf-16be" : "");
    let text;
    try {
      text = new TextDecoder(wide || label, { fatal: !wide }).decode(octets);
    } catch {
      text = new TextDecoder("windows-1252").decode(octets);
    }
    return text.replace(/\r\n?/g, "\n");
  }

  /* A letter is read as a text with a sign for each byte, for each of its parts may be written otherwise. */
  const signs = (octets) => new TextDecoder("x-user-defined").decode(octets);
  const octets = (text) => Uint8Array.from(text, (sign) => sign.charCodeAt() & 255);

  /* The texts of a letter, its parts decoded. */
  function* texts(letter) {
    const end = letter.indexOf("\n\n");
    const head = letter.slice(0, end).replace(/\n[ \t]+/g, " ");
    const body = letter.slice(end + 2);
    const value = (name) => head.match(RegExp(`^${name}: *(.*)`, "mi"))?.[1] ?? "";
    const boundary = value("Content-Type").match(/^multipart.*boundary="?([^";]+)/i);
    if (boundary) {
      for (const part of body.split(`--${boundary[1]}`).slice(1)) if (!part.startsWith("--")) yield* texts(part.replace("\n", ""));
    } else if (/^(text\/plain|application\/json|$)/i.test(value("Content-Type"))) {
      const way = value("Content-Transfer-Encoding").toLowerCase();
      const label = value("Content-Type").match(/charset="?([^";\s]+)/i)?.[1];
      const content = way === "base64" ? atob(body.replace(/\s/g, ""))
        : way === "quoted-printable" ? body.replace(/[ \t]*\n/g, "\n").replace(/=\n/g, "").replace(/=([0-9A-F]{2})/gi, (_, digits) => String.fromCharCode(parseInt(digits, 16)))
        : body;
      yield decoded(octets(content), label);
    }
  }

  function plain(text) {
    try {
      return decodeURIComponent(text.replaceAll("%", "%25").replace(/=([0-9A-F]{2})/g, "%$1"));
    } catch {
      return text;
    }
  }

  function subject(letter) {
    const told = decoded(octets(letter.match(/^Subject: *(.*(?:\n[ \t].*)*)/mi)?.[1] ?? ""));
    return told.replace(/\?=\s+=\?/g, "?==?").replace(/=\?utf-8\?q\?(.*?)\?=/gi, (_, text) => plain(text.replaceAll("_", " ")));
  }

  function* papers(name, raw) {
    const text = decoded(raw);
    if (/^\s*</.test(text)) {
      const page = new DOMParser().parseFromString(text, "text/html");
      return yield Object.assign(ofPage(name, page), { log: page.getElementById("log")?.textContent.trim() });
    }
    if (isValue(text)) return yield ofValue(name, text);
    const isBox = text.startsWith("From ");
    if (!isBox && !/^(X-Adjud|Message-ID|Received):/mi.test(text.slice(0, 20_000).split("\n\n")[0])) return yield paper(name, text);
    const whole = signs(raw.includes(0) ? utf8.encode(text) : raw).replace(/\r\n?/g, "\n");
    for (const letter of isBox ? `\n\n${whole}`.split(/\n\nFrom .*\n/) : [whole]) {
      if (!/^X-Adjud:/mi.test(letter.split("\n\n", 1)[0])) continue;
      const [, epoch] = letter.match(/^Message-ID:\s*<[a-z2-7]+\.[a-z0-9-]+\.(?:([a-z]{3,5})\.)?[a-z2-7]+@/im) ?? [];
      const title = `${name} (${subject(letter)})`;
      const one = joined(title, [...texts(letter)].map((part) => isValue(part) ? ofValue(title, part) : paper(title, part)));
      yield Object.assign(one, { epoch: epoch ?? one.epoch ?? "" });
    }
  }

  /* What each ruling of a line is called, with what it says; ADJUD3 has acts in place of sentences. */
  const rulingsOf = ({ acts = [], rulings = [] }) =>
    [...rulings.map((one) => one.slice(1)), ...acts.flatMap(([, , made]) => made.map((one) => [one.act, one]))];

  /* Returns what tells the last ply of an epoch that counts, by what the log says of restores; what was
     told of later plies is undone, and so is all of an epoch that the log does not know. Letters know
     the first epoch as the empty one. */
  function limitsOf(lines) {
    const limits = {};
    const readOf = (line) => {
      try {
        return rulingsOf(JSON.parse(line));
      } catch {
        return []; // a line that is none, of which is told elsewhere
      }
    };
    for (const [action, said] of lines.slice(1).flatMap(readOf)) {
      const text = said.text ? filled(said.text, said.values) : said; // ADJUD2 has the message and its values
      const [, ended, ply, begun] = action === "restored" ? [, said.ended, said.ply, said.epoch]
        : (action === "restore" && text.match(/Epoch ([a-z]+) \D+(\d+), epoch ([a-z]+)/)) || [];
      if (ended) Object.assign(limits, { "": limits[""] ?? Number(ply), [ended]: Number(ply), [begun]: Infinity });
    }
    return (epoch) => (epoch === undefined || !("" in limits) ? Infinity : limits[epoch] ?? -1);
  }

  const hmacKey = (octets) => subtle.importKey("raw", octets, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);

  async function headsOf(match, lines, key) {
    const hmac = await hmacKey(bytes(key));
    const label = JSON.parse(lines[0]).label ?? "ADJUD2";
    const heads = [await sha256(`${label}|${match}|ply|0|${lines[0]}`)];
    for (let ply = 1; ply < lines.length; ply++) {
      const salt = hex(await subtle.sign("HMAC", hmac, utf8.encode(ply)));
      heads.push(await sha256(`${label}|${match}|ply|${ply}|${heads[ply - 1]}|${await sha256(`${lines[ply]}|${salt}`)}`));
    }
    return heads;
  }

  /* The links of the public chains to whose beginnings a match is committed, each with its chain and
     number. `opened` is what was hashed for the commitment to the seed, which is its end; a public
     number may have changed the seed. The chain of the adjudicator is X, those of the seats have
     numbers. */
  async function linksOf(anchors, opened, match, number) {
    const mixed = utf8.encode(`ADJUD2|${match}|public|${number?.which}|${number?.value}`);
    const seed = opened.slice(-32);
    const hmac = await hmacKey(number ? await subtle.sign("HMAC", await hmacKey(seed), mixed) : seed);
    const before = new TextDecoder().decode(opened.slice(0, -32));
    const links = new Map();
    for (const who of "X123456789") {
      if (anchors.every((told) => links.has(told))) break;
      let link = new Uint8Array(await subtle.sign("HMAC", hmac, utf8.encode(`${before}chain|${who}`)));
      for (let number = 1000; number >= 0; number--) {
        links.set(hex(link), { who, number });
        link = new Uint8Array(await subtle.digest("SHA-256", link));
      }
    }
    return links;
  }

  /* The number of a link in its title. */
  function numberIn(title) {
    const numbers = title.match(/\d+/g) ?? [];
    return numbers.length === 1 && !title.includes("|") ? Number(numbers[0]) : undefined;
  }

  /* Public dice: the beginnings of the chains, and each link that a paper has, follow from the seed. A
     link stands below a title with its number; with its key it is the one before that. */
  async function compareDice(all, line, page, differ) {
    const { chance, commitments: begun } = JSON.parse(line); // of each what it is, the seat, the digest
    const seedTold = begun.find(([what]) => what === "seed")[2];
    const seed = page.promises.find(({ told, opened }) => opened && told === seedTold);
    if (!seed) differ(page.head.what, page, page);
    const anchors = begun.filter(([what]) => what !== "seed").map(([, , told]) => told);
    for (const one of all) {
      const isFirst = one.heads.length === 1 && one.heads[0].ply === 0;
      for (const { what, told, of } of one.promises) {
        if (of ? begun.some(([kind, seat, digest]) => kind === of[0] && seat === of[1] && digest !== told)
          : isFirst && !begun.some(([, , digest]) => digest === told)) differ(what, page, one);
      }
    }
    if (!seed) return 0;
    const links = await linksOf(anchors, seed.opened, page.match, chance?.which && chance);
    if (anchors.some((told) => links.get(told)?.number !== 0)) differ(seed.what, page, page);
    const chains = {};
    const seen = new Set();
    for (const one of all) {
      for (const { what, told, opened, of, number = of ? undefined : numberIn(what) } of one.promises) {
        if (number === undefined) continue;
        const isOpened = opened?.length === 32;
        const { who, number: found } = links.get(isOpened ? hex(opened) : told) ?? {};
        seen.add(isOpened ? hex(opened) : told);
        const isRight = found === number || (!isOpened && found === number - 1);
        if (!isRight || (chains[of ?? what.replace(/\d+/, "")] ??= who) !== who) differ(what, page, one);
      }
    }
    return seen.size;
  }

  /* Commitments: two papers say the same, and what is opened has the digest that was told. */
  async function comparePromises(all, differ) {
    const first = {};
    for (const one of all) {
      for (const { what, told, opened } of one.promises) {
        const before = (first[what] ??= { one, told });
        if (before.told !== told || (opened && (await digest(opened)) !== before.told)) differ(what, before.one, one);
      }
    }
    return Object.keys(first).length;
  }

  /* A receipt of a word is the hash of what stands before it. A seat resigns once, and orders nothing
     afterwards; where it may have had another holder, or the word may have been taken back, nothing is
     said of that. */
  async function compareSaid(all, plies, page, differ, isSure) {
    const receipts = all.flatMap(({ said }) => said).filter(({ match }) => match === page.match);
    for (const { what, seat, word, at, told, paper } of receipts) {
      const logged = plies.flatMap(({ said = [] }) => said).filter(([other, kind]) => other === seat && kind === word);
      const later = plies.flatMap(({ orders = [] }) => orders).some(([other, , came, , by]) => other === seat && !by && came > at);
      const isMissing = isSure && word === "RESIGN" && (logged.length ? logged.every(([, , time]) => time !== at) : later);
      if (told !== (await sha256(what)) || isMissing) differ(what, paper, page);
    }
    return new Set(receipts.map(({ what }) => what)).size;
  }

  /* A receipt with the revision of an order names it; so does the last one of a turn. Of the latter
     nothing is said where a sheet may have ended before, and in games whose turns have several
     parts for a seat: `adjud audit` knows which. */
  async function compareReceipts(all, lines, page, differ, limitOf) {
    const plies = lines.slice(1).map((line) => JSON.parse(line));
    const given = plies.flatMap(({ turn, orders = [] }) => orders.map(([seat, revision, , told, by]) => ({ turn, seat, revision, told, by })));
    const ended = plies.flatMap(rulingsOf).some(([action]) => /^(replace|undo|plays-now|taken-back)/.test(action));
    const isUnsure = ended || JSON.parse(log.dataset.setting).game === "spies";
    const last = {};
    const first = {};
    const receipts = all.flatMap((one) => one.receipts).filter(({ match }) => match === page.match);
    const isSure = limitOf("") === Infinity && !ended;
    for (const receipt of receipts) {
      const at = `${receipt.seat} ${receipt.turn}`;
      receipt.withdrew = receipt.told === (await sha256(`${receipt.what}CLEAR`));
      const named = given.filter((one) => !receipt.kept && !one.by && one.seat === receipt.seat && one.turn === receipt.turn
        && one.revision === receipt.revision);
      const digests = await Promise.all(named.map((one) => sha256(receipt.what + one.told.join("\n"))));
      if (named.length && !receipt.withdrew && !digests.includes(receipt.told)) differ(receipt.what, receipt.paper, page);
      const limit = limitOf(receipt.paper.epoch);
      if (limit < 0 || plies[limit]?.turn <= receipt.turn) continue; // it may be one of what was undone
      const same = (first[`${receipt.what} ${receipt.withdrew}`] ??= receipt);
      if (!named.length && same.told !== receipt.told) differ(receipt.what, same.paper, receipt.paper);
      if (receipt.kept) continue; // the log has what came of it, under a number of its own
      if (!last[at] || receipt.revision > last[at].revision || receipt.withdrew) last[at] = receipt;
    }
    for (const receipt of isUnsure ? [] : Object.values(last)) {
      const { what, told, seat, turn, revision, withdrew } = receipt;
      const order = given.filter((one) => one.seat === seat && one.turn === turn).at(-1);
      const isLater = order && !order.by && order.revision > revision;
      const agrees = withdrew ? !order || order.by || isLater
        : order ? isLater || (!order.by && told === (await sha256(what + order.told.join("\n"))))
        : !given.some((one) => one.seat === seat && one.turn > turn);
      if (!agrees) differ(what, receipt.paper, page);
    }
    return new Set(receipts.map(({ what }) => what)).size + (await compareSaid(all, plies, page, differ, isSure));
  }

  async function check() {
    const page = ofPage(words.here, document);
    const others = [];
    const wrong = new Set();
    /* The page has titles for what the value of an email names by what it is of. */
    const differ = (what, one, other) => {
      const same = page.promises.find((told) => told.of && told.what === what);
      const title = page.promises.find(({ of, told }) => !of && told === same?.told)?.what ?? what;
      wrong.add(filled(one === other ? words.self : words.pair, { what: title, one: one.name, other: other.name }));
    };
    for (const file of files) {
      try {
        others.push(...papers(file.name, new Uint8Array(await file.arrayBuffer())));
      } catch {
        wrong.add(filled(words.unread, file));
      }
    }
    const all = [page, ...others.filter(({ match }) => match && match === page.match)];
    const lines = log ? log.textContent.trim().split("\n") : [];
    const limitOf = limitsOf(lines);
    const isUndone = ({ head, epoch }) => head?.ply > limitOf(epoch);
    const counting = all.filter((one) => !isUndone(one));
    const counts = { papers: all.length - 1, promises: await comparePromises(counting, differ), heads: 0, receipts: 0, dice: 0 };
    if (log) {
      const heads = await headsOf(page.match, lines, page.promises.at(-1).told);
      const plies = new Set();
      for (const one of counting) {
        if (one.log && one.log !== lines.join("\n")) differ(page.head.what, one, page);
        for (const { ply, what, told } of one.heads) if (ply <= limitOf(one.epoch) && plies.add(ply) && heads[ply] !== told) differ(what, one, page);
        for (const { ply, told } of one.short) if (!heads[ply]?.startsWith(told.replaceAll("-", ""))) differ(`${ply}, ${told}`, one, page);
      }
      counts.heads = plies.size;
      try {
        counts.dice = await compareDice(counting, lines[0], page, differ);
        counts.receipts = await compareReceipts(all, lines, page, differ, limitOf);
      } catch {
        differ(page.head.what, page, page); // a line that is none
      }
    }
    const restored = limitOf("") < Infinity ? filled(words.restored, { undone: all.length - counting.length }) : "";
    show([...wrong], counts, restored);
  }

  function element(name, text, style = "") {
    const made = document.createElement(name);
    made.textContent = text;
    made.className = style;
    return made;
  }

  function show(wrong, counts, restored) {
    const list = document.createElement("ul");
    list.append(...wrong.map((sentence) => element("li", sentence)));
    found.replaceChildren(
      wrong.length ? element("p", words.differs, "differs") : element("p", words.agrees, "agrees"),
      ...(wrong.length ? [list] : []),
      ...(restored ? [element("p", restored)] : []),
      element("p", filled(words.counts, counts), "note"));
  }

  function take(given) {
    files.push(...given);
    check();
  }

  if (subtle) {
    asked.hidden = false;
    section.querySelector("button").onclick = check;
    input.addEventListener("change", () => take(input.files));
    for (const name of ["dragover", "dragleave", "drop"]) {
      section.addEventListener(name, (event) => {
        event.preventDefault();
        section.classList.toggle("over", name === "dragover");
        if (name === "drop") take(event.dataTransfer.files);
      });
    }
  } else {
    found.append(element("p", words.unable, "differs"));
    section.querySelector("details")?.setAttribute("open", "");
  }
}
