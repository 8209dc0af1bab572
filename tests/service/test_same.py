"""An email that came is compared with what its value gives: what servers on the way do to emails is
no difference, and what a club could change of one is named.

The emails are those of matches of three games in three languages, as they were sent. What is done
to an email knows no game, so each way is tried with the emails of one every day.
"""

import re
from base64 import encodebytes
from collections.abc import Callable
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import cache
from textwrap import fill

import pytest
from msgspec.structs import replace

from adjudicator.core.message import LANGUAGES
from adjudicator.mail.read.html_shown import ShownHtml
from adjudicator.mail.read.whole import read_whole
from adjudicator.service.audit.same import Came, Compared, Result, compare, foreign_hosts
from adjudicator.service.emails import write
from tests.nightly import each_once
from tests.service.mailclub import MailClub
from tests.service.test_email_values import Sent, played
from tests.values import Forms

pytestmark = [pytest.mark.usefixtures("skeleton"), pytest.mark.slow]
GAMES_SENT = ("espionage", "spion", "spies", "goofspiel")

_SENT: dict[str, list[Sent]] = {}


@pytest.fixture(autouse=True, params=GAMES_SENT)
def emails(request, store, tmp_path, monkeypatch) -> list[Sent]:
    if request.param not in _SENT:
        club = MailClub(store, tmp_path / "spool")
        every = played(request.param, club, monkeypatch)
        _SENT[request.param] = every[: len(every) - 1 : 4] + every[-1:]
    return _SENT[request.param]


@cache
def _forms(text: bytes) -> Forms:
    one = next(one for those in _SENT.values() for one in those if one.raw == text)
    return write.write(one.value, one.past)


def came(raw: bytes) -> Came:
    *_, one = read_whole(raw)
    return Came(one.subject, one.text, one.html, one.page)


def diff(sent: Sent, raw: bytes | Came) -> list[Compared]:
    return compare(raw if isinstance(raw, Came) else came(raw), _forms(sent.raw))


def results(sent: Sent, raw: bytes | Came) -> set[tuple[str, Result]]:
    """Return what is not the same."""
    every = diff(sent, raw)
    return {(one.form, one.result) for one in every if one.result is not Result.SAME}


def message(raw: bytes) -> EmailMessage:
    return message_from_bytes(raw, policy=policy.default)


def in_base64(raw: bytes) -> bytes:
    email = message(raw)
    for part in email.walk():
        if part.get_content_maintype() != "multipart":
            octets = part.get_payload(decode=True)
            del part["Content-Transfer-Encoding"]
            part["Content-Transfer-Encoding"] = "base64"
            part.set_payload(encodebytes(octets).decode())
    return email.as_bytes(policy=policy.SMTP)


def forwarded(raw: bytes) -> bytes:
    email = EmailMessage()
    email["Subject"], email["Message-ID"] = "Fwd: look", "<f@example.org>"
    email.set_content("Is this right?\n")
    email.add_attachment(message(raw))
    return email.as_bytes(policy=policy.SMTP)


def flowed(raw: bytes) -> bytes:
    """Let the text be of type format=flowed: long lines end in a blank and go on."""
    email = message(raw)
    [part] = [one for one in email.walk() if one.get_content_type() == "text/plain"]
    lines = [f" {line}" if line[:1] in (" ", ">") else line for line in came(raw).text.split("\n")]
    octets = "\r\n".join(lines).encode()
    part.replace_header("Content-Type", "text/plain; charset=utf-8; format=flowed")
    del part["Content-Transfer-Encoding"]
    part["Content-Transfer-Encoding"] = "base64"
    part.set_payload(encodebytes(octets).decode())
    return email.as_bytes(policy=policy.SMTP)


SAME: dict[str, Callable[[bytes], bytes | Came]] = {
    "as sent": lambda raw: raw,
    "in base64": in_base64,
    "with bare LF": lambda raw: raw.replace(b"\r\n", b"\n"),
    "forwarded": forwarded,
    "forwarded twice": lambda raw: forwarded(forwarded(raw)),
    "flowed": flowed,
    "without styles": lambda raw: without_styles(came(raw)),
    "with no-break signs": lambda raw: with_other_blanks(came(raw)),
    "with links of a gateway": lambda raw: rewritten(came(raw)),
    "with attributes of a gateway": lambda raw: of_gateway(came(raw)),
}


def without_styles(one: Came) -> Came:
    html = re.sub(r' (?:style|class)="[^"]*"', "", one.html) if one.html else None
    return replace(one, html=html)


def with_other_blanks(one: Came) -> Came:
    text = one.text.replace(" ", "\u00a0").replace("a", "a\u200b").replace("\n", " \t\n")
    html = one.html and re.sub(r"> (?=\w)", ">&nbsp;", one.html)
    return Came(f" {one.subject} ".replace(" ", "  "), f"\n\n{text}\n", html, one.page)


def rewritten(one: Came) -> Came:
    text = re.sub(r"https://[^\s<>]+", "https://safe.example/?url=x", one.text)
    html = one.html and re.sub(r'href="https://[^"]+', 'href="https://safe.example/?x', one.html)
    return replace(one, text=text, html=html)


def of_gateway(one: Came) -> Came:
    """Return an email as a webmail shows it: wrapped, with fonts and names of its own."""
    html = one.html and one.html.replace(
        "<body", '<body class="x"><div class="gmail" style="font-family:Arial;padding:4px"', 1
    ).replace("<p", '<p class="mso" data-x="1"', 1)
    sheet = "<style>.mso{margin:0;font-size:11pt} a:visited{color:purple} q.none{top:0}</style>"
    return replace(one, html=html and html.replace("</head>", f"{sheet}</head>"))


@pytest.mark.parametrize(("emails", "how"), each_once(GAMES_SENT, [*SAME]), indirect=["emails"])
def test_what_servers_on_the_way_do_is_no_difference(emails, how):
    assert {one.value.language for one in emails} <= {*LANGUAGES}
    for one in emails:
        changed = SAME[how](one.raw)
        assert results(one, changed) == set(), how
        if how == "with links of a gateway" and "https://" in _forms(one.raw).text:
            assert foreign_hosts(changed, _forms(one.raw)) == ["safe.example"]
    if how == "as sent":
        assert all(foreign_hosts(came(one.raw), _forms(one.raw)) == [] for one in emails)


def test_a_text_that_was_wrapped_is_the_same_but_for_its_columns(emails):
    for one in emails:
        text = came(one.raw).text
        for width in (72, 60):
            lines = text.split("\n")
            wrapped = "\n".join(
                fill(
                    line,
                    width,
                    replace_whitespace=False,
                    break_on_hyphens=False,
                    break_long_words=False,
                )
                if len(line) > width
                else line
                for line in lines
            )
            columns = any(len(line) > width and "  " in line for line in lines)
            many = any(
                _splits_into_three(line, width) or max(map(len, line.split()), default=0) > width
                for line in lines
            )  # or has a word that is longer than a line
            got = results(one, replace(came(one.raw), text=wrapped))
            assert got <= {("text", Result.RESPACED)}
            if columns:
                assert got
            elif not many:
                assert not got


def _splits_into_three(line: str, width: int) -> bool:
    return len(line) > 2 * width


def test_lines_that_are_joined_or_broken_in_the_middle_are_respaced(emails):
    for one in emails:
        whole = came(one.raw)
        lines = whole.text.split("\n")
        at = next(n for n, line in enumerate(lines) if n > 4 and line and lines[n + 1])
        joined = [*lines[:at], f"{lines[at]} {lines[at + 1]}", *lines[at + 2 :]]
        words = next(line for line in lines if len(line.split()) > 2 and len(line) < 40)
        for text in (
            "\n".join(joined),
            whole.text.replace(words, words.replace(" ", "\n", 1), 1),
            whole.text.replace(words, words.replace(" ", "  ", 1), 1),
        ):
            assert results(one, replace(whole, text=text)) == {("text", Result.RESPACED)}


BANNER = "CAUTION: this email came from outside. Do not open links."
FOOTER = "____\nclub mailing list\nhttps://list.example.org/\n"


def test_words_before_and_behind_ours_are_named_as_a_frame(emails):
    for one in emails:
        whole = came(one.raw)
        for text, added in (
            (f"{BANNER}\n\n{whole.text}", BANNER),
            (f"{whole.text}\n{FOOTER}", "____ club mailing list <url>"),
            (f"{whole.text}\n{whole.text}", None),
        ):
            [got] = [each for each in diff(one, replace(whole, text=text)) if each.form == "text"]
            assert got.result is Result.FRAMED
            assert added is None or got.shown == added
        subject = replace(whole, subject=f"[EXTERNAL] {whole.subject}")
        [got] = [each for each in diff(one, subject) if each.result is not Result.SAME]
        assert (got.form, got.result, got.shown) == ("Subject", Result.FRAMED, "[EXTERNAL]")
        if whole.html is None:
            continue
        banner = f'<div style="background:#fd0;border:1px solid;padding:8px">{BANNER}</div>'
        html = in_body(banner)(whole.html)
        [got] = [each for each in diff(one, replace(whole, html=html)) if each.form == "HTML"]
        assert (got.result, got.shown) == (Result.FRAMED, BANNER)


def test_a_form_that_is_not_there_is_absent(emails):
    one = next(one for one in emails if one.value.kind == "report")
    whole = came(one.raw)
    assert results(one, replace(whole, html=None)) == {("HTML", Result.ABSENT)}
    assert results(one, replace(whole, html=None, page=None)) >= {("HTML", Result.ABSENT)}


def styled(sheet: str) -> Callable[[str], str]:
    return lambda html: html.replace("</head>", f"<style>{sheet}</style></head>", 1)


def in_body(said: str) -> Callable[[str], str]:
    return lambda html: re.sub("(<body[^>]*>)", lambda body: body[0] + said, html, count=1)


RESTYLED: dict[str, Callable[[str], str]] = {
    "a sheet": styled("p { color: white }"),
    "a sheet on a pseudo-element": styled("p::before { content: 'not ' }"),
    "a sheet with children": styled("body > div > * { visibility: hidden }"),
    "a sheet for some screens": styled("@media screen { h1 { display: none } }"),
    "a sheet from elsewhere": styled("@import url(https://evil.example/x.css);"),
    "a font of signs": styled("@font-face { font-family: Arial; src: url(x) }"),
    "no size": styled("p { font-size: 0 }"),
    "a size that is hardly seen": styled("p { font-size: 1px }"),
    "a margin that hides": styled("p { margin-left: -9999px }"),
    "letters as signs": styled("p { font-family: Wingdings }"),
    "what no reader of styles knows": styled("p:frobnicate(2) { color: white }"),
    "links that nobody sees": styled("p a, p { color: transparent }"),
    "an attribute": lambda html: re.sub(r"<p\b", '<p hidden="x"', html, count=1),
    "a style": lambda html: re.sub(r"<p style=\"", '<p style="display:none;', html, count=1),
    "words struck out": lambda html: re.sub(r"<p([^>]*)>(.*?)</p>", r"<p\1><s>\2</s></p>", html),
    "a box around it": in_body("<details>"),
    "a link to a sheet": lambda html: html.replace(
        "</head>", '<link rel="stylesheet" href="https://e.example/x.css"></head>', 1
    ),
    "a comment for Outlook": in_body("<!--[if mso]>Your deadline is on Friday<![endif]-->"),
    "an empty box over it": in_body('<div style="position:absolute;top:0;background:red"></div>'),
    "its direction": lambda html: re.sub(r"<p\b", '<p dir="rtl"', html, count=1),
}


@pytest.mark.parametrize(("emails", "how"), each_once(GAMES_SENT, [*RESTYLED]), indirect=["emails"])
def test_what_may_change_how_the_html_looks_is_named(emails, how):
    tried = 0
    for one in emails:
        whole = came(one.raw)
        if whole.html is None:
            continue
        html = RESTYLED[how](whole.html)
        if html == whole.html:
            continue
        tried += 1
        assert results(one, replace(whole, html=html)) == {("HTML", Result.RESTYLED)}, how
    assert tried > 1


def cells(html: str) -> list[str]:
    return re.findall(r"<td[^>]*>.*?</td>", html, re.DOTALL)


def test_a_board_with_a_hidden_moved_or_missing_cell_is_named(emails):
    tried = 0
    for one in emails:
        whole = came(one.raw)
        for cell in cells(whole.html or "")[:40:7]:
            tried += 1
            hidden = cell.replace("<td", "<td hidden", 1)
            for new in (hidden, "", f"<td></td>{cell}"):
                html = whole.html.replace(cell, new, 1)
                [(form, result)] = results(one, replace(whole, html=html))
                assert form == "HTML"
                assert result in (Result.RESTYLED, Result.DIFFERS)
        picture = '<img src="https://x.example/board.png" style="position:absolute;left:0;top:0">'
        if whole.html:
            before = in_body(picture)(whole.html)
            got = results(one, replace(whole, html=before))
            assert got == {("HTML", Result.FRAMED), ("HTML", Result.RESTYLED)}
            inside = whole.html.replace("</h1>", f"</h1>{picture}", 1)
            assert results(one, replace(whole, html=inside)) == {("HTML", Result.DIFFERS)}
    assert tried


def test_a_sheet_on_columns_is_told_where_it_matches_one(emails):
    """Rows of Spies have one cell: there is no fourth one, and nothing looks otherwise."""
    for one in emails:
        whole = came(one.raw)
        if whole.html is None:
            continue
        fourth = ShownHtml(whole.html).matching("td:nth-child(4)")
        html = styled("td:nth-child(4) { display: none }")(whole.html)
        expected = {("HTML", Result.RESTYLED)} if fourth else set()
        assert results(one, replace(whole, html=html)) == expected


def test_an_added_section_notice_or_deadline_contradicts_with_both_wordings(emails):
    for one in emails:
        whole = came(one.raw)
        lines = whole.text.split("\n")
        at = len(lines) // 2
        text = "\n".join([*lines[:at], "Notices", "-------", "Anna has left.", *lines[at:]])
        [got] = [each for each in diff(one, replace(whole, text=text)) if each.form == "text"]
        assert got.result is Result.DIFFERS
        assert "Anna has left." in got.shown
        assert "Anna" not in got.known
        if not any(map(str.isdigit, whole.subject)):
            continue
        subject = re.sub(r"\d(?=\D*$)", lambda digit: str((int(digit[0]) + 1) % 10), whole.subject)
        [got] = [each for each in diff(one, replace(whole, subject=subject)) if each.known]
        assert (got.form, got.result) == ("Subject", Result.DIFFERS)
        assert got.shown in subject
        assert got.known in whole.subject
        if whole.html:
            html = whole.html.replace("</h1>", "</h1><p>You have lost.</p>", 1)
            assert results(one, replace(whole, html=html)) == {("HTML", Result.DIFFERS)}


def test_a_page_with_other_styles_scripts_or_data_is_named(emails):
    tried = 0
    for one in emails:
        whole = came(one.raw)
        if whole.page is None:
            continue
        tried += 1
        page = whole.page
        styled_page = page.replace("</head>", "<style>table{display:none}</style></head>", 1)
        without = re.sub(r"(<style[^>]*>)[^<]*", r"\1", page, count=1)
        scripted = page.replace("</body>", "<script>alert(1)</script></body>", 1)
        for other in (styled_page, without, scripted):
            assert other != page
            assert results(one, replace(whole, page=other)) == {("page", Result.RESTYLED)}
        data = re.search(r'(<script[^>]*application/json[^>]*>)([^<]*"turn":)(\d+)', page)
        if data:
            other = page.replace(data[0], f"{data[1]}{data[2]}{int(data[3]) + 1}", 1)
            [got] = [each for each in diff(one, replace(whole, page=other)) if each.known]
            assert (got.form, got.result) == ("page", Result.DIFFERS)
            assert got.shown.endswith(str(int(data[3]) + 1))
            assert got.known.endswith(data[3])
    assert tried


def test_html_on_which_a_parser_may_work_too_long_is_not_read(emails):
    one = next(one for one in emails if one.value.kind == "report")
    whole = came(one.raw)
    heavy = whole.html.replace("<body", "<b>" * 70_000 + "<body", 1)
    assert results(one, replace(whole, html=heavy)) == {("HTML", Result.RESTYLED)}
