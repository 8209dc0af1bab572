"""Find who sent an email: one plain mailbox in one From, or nobody (emails, section 3)."""

import pytest

from adjudicator.mail.read.email import read

ANNA = "anna@a.example"


def sender(value: str) -> str | None:
    return read(f"From: {value}\r\n\r\nx\r\n".encode()).sender


@pytest.mark.parametrize(
    "value",
    [
        "anna@a.example",
        "<anna@a.example>",
        "Anna <anna@a.example>",
        "Anna (work) <anna@a.example>",
        "Anna Berg (work) (new) <anna@a.example>",
        '"Berg, Anna" <anna@a.example>',
        '"Berg: Anna (work)" <anna@a.example>',
        "anna@a.example (Anna Berg)",
        "anna@a.example(Anna)",
        "anna@a.example (Anna (at work) Berg)",
        "(Anna) anna@a.example",
        "Anna <anna@a.example> (work)",
        "anna@a.example <anna@a.example>",
        '"anna@a.example" <anna@a.example>',
        "'anna@a.example' <anna@a.example>",
        "\"'Anna'\" <anna@a.example>",
        "=?utf-8?q?Anna_B=C3=A9rg?= <anna@A.Example>",
        "Anna\r\n <anna@a.example>",
    ],
)
def test_what_mail_programs_write_is_understood(value: str) -> None:
    assert sender(value) == ANNA


@pytest.mark.parametrize(
    "value",
    [
        "anna(x)@(y)a.example",
        "anna(x)@a.example",
        "anna@(y)a.example",
        "anna@a(y).example",
        "anna@a.example(x).evil.example",
        "an(x)na@a.example",
        "anna\r\n (x)\r\n @a.example",
        "<anna(x)@a.example>",
        "Anna <anna@(y)a.example>",
        "anna @ a.example",
        "anna@ a.example",
        '"anna"@a.example',
        '<"anna"@a.example>',
        '"an"na@a.example',
        '<an"n"a@a.example>',
        "<@b.example:anna@a.example>",
        "<@b.example,@c.example:anna@a.example>",
        "Friends: anna@a.example;",
        "Friends: Anna <anna@a.example>;",
        "Friends: Anna <anna@a.example>",
        "Friends:;, anna@a.example",
        "=?utf-8?q?anna=40a.example?=",
        "=?utf-8?q?Anna_=3Canna=40a.example=3E?=",
        "<=?utf-8?q?anna?=@a.example>",
        "anna@=?utf-8?q?a.example?=",
        "anna@a.example.",
        "<anna@a.example.>",
        "anna@a..example",
        "anna@a.example <mallory@evil.example>",
        "mallory@evil.example <anna@a.example>",
        "Anna <anna@a.example> mallory",
        "anna@a.example, mallory@evil.example",
        "anna@a.example anna@a.example",
        "an\u200bna@a.example",
        "anna@a\u3002example",
        "\u0430nna@a.example",
        "anna@\u0430.example",
        "<anna@a.example",
        "(anna@a.example)",
        "((((Anna)))) (anna@a.example",
    ],
)
def test_whatever_else_stands_there_is_not_taken_for_anna(value: str) -> None:
    assert sender(value) != ANNA
