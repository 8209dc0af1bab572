"""A report page from ready rows: our templates beside f-strings that print the same rows.

The f-strings are what a programmer in a hurry would write. Text is escaped; what is the same in all
pages of a language (style sheets, scripts, buttons) is a constant; nothing is shared with another
game. Both get the same rows.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from statistics import median
from time import process_time
from typing import Any
from urllib.parse import quote

from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup
from markupsafe import escape as e
from msgspec import structs

from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.page.rows import Page
from adjudicator.reports.frame import Frame, frame
from adjudicator.reports.render import environment, joined, looking_back, rows_with_tales
from adjudicator.reports.words import catalogue, words
from tests.bench.measuring import Row, milliseconds, scaled
from tests.browser.browsing import played

ROUNDS = 200
LANGUAGE, GAME = "nb", "espionage"
STYLES = ("shared/style", "espionage/style", "shared/history")
COMPOSING = (*STYLES, "shared/composing", "espionage/composer")
CHECKED = (*STYLES, "shared/check")
_ = catalogue(LANGUAGE, GAME).gettext

Rows = Mapping[str, Any]


def rows(scale: float) -> Iterator[Row]:
    for stage, what in (("late", "HTML page of a turn"), ("over", "HTML page of an ended match")):
        ready = ready_rows(played("standard")[stage]["white"])
        fixed = fixed_parts(ready)
        size, theirs = len(by_templates(ready)), len(page(fixed, **ready))
        if not 0.97 < theirs / size < 1.03:
            raise RuntimeError(f"{theirs} characters by f-strings, {size} by the templates")
        yield _row(f"{what}, {size / 1000:.0f} kB", scale, by_templates, fixed, ready)


def _row(
    name: str, scale: float, render: Callable[[Rows], str], fixed: Mapping[str, str], ready: Rows
) -> Row:
    taken = [
        (_processor_time(lambda: render(ready)), _processor_time(lambda: page(fixed, **ready)))
        for _round in range(scaled(ROUNDS, scale))
    ]
    ours, theirs = (median(times) for times in zip(*taken, strict=True))
    return Row(
        name=f"{name} (f-strings)",
        ours=milliseconds(ours),
        theirs=milliseconds(theirs),
        ratio=ours / theirs,
        most=3,
    )


def _processor_time(action: Callable[[], object]) -> float:
    start = process_time()
    action()
    return process_time() - start


def by_templates(ready: Rows) -> str:
    """Print a page as the program does."""
    templates = environment(LANGUAGE, GAME)
    history = templates.get_template(f"{GAME}/history.html.j2").render(ready)
    page = templates.get_template(f"{GAME}/report.html.j2")
    return page.render(ready, looking_back=Markup(history))  # it is HTML


def ready_rows(report: Any) -> Rows:
    speak = words(LANGUAGE, GAME)
    made = rows_with_tales(ESPIONAGE, report.report, speak)
    back = ESPIONAGE.page.back(report.report, speak, report.past, None)
    assert back is not None
    made = looking_back(ESPIONAGE, made, back)
    framed = frame(report.report, made, speak, LANGUAGE, "Europe/Oslo", ESPIONAGE.proof)
    as_attached = structs.replace(framed, attached=True)
    return {"frame": as_attached, "page": made}


def fixed_parts(ready: Rows) -> Mapping[str, str]:
    """Return the parts of a page that hold no row."""
    templates = environment(LANGUAGE, GAME)
    composed = "shared/composing.js" in ready["page"].scripts
    composer = templates.get_template("espionage/composer.html.j2")
    check = templates.get_template("shared/check.html.j2")
    return {
        "ranks": templates.get_template("espionage/ranks.svg.j2").render(ready),
        "style": "\n".join(
            templates.get_template(f"{name}.css.j2").render()
            for name in (COMPOSING if composed else CHECKED)
        ),
        "composer": composer.render(ready) if composed else "",
        "check": "" if composed else check.render(ready),
    }


def page(fixed: Mapping[str, str], frame: Frame, page: Page) -> str:
    you = _("you")
    players = lines(
        f"<li>{e(title)} <b>{e(name)}</b>{f' ({you})' if is_reader else ''}</li>"
        for title, name, is_reader in frame.players
    )
    ours = (*page.scripts, *(["shared/check.js"] if fixed["check"] else []))
    source = f" {joined(*ours).source}" if ours else ""
    until = e(_("Deadline: %(moment)s") % {"moment": frame.deadline})
    return f"""<!DOCTYPE html>
<html lang="{frame.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
style-src 'unsafe-inline'; script-src{source}">
<title>{e(frame.match)}, {e(frame.turn)}, {e(frame.seat)}</title>
<style>
{fixed["style"]}</style>
</head>
<body>
<header class="head">
<h1>{e(frame.turn)}</h1>
<p class="match">{e(page.title)} · {e(frame.match)}</p>
<ul class="players">
{players}</ul>
<details class="about">
<summary>{_("About this match")}</summary>
<p class="rules">{e(page.rules)}</p>
</details>
<div class="status{" over" if frame.over else ""}{" yours" if frame.yours else ""}">
<p class="lead">{e(page.result or frame.awaited)}</p>
{f'<p class="deadline">{until}</p>' if frame.deadline else ""}
</div>
</header>
<main>
<div class="table">
<section class="place-board" aria-label="{_("The board")}">
<div class="pointed">
{board(page, fixed["ranks"])}</div>
{legend(page)}</section>
{news(page)}<div class="place-rest">
{facts(page)}</div>
{sheet(frame, page)}</div>
{armies(page)}{notices(frame)}{history(frame, page)}{setups(page)}{record(frame)}
{fixed["check"]}{commitments(frame)}{log(frame)}</main>
{fixed["composer"]}{scripts(page, ours)}</body>
</html>"""


def lines(texts: Iterable[str]) -> str:
    return "".join(f"{text}\n" for text in texts)


def news(page: Page) -> str:
    parts = [f'<section class="place-news">\n<h2>{_("Since your last order")}</h2>\n']
    parts.append('<div class="tales">\n')
    for label, place, steps in page.tales:
        parts.append(f'<h3><a href="#{place}">{e(label)}</a></h3>\n<ul class="steps">\n')
        for arrow, outcome, told in steps:
            fought = "" if outcome == "moved" else ' class="fought"'
            parts.append(f'<li{fought}><b aria-hidden="true">{arrow}</b> {e(told)}</li>\n')
        parts.append("</ul>\n")
    codes = _("The same in codes")
    parts.append(f'</div>\n<details class="lines">\n<summary><h2>{codes}</h2></summary>\n')
    for label, steps in page.news:
        parts.append(f'<h3>{e(label)}</h3>\n<ul class="steps">\n')
        for step, _outcome, told in steps:
            parts.append(f"<li><code>{e(step)}</code> {e(told)}</li>\n")
        parts.append("</ul>\n")
    parts.append("</details>\n")
    parts.append("</section>\n")
    return "".join(parts) if page.news else ""


def board(page: Page, ranks: str) -> str:
    b = page.shapes
    square = f'x="{b.margin}" y="{b.margin}" width="{b.side}" height="{b.side}"'
    coordinates = lines(f'<text x="{x}" y="{y}">{text}</text>' for x, y, text in b.coordinates)
    volcanoes = lines(
        f'<path d="M{x - 20} {y + 17}l13-27 3.5 3 3.5-3 3.5 3 3.5-3 13 27z"/>'
        for x, y in b.volcanoes
    )
    smoke = lines(
        f'<path d="M{x} {y - 11}c-4-3 4-5 0-9M{x - 2.5} {y - 7}l-3 9M{x + 3} {y - 7}l2 6"/>'
        for x, y in b.volcanoes
    )
    fights = lines(f'<polygon points="{points}"/>' for points in b.fights)
    barred = lines(
        f'<circle cx="{x}" cy="{y}" r="7"/><path d="M{x - 3.5} {y}h7"/>' for x, y in b.barred
    )
    tips = lines(
        f'<marker id="tip-{whose}" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="4.4" '
        f'markerHeight="4.4" orient="auto"><path class="tip {whose}" fill="{fill}" '
        'd="M0 0.4 8 4 0 7.6 1.8 4z"/></marker>'
        for whose, fill in (("mine", "#1d6f63"), ("theirs", "#b1481f"))
    )
    return f"""<svg class="board" role="img" \
aria-labelledby="board-title board-text" viewBox="0 0 {b.extent} {b.extent}" text-anchor="middle">
<title id="board-title">{_("The board")}</title>
<desc id="board-text">{e(page.picture)}</desc>
<defs>
{tips}{ranks}</defs>
<rect class="field" fill="#ece4d2" {square}/>
<path class="dark" stroke="#e0d5bd" stroke-width="{b.cell}" stroke-dasharray="{b.cell}" \
d="{b.dark}"/>
<rect class="edge" fill="none" stroke="#a4977b" stroke-width="1.5" {square}/>
<g class="coordinate" fill="#7b7059" font-size="12.5">
{coordinates}</g>
<g class="volcano" fill="#6d5f55" stroke="#54483f" stroke-width="1.5" stroke-linejoin="round">
{volcanoes}</g>
<g class="smoke" fill="none" stroke="#b1481f" stroke-width="2.4" stroke-linecap="round">
{smoke}</g>
<g class="fight" fill="#f3cf8e" stroke="#a36a12" stroke-width="1.2" stroke-linejoin="round">
{fights}</g>
<g class="arrows" stroke-width="3.6" stroke-linecap="round" fill="none">
{lines(arrow(*row) for row in b.arrows)}</g>
{"".join(pieces(*row, b.letters[row[0]]) for row in b.pieces)}\
<g class="barred" fill="#fffdf7" stroke="#a3222e" stroke-width="2.2" stroke-linecap="round">
{barred}</g>
</svg>
"""


def arrow(whose: str, outcome: str, x: float, y: float, to_x: float, to_y: float) -> str:
    cross = f'<path d="M{x - 6} {y - 6}l12 12m0-12l-12 12"/>'
    dot = f'<circle cx="{x}" cy="{y}" r="4.5" stroke-width="2.5"/>'
    dashes = ' stroke-dasharray="1 6"' if whose == "theirs" else ""
    return (
        f'<g class="{whose}" stroke="{"#1d6f63" if whose == "mine" else "#b1481f"}">'
        f"{cross if outcome == 'lost' else dot}"
        f'<path d="M{x} {y}L{to_x} {to_y}"{dashes} marker-end="url(#tip-{whose})"/></g>'
    )


def pieces(
    side: str, shape: str, rows: Iterable[tuple[Any, ...]], written: Iterable[tuple[str, str, str]]
) -> str:
    light = side == "white"
    drawn, letters, dashes = [], [], []
    uses = []
    for x, y, letter, ring, dash in rows:
        if letter != "?":
            uses.append(f'<use href="#rank-{letter}" x="{x - 8}" y="{y}"/>')
        if shape == "own":
            drawn.append(f'<rect x="{x - 18}" y="{y - 18}" width="36" height="36" rx="5"/>')
            if ring:
                drawn.append(
                    f'<rect class="ring" fill="none" x="{x - 15.5}" y="{y - 15.5}" width="31" '
                    'height="31" rx="3.5"/>'
                )
        else:
            drawn.append(f'<circle cx="{x}" cy="{y}" r="18"/>')
            if ring:
                drawn.append(f'<circle class="ring" fill="none" cx="{x}" cy="{y}" r="15.5"/>')
        if dash:
            dashes.append(f"M{x - 4 + 9 * (letter != '?')} {y + 11.5}h8")
    for x, y, letter in written:
        unknown = (
            ' class="unknown" font-weight="400" fill-opacity=".75"'
            if "?" in letter
            else ' font-size="16"'
        )
        if letter:
            letters.append(f'<text{unknown} x="{x}" y="{y}">{letter}</text>')
    ink = "#23211c" if light else "#f6f1e4"
    return f"""<g class="piece {side}" fill="{"#fffdf7" if light else "#3a3f45"}" \
stroke="{"#4a463d" if light else "#1d2023"}" stroke-width="1.6">
{lines(drawn)}</g>
<g class="letter {side}" fill="{ink}" font-size="20" font-weight="600">
{lines(letters)}{lines(uses)}</g>
<path class="moved {side}" fill="none" stroke="{ink}" stroke-width="1.8" \
stroke-linecap="round" d="{"".join(dashes)}"/>
"""


def legend(page: Page) -> str:
    items = lines(
        f'<li><span class="sign {style}" aria-hidden="true">{sign}</span> {e(told)}</li>'
        for sign, style, told in page.legend
    )
    return (
        f'<details class="key">\n<summary>{_("Legend")}</summary>\n'
        f'<ul class="legend">\n{items}</ul>\n</details>\n'
    )


def facts(page: Page) -> str:
    items = lines(f"<li>{e(fact.replace('-', chr(0x2011)))}</li>" for fact in page.facts)
    title = _("Remember")
    listed = f'<section>\n<h2>{title}</h2>\n<ul class="plain">\n{items}</ul>\n</section>\n'
    return listed if items else ""


def sheet(frame: Frame, page: Page) -> str:
    title, how = _("Your orders"), lines(f"<p>{e(told)}</p>" for told in page.how)
    written = lines(str(e(line)) for line in frame.template)
    listed = f"""<section class="place-sheet">
<h2>{title}</h2>
{how}<textarea aria-label="{title}" rows="{len(frame.template)}" spellcheck="false" \
autocapitalize="none" autocomplete="off">
{written}</textarea>
</section>
"""
    return listed if written else ""


def armies(page: Page) -> str:
    piece, number, squares = _("Piece"), _("Number"), _("Squares")
    parts = ['<div class="armies">\n']
    for army in page.armies:
        sign = f"sign {army.shape} {army.side}"
        parts.append(f"""<section>
<h2>{e(army.title)}</h2>
<p>{e(army.summary)}</p>
<table>
<thead><tr><th scope="col">{piece}</th><th scope="col" class="number">{number}</th>\
<th scope="col">{squares}</th></tr></thead>
<tbody>
""")
        for letter, name, held, where in army.entries:
            parts.append(
                f'<tr><th scope="row"><span class="{sign}">{letter}</span> '
                f'{e(name)}</th><td class="number">{held}</td><td>{e(where)}</td></tr>\n'
            )
        parts.append("</tbody>\n</table>\n")
        parts.extend(f'<p class="note">{e(mark)}</p>\n' for mark in army.marks)
        parts.append("</section>\n")
    parts.append("</div>\n")
    return "".join(parts)


def notices(frame: Frame) -> str:
    parts = [f"<section>\n<h2>{_('From the game master')}</h2>\n"]
    for moment, told in frame.notices:
        parts.append(f'<p class="note">{e(moment)}</p>\n<blockquote>{e(chr(10).join(told))}')
        parts.append("</blockquote>\n")
    parts.append("</section>\n")
    return "".join(parts) if frame.notices else ""


def history(frame: Frame, page: Page) -> str:
    back = page.history
    if not back:
        return ""
    over, looking = frame.over, _("Replay")
    keys = _(
        "Arrow keys go back and forward, Home and End to the first and last turn. The space bar "
        "plays."
    )
    since = e(_("known since turn %(turn)s") % {"turn": "{turn}"})
    buttons = lines(
        f'<button type="button" value="{name}" aria-label="{what}"{more}>{sign}</button>'
        for name, what, sign, more in (
            ("first", _("The first turn"), "«", ""),
            ("back", _("Previous order"), "‹", ""),
            ("play", _("Play"), "", ' aria-pressed="false"'),
            ("on", _("Next order"), "›", ""),
            ("last", _("The last turn"), "»", ""),
        )
    )
    points = lines(
        f'<li><a href="#{place}">{e(label)}</a>: {e(point)}</li>'
        for place, label, point in back.points
    )
    parts = [
        f"""<section class="history" data-size="{back.size}" data-below="{page.below}" \
data-since="{since}">
<h2>{_("The match from its beginning") if over else looking}</h2>
<div class="replay" role="group" tabindex="-1" aria-label="{looking}">
<div class="past-board" hidden></div>
<div>
<div class="stepping" hidden>
<div class="steppers">
{buttons}<input type="range" min="0" max="{len(back.moments) - 1}" value="0" \
aria-label="{_("Turn")}">
</div>
<p class="moment" aria-live="polite"></p>
<p class="steppers">
<select aria-label="{_("Speed")}"><option value="3000">{_("slow")}</option>\
<option value="1500" selected>{_("normal")}</option>\
<option value="700">{_("fast")}</option></select>
<button type="button" value="turn" aria-label="{_("From the other side")}" \
aria-pressed="false">⇅</button>
<a class="here" href="#">{_("Link to this moment")}</a>
</p>
<p class="note">{keys}</p>
</div>
"""
    ]
    if points:
        parts.append(f'<h3>{_("Turning points")}</h3>\n<ul class="plain points">\n{points}</ul>\n')
    if back.record:
        parts.append(
            f'<p><a class="download" download="{back.file}" href="data:text/plain;charset=utf-8,'
            f'{quote(back.record)}">{_("Download the game record")}</a></p>\n'
        )
    parts.append(f"</div>\n</div>\n<details>\n<summary>{_('All turns in words')}</summary>\n")
    parts.append('<ol class="plain moments">\n')
    parts.extend(moment(row) for row in back.moments)
    parts.append("</ol>\n</details>\n</section>\n")
    return "".join(parts)


def moment(row: Any) -> str:
    changes = f' data-changes="{e(row.changes)}"' if row.changes else ""
    parts = [f'<li id="{row.place}"{changes}><b>{e(row.label)}</b>']
    for step, outcome, told in row.steps:
        if step:
            made = "" if outcome == "moved" else f' class="{outcome}"'
            parts.append(f" <i{made}>{e(step)}</i>")
        if told:
            parts.append(f" {e(told)}")
    parts.append("</li>\n")
    return "".join(parts)


def setups(page: Page) -> str:
    drawn = lines(
        f"<div>\n<h3>{e(side)}</h3>\n<pre>{e(chr(10).join(rows))}</pre>\n</div>"
        for side, rows in page.setups
    )
    title = _("Set-ups, with White at the bottom")
    shown = f'<section>\n<h2>{title}</h2>\n<div class="setups">\n{drawn}</div>\n</section>\n'
    return shown if drawn else ""


def record(frame: Frame) -> str:
    title, text = _("Game record"), e("\n".join(frame.record))
    shown = (
        f'<section>\n<h2>{title}</h2>\n<pre class="record" tabindex="0">{text}</pre>\n</section>'
    )
    return shown if text else ""


def log(frame: Frame) -> str:
    shown = (
        f'<details class="proof">\n<summary><h2>{_("The log, opened")}</h2></summary>\n'
        f'<pre id="log" tabindex="0" data-setting="{e(frame.setting)}">\n'
        f"{lines(frame.log)}</pre>\n</details>"
    )
    return shown if frame.log else ""


def commitments(frame: Frame) -> str:
    title = _("Proofs")
    check = _("To check: this shell command should print the same digits:")
    parts = [f'<details class="proof">\n<summary><h2>{title}</h2></summary>\n']
    for what, digest, command in frame.commitments:
        parts.append(f'<h3>{e(what)}</h3>\n<p><code class="digest">{e(digest)}</code></p>\n')
        if command:
            shell = e("\n".join(command))
            parts.append(f'<p class="note">{check}</p>\n<pre tabindex="0">{shell}</pre>\n')
    parts.append("</details>\n")
    return "".join(parts)


def scripts(page: Page, ours: Iterable[str]) -> str:
    data = lines(
        f'<script type="application/json" id="{name}">{htmlsafe_json_dumps(value)}</script>'
        for name, value in page.data.items()
    )
    names = tuple(ours)
    return data + (f"<script>{joined(*names).text}</script>\n" if names else "")
