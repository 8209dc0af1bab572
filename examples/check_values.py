"""Check the JSON of a match's emails with Python's standard library alone: docs/checking.md says
what it is made of, and this is written from that page.

    python3 check_values.py FOLDER

The folder has the emails of one player (.eml, .mbox) or their .adjud.json files. It prints what
does not agree and what is missing, and ends with 1 if anything does not agree.
"""

import hmac
import json
import mailbox
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from email import message_from_bytes
from hashlib import sha256
from pathlib import Path
from typing import Any

Named = tuple[str, dict[str, Any]]  # a value, and the file in which it is
FOUND: list[str] = []  # what does not agree


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def spell(value: object) -> str:
    """Write a value as JSON in the one way that there is."""
    text = json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text + "\n"


def texts_in(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the JSON in a file, or attached to an email, with its name."""
    if path.name.endswith(".adjud.json"):
        yield path.name, path.read_bytes()
    emails = [message_from_bytes(path.read_bytes())] if path.suffix == ".eml" else []
    emails += mailbox.mbox(path) if path.suffix == ".mbox" else []
    for part in (part for email in emails for part in email.walk()):  # forwarded ones, too
        if str(part.get_filename()).endswith(".adjud.json"):
            yield f"{path.name}: {part.get_filename()}", part.get_payload(decode=True)


def values_in(folder: Path) -> Iterator[Named]:
    """Yield each value, and behind that of a daily email its parts."""
    for name, raw in (one for path in sorted(folder.iterdir()) for one in texts_in(path)):
        text = raw.decode().replace("\r\n", "\n").rstrip("\n") + "\n"
        value = json.loads(text)
        if spell(value) != text:
            FOUND.append(f"{name}: it is not spelled as adjud spells it")
        yield from ((name, one) for one in [value, *value["parts"]])


def missing_after_check(values: Sequence[Named]) -> list[str]:
    """Compare `n` and `before` of the emails to each reader; return what is missing."""
    holders: dict[Any, dict[tuple[str, int], Named]] = defaultdict(dict)
    for name, one in values:
        to, n = one["to"], one["n"]
        if n is not None:  # else it is a part to no seat
            holder = holders[to["match"], to["seat"], to["tenure"], to["player"]]
            if holder.setdefault((to["epoch"], n), (name, one))[1] != one:
                FOUND.append(f"{name}: another email has the number {n}, too")
    missing = []
    for (match, seat, *_), holder in holders.items():
        for (epoch, n), (name, one) in holder.items():
            last = max({*range(1, n)} - {*one["skipped"]}, default=0)
            if (epoch, last) in holder and one["before"] != digest(spell(holder[epoch, last][1])):
                FOUND.append(f"{name}: `before` is not the fingerprint of email {last}")
        known = {n for _, n in holder} | {n for _, one in holder.values() for n in one["skipped"]}
        gone = sorted({*range(1, max(known))} - known)
        to = f"{match}, {seat}" if match else "your emails to no seat"
        missing += [f"{to}: email {n} is not here" for n in gone]
    return missing


def objects_in(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from objects_in(one)


def check_receipts(values: Sequence[Named]) -> dict[tuple[str, str], tuple[str, str]]:
    """Compare the digests of all confirmations with what is hashed; return those of orders."""
    told: dict[tuple[str, str], tuple[str, str]] = {}
    for name, one in values:
        epoch = one["to"]["epoch"]
        for found in objects_in(one):
            for part in found.get("declared", ()):
                if digest(part["hashed"]) != part["digest"]:
                    FOUND.append(f"{name}: the digest is not that of {part['hashed']}")
            if found.get("type") == "receipt" and found["proof"]:
                head, right = found["proof"]["hashed"], found["proof"]["digest"]
                lines = ["CLEAR"] if found["withdrawn"] else found["orders"]
                if digest(head + "\n".join(lines)) != right:
                    FOUND.append(f"{name}: the digest is not that of {head} with the orders")
                told.setdefault((epoch, head), (name, right))
            elif {"hashed", "digest", "revision"} <= found.keys():  # a report tells it again
                other, right = told.get((epoch, found["hashed"]), ("", found["digest"]))
                if right != found["digest"]:
                    FOUND.append(f"{name}: another digest of {found['hashed']} than {other}")
    return told


def heads_of(match: str, log: Any) -> list[str]:
    """Return the head of each ply of an opened log."""
    heads = [digest(f"ADJUD3|{match}|ply|0|{log['lines'][0]}")]
    for ply, line in enumerate(log["lines"][1:], start=1):
        salt = hmac.digest(bytes.fromhex(log["key"]), str(ply).encode(), "sha256").hex()
        heads.append(digest(f"ADJUD3|{match}|ply|{ply}|{heads[-1]}|{digest(f'{line}|{salt}')}"))
    return heads


def check_heads(values: Sequence[Named], told: dict[tuple[str, str], tuple[str, str]]) -> None:
    """Compare the heads in all reports with the opened log, and its orders with confirmations."""
    reports = [(name, one["to"]["epoch"], one["report"]) for name, one in values if one["report"]]
    for _, epoch, last in [one for one in reports if one[2]["log"].get("lines")]:
        match, heads = last["match"], heads_of(last["match"], last["log"])
        for name, of, report in reports:
            ply, head = report["ply"], report["log"]["head"]
            if (report["match"], of) == (match, epoch) and heads[ply : ply + 1] != [head]:
                FOUND.append(f"{name}: the log has another head of ply {ply}")
        for line in map(json.loads, last["log"]["lines"][1:]):
            for seat, revision, _, lines, *_ in line.get("orders", ()):
                head = f"ADJUD3|{match}|{seat}|{line['turn']}|{revision}|"
                name, right = told.get((epoch, head), ("", ""))
                if right and right != digest(head + "\n".join(lines)):
                    FOUND.append(f"{name}: ply {line['ply']} of the log has other orders")


def main() -> int:
    try:
        values = [*values_in(Path(sys.argv[1]))]
        missing = missing_after_check(values)
        check_heads(values, check_receipts(values))
    except (ValueError, TypeError, LookupError, AttributeError) as trouble:
        sys.exit("\n".join([*FOUND, f"a value is none of adjud's: {trouble!r}"]))
    found = [*dict.fromkeys(FOUND)]
    print(*found, *missing, sep="\n", end="\n" if found or missing else "")
    print(f"{len(values)} values were read, {len(found)} do not agree, {len(missing)} are missing")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
