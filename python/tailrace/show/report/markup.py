"""HTML in which no text can be anything but text: names come from scenarios and result folders of any origin."""

from __future__ import annotations

from html import escape

from tailrace.text.names import visible

# Elements without content.
_VOID = frozenset({"meta", "img", "br", "hr", "line", "rect", "circle", "path", "stop", "use"})
# Names of attributes that Python has other uses for.
_RENAMED = {"cls": "class", "for_": "for"}


class Markup(str):
    """Text that is HTML already; any other text is escaped where it meets this."""

    __slots__ = ()


def tag(name: str, /, *children: object, **attributes: object) -> Markup:
    """An element. Attributes that are `None` or `False` are left out, one that is `True` has no value.

    >>> tag("p", "a < b", cls="note", hidden=True)
    '<p class="note" hidden>a &lt; b</p>'
    """
    said = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID and not children:
        return Markup(f"<{name}{said}/>")
    return Markup(f"<{name}{said}>{joined(*children)}</{name}>")


def joined(*children: object) -> Markup:
    """Concatenation of markup; `None` is empty, and iterables that are no text are their items."""
    return Markup("".join(_child(child) for child in children))


def _child(child: object) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, list | tuple):
        return joined(*child)
    return escape(visible(str(child)))


def _attribute(key: str, value: object) -> str:
    if value is None or value is False:
        return ""
    name = _RENAMED.get(key, key.replace("_", "-"))
    return f" {name}" if value is True else f' {name}="{escape(visible(str(value)))}"'
