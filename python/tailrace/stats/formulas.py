"""Formulas over quantities: `mean * period / burst`, `load < 0.9 and queue == "red"`.

A small part of Python's expressions, evaluated over numbers with units: what cannot be added is not added, and the
result is written with the unit that it has. Nothing else can be called or reached.
"""

from __future__ import annotations

import ast
import functools
import itertools
import math
import operator
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tailrace import _native
from tailrace.errors import UsageError

# Values in a formula: quantities, words, truth values, tables.
Value: TypeAlias = "Quantity | str | bool | Mapping[str, object]"

# Exponents of bit, second and packet of what texts are measured in, and how many of these it is.
_UNITS = {
    "": ((0, 0, 0), 1.0),
    "s": ((0, 1, 0), 1.0),
    "bit/s": ((1, -1, 0), 1.0),
    "B": ((1, 0, 0), 8.0),
    "packets": ((0, 0, 1), 1.0),
}
_NAMES = ("bit", "s", "packet")
_NANOSECONDS = 1e9
_BITS_A_BYTE = 8
_LONGEST = 500


@dataclass(frozen=True)
class Quantity:
    """A number in bits, seconds and packets, with the exponent of each."""

    value: float
    unit: tuple[int, int, int] = (0, 0, 0)

    @property
    def unit_name(self) -> str:
        """Its unit in words, such as `bit·s^-1`."""
        parts = [
            f"{name}^{power}" if power != 1 else name
            for name, power in zip(_NAMES, self.unit, strict=True)
            if power
        ]
        return "·".join(parts) or "no unit"

    def as_toml(self) -> str:
        """TOML for a scenario; `ValueError` where no key takes such a unit."""
        if not math.isfinite(self.value):
            raise ValueError(f"it is {self.value}")
        match self.unit:
            case (0, 0, 0):
                whole = self.value.is_integer() and abs(self.value) < 2**53
                return str(int(self.value)) if whole else repr(self.value)
            case (0, 1, 0):
                return f'"{round(self.value * _NANOSECONDS)} ns"'
            case (1, -1, 0):
                return f'"{round(self.value)} bit/s"'
            case (1, 0, 0):
                return f'"{round(self.value / _BITS_A_BYTE)} B"'
            case (0, 0, 1):
                return f'"{round(self.value)} packets"'
        raise ValueError(f"nothing in a scenario is measured in {self.unit_name}")


@functools.lru_cache(maxsize=4096)
def value_of(toml: str) -> Value:
    """A value of a scenario, given as TOML text, as formulas see it.

    >>> value_of('"10 Mbit/s"').value, value_of('"red"'), value_of("0.5").value
    (10000000.0, 'red', 0.5)
    """
    try:
        value = tomllib.loads(f"value = {toml}")["value"]
    except tomllib.TOMLDecodeError:
        value = toml
    return _as_value(value)


def _as_value(value: object) -> Value:
    match value:
        case bool():
            return value
        case int() | float():
            return Quantity(float(value))
        case str():
            found = _native.quantity(value)
            if found is None:
                return value
            unit, factor = _UNITS[found[1]]
            return Quantity(found[0] * factor, unit)
        case Mapping():
            return value
    return str(value)


class Formula:
    """A formula, read once and evaluated for many variants."""

    def __init__(self, text: str, where: str) -> None:
        self.text = text
        self.where = where
        if len(text) > _LONGEST:
            raise UsageError(f"{where}: a formula has at most {_LONGEST} characters")
        try:
            self._tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            reason = getattr(error, "msg", None) or str(error)
            hint = "a quantity is written in quotes: '1 s'"
            raise UsageError(f"{where}: {text!r} is no formula ({reason}); {hint}") from None

    @property
    def names(self) -> list[str]:
        """The names in it, but those of functions."""
        return list(dict.fromkeys(_names(self._tree)))

    def __call__(self, names: Mapping[str, Value]) -> Value:
        """Value of the formula; the error names it."""
        try:
            return _evaluate(self._tree, names)
        except (ValueError, TypeError, ZeroDivisionError, OverflowError) as error:
            raise UsageError(f"{self.where}: {self.text!r} cannot be computed: {error}") from None

    def as_toml(self, names: Mapping[str, Value]) -> str:
        """Value of the formula as TOML for a scenario."""
        found = self(names)
        try:
            if isinstance(found, Quantity):
                return found.as_toml()
        except ValueError as error:
            raise UsageError(f"{self.where}: {self.text!r}: {error}") from None
        if isinstance(found, bool):
            return "true" if found else "false"
        from tailrace.text import toml_text

        return toml_text.value(found)

    def holds(self, names: Mapping[str, Value]) -> bool:
        """Whether it is true; a formula that is neither true nor false is an error."""
        found = self(names)
        if not isinstance(found, bool):
            raise UsageError(f"{self.where}: {self.text!r} is neither true nor false; write a comparison")
        return found


_ARITHMETIC: Mapping[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Mod: "%",
    ast.Pow: "**",
}
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
}
# These keep the unit.
_KEEPING: Mapping[str, Callable[..., float]] = {
    "min": min,
    "max": max,
    "abs": abs,
    "round": round,
    "floor": math.floor,
    "ceil": math.ceil,
}


def _evaluate(node: ast.expr, names: Mapping[str, Value]) -> Value:  # noqa: PLR0911 - a case each
    match node:
        case ast.Constant(value=value):
            return _as_value(value)
        case ast.Name() | ast.Attribute():
            return _look_up(_dotted(node), names)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            of = _number(_evaluate(inner, names))
            return Quantity(-of.value, of.unit)
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return not _truth(_evaluate(inner, names))
        case ast.BoolOp(op=op, values=values):
            found = (_truth(_evaluate(value, names)) for value in values)
            return all(found) if isinstance(op, ast.And) else any(found)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return _combine(
                _ARITHMETIC[type(op)], _number(_evaluate(left, names)), _number(_evaluate(right, names))
            )
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides = [_evaluate(side, names) for side in (left, *others)]
            return all(_compare(op, *pair) for op, pair in zip(ops, itertools.pairwise(sides), strict=True))
        case ast.IfExp(test=test, body=body, orelse=other):
            return _evaluate(body if _truth(_evaluate(test, names)) else other, names)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _call(name, [_evaluate(argument, names) for argument in arguments])
    raise ValueError(f"{ast.unparse(node)!r} is not something that formulas can say")


def _names(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Name | ast.Attribute):
        yield _dotted(node)
        return
    inside = node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node)
    for child in inside:
        if isinstance(child, ast.expr):
            yield from _names(child)


def _dotted(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=inner, attr=name):
            return f"{_dotted(inner)}.{name}"
    raise ValueError(f"{ast.unparse(node)!r} is not a name")


def _look_up(name: str, names: Mapping[str, Value]) -> Value:
    if name in names:
        return names[name]
    # `queue.kind` of a queue that is a table, or a bare word.
    table, _, key = name.rpartition(".")
    found = names.get(table)
    if isinstance(found, Mapping) and key in found:
        return _as_value(found[key])
    if isinstance(found, str) and key == "kind":
        return found
    import difflib  # only when something is wrong

    close = difflib.get_close_matches(name, names, n=1)
    hint = (
        f"; did you mean {close[0]}?"
        if close
        else f" (there are {', '.join(sorted(names)[:20])})"
        if names
        else ""
    )
    raise ValueError(f"there is no {name!r}{hint}")


def _number(value: Value) -> Quantity:
    if isinstance(value, Quantity):
        return value
    raise ValueError(f"{value!r} is no number")


def _truth(value: Value) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError(f"{value!r} is neither true nor false")


def _combine(sign: str, left: Quantity, right: Quantity) -> Quantity:
    both = zip(left.unit, right.unit, strict=True)
    match sign:
        case "*":
            return Quantity(left.value * right.value, _unit(a + b for a, b in both))
        case "/":
            return Quantity(left.value / right.value, _unit(a - b for a, b in both))
        case "**":
            if any(right.unit) or (any(left.unit) and not right.value.is_integer()):
                raise ValueError(f"{left.unit_name} to the power of {right.value:g} {right.unit_name}")
            power = left.value**right.value
            if isinstance(power, complex):
                raise ValueError("a root of a negative number")
            return Quantity(
                power, _unit(a * int(right.value) for a in left.unit) if any(left.unit) else left.unit
            )
    _check_alike(left, right, sign)
    result = {"+": operator.add, "-": operator.sub, "%": operator.mod}[sign](left.value, right.value)
    return Quantity(result, left.unit)


def _unit(exponents: Iterable[int]) -> tuple[int, int, int]:
    bit, second, packet = exponents
    return bit, second, packet


def _check_alike(left: Quantity, right: Quantity, sign: str) -> None:
    if left.unit != right.unit:
        hint = "" if any(left.unit) and any(right.unit) else "; a quantity is written in quotes: '1 s'"
        raise ValueError(f"{left.unit_name} {sign} {right.unit_name}{hint}")


def _compare(op: ast.cmpop, left: Value, right: Value) -> bool:
    if type(op) not in _COMPARISONS:
        raise ValueError("formulas compare by <, <=, >, >=, == and !=")
    if isinstance(left, Quantity) and isinstance(right, Quantity):
        _check_alike(left, right, "compared with")
        return _COMPARISONS[type(op)](left.value, right.value)
    if not isinstance(op, ast.Eq | ast.NotEq):
        raise ValueError(f"{left!r} and {right!r} have no order")
    return _COMPARISONS[type(op)](left, right)


def _call(name: str, values: Sequence[Value]) -> Quantity:
    if name not in _KEEPING and name not in _FUNCTIONS:
        raise ValueError(f"there is no {name}(); there are {', '.join(sorted([*_KEEPING, *_FUNCTIONS]))}")
    arguments = [_number(value) for value in values]
    if not arguments:
        raise ValueError(f"{name}() needs a number")
    if name in _KEEPING:
        for other in arguments[1:]:
            _check_alike(arguments[0], other, ",")
        return Quantity(float(_KEEPING[name](*(a.value for a in arguments))), arguments[0].unit)
    if any(any(a.unit) for a in arguments):
        raise ValueError(f"{name} of {arguments[0].unit_name}")
    return Quantity(_FUNCTIONS[name](*(a.value for a in arguments)))
