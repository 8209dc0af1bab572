"""Compile templates so that as little as possible is left to do for each letter.

An environment speaks one language, so what `_("…")` says is known when a template is compiled: its
words become text of the template, with the values of their holes between them. Text that stands in
one piece is written in one piece, and a choice between texts makes none that is empty.

Whatever is escaped without this is escaped with it; words of our catalogues are not, in both cases.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from gettext import NullTranslations
from typing import Any

from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.visitor import NodeTransformer
from markupsafe import Markup, escape

_HOLE = re.compile(r"%\((\w+)\)s|(%%)")


def escaped(value: object) -> str:
    """Return a value as it stands in a page.

    Numbers and single words, which most values are, have no sign that must be escaped; to find
    that out costs less than to escape them.
    """
    if type(value) is int or type(value) is float:
        return str(value)
    if type(value) is Markup or (type(value) is str and value.isalnum()):
        return value
    return escape(value)


class _Generator(CodeGenerator):
    """Write code that escapes with `escaped`."""

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.autoescape and not frame.eval_ctx.volatile and finalize.src is None:
            self.write("environment.escaped(")
        else:
            super()._output_child_pre(node, frame, finalize)


class QuickEnvironment(Environment):
    """An environment whose templates are compiled with the words of its one language in them."""

    code_generator_class = _Generator
    escaped = staticmethod(escaped)
    translations = NullTranslations()

    def install(self, translations: NullTranslations) -> None:
        """Take the language's words."""
        self.translations = translations
        self.install_gettext_translations(  # type: ignore[attr-defined]  # the extension's
            translations, newstyle=True
        )

    def _generate(
        self,
        source: nodes.Template,
        name: str | None,
        filename: str | None,
        defer_init: bool = False,
    ) -> str:
        _Folding(self.translations.gettext).visit(source)
        return super()._generate(source, name, filename, defer_init)


def printed_once(tree: nodes.Template) -> Iterator[str]:
    """Yield the templates that another prints with `once("…", rows)`."""
    for call in tree.find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name == "once":
            yield call.args[0].as_const()


class _Folding(NodeTransformer):
    """Put what is known into the tree of a template."""

    def __init__(self, gettext: Callable[[str], str]) -> None:
        self._gettext = gettext

    def visit_Call(self, node: nodes.Call) -> nodes.Node:
        self.generic_visit(node)
        pieces = self._said(node)
        if pieces is None:
            return node
        return pieces[0] if len(pieces) == 1 else nodes.Concat(pieces, lineno=node.lineno)

    def visit_Output(self, node: nodes.Output) -> list[nodes.Node]:
        """Return it in pieces: those that are always printed, and choices."""
        made: list[nodes.Node] = []
        for child in node.nodes:
            for one in self._printed(child):
                if isinstance(one, nodes.Expr) and made and isinstance(made[-1], nodes.Output):
                    made[-1].nodes.append(one)
                elif isinstance(one, nodes.Expr):
                    made.append(nodes.Output([one], lineno=node.lineno))
                else:
                    made.append(one)
        return made

    def _printed(self, node: nodes.Expr) -> Iterator[nodes.Node]:
        """Yield what an expression prints: expressions without a choice, or a choice."""
        if isinstance(node, nodes.CondExpr):
            yield nodes.If(
                self.visit(node.test),
                self.visit_Output(nodes.Output([node.expr1], lineno=node.lineno)),
                [],
                self._otherwise(node),
                lineno=node.lineno,
            )
            return
        pieces = self._said(node) if isinstance(node, nodes.Call) else None
        if pieces is None:
            yield self.visit(node)
            return
        for piece in pieces:
            yield self.visit(piece)

    def _otherwise(self, node: nodes.CondExpr) -> list[nodes.Node]:
        if node.expr2 is None:
            return []
        return self.visit_Output(nodes.Output([node.expr2], lineno=node.lineno))

    def _said(self, node: nodes.Call) -> Sequence[nodes.Expr] | None:
        """Return the words of `_("…", name=value)` and the values between them.

        Return None for any other call.
        """
        if not isinstance(node.node, nodes.Name) or node.node.name != "_":
            return None
        (text,) = node.args
        assert isinstance(text, nodes.Const), f"line {node.lineno}: no text for a catalogue"
        values = {one.key: one.value for one in node.kwargs}
        words, *rest = _HOLE.split(self._gettext(text.value))
        pieces: list[nodes.Expr] = [nodes.TemplateData(words, lineno=node.lineno)]
        for name, percent, after in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
            if name:
                pieces += [values[name], nodes.TemplateData(after, lineno=node.lineno)]
            else:
                pieces.append(nodes.TemplateData(f"{percent[:1]}{after}", lineno=node.lineno))
        return pieces
