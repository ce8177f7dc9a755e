"""Something that happens to links: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar

from tailrace.objects import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Down(Table):
    """What waits, is being sent or is on the wire is lost; routes are computed anew at once, and again
    when it ends.

    Args:
        at: When it starts.
        link: The links concerned, both directions.
        name: What paths call it, such as `fault.NAME.at`; unique among faults. Default: none.
        until: When it ends. Default: the end.
    """

    _kind: ClassVar[str] = "down"

    at: types.Duration
    link: types.Selector
    _: KW_ONLY
    name: types.Name | None = None
    until: types.Duration | None = None


@dataclass(eq=False, repr=False, slots=True)
class Blackhole(Table):
    """What waits, is being sent or is on the wire is lost, but routing does not notice.

    Args:
        at: When it starts.
        link: The links concerned, both directions.
        name: What paths call it, such as `fault.NAME.at`; unique among faults. Default: none.
        until: When it ends. Default: the end.
    """

    _kind: ClassVar[str] = "blackhole"

    at: types.Duration
    link: types.Selector
    _: KW_ONLY
    name: types.Name | None = None
    until: types.Duration | None = None


@dataclass(eq=False, repr=False, slots=True)
class Rate(Table):
    """The rate is `value`; a packet in transmission finishes at the old one. Queue disciplines hear of it.

    Args:
        at: When it starts.
        link: The links concerned, both directions.
        value: The rate while it lasts. 1 bit/s to 10000 Gbit/s (a packet would take no time).
        name: What paths call it, such as `fault.NAME.at`; unique among faults. Default: none.
        until: When it ends. Default: the end.
    """

    _kind: ClassVar[str] = "rate"

    at: types.Duration
    link: types.Selector
    value: types.Rate
    _: KW_ONLY
    name: types.Name | None = None
    until: types.Duration | None = None


@dataclass(eq=False, repr=False, slots=True)
class Delay(Table):
    """The delay is `value`, for packets whose transmission starts then; packets do not overtake each
    other. Queue disciplines hear of it.

    Args:
        at: When it starts.
        link: The links concerned, both directions.
        value: The delay while it lasts. 0 s to 87600 h (no run lasts longer).
        name: What paths call it, such as `fault.NAME.at`; unique among faults. Default: none.
        until: When it ends. Default: the end.
    """

    _kind: ClassVar[str] = "delay"

    at: types.Duration
    link: types.Selector
    value: types.Duration
    _: KW_ONLY
    name: types.Name | None = None
    until: types.Duration | None = None


@dataclass(eq=False, repr=False, slots=True)
class Loss(Table):
    """Random loss is `value`.

    Args:
        at: When it starts.
        link: The links concerned, both directions.
        value: The loss while it lasts.
        name: What paths call it, such as `fault.NAME.at`; unique among faults. Default: none.
        until: When it ends. Default: the end.
    """

    _kind: ClassVar[str] = "loss"
    _forms: ClassVar[Mapping[str, str]] = {"value": "loss"}

    at: types.Duration
    link: types.Selector
    value: types.Loss
    _: KW_ONLY
    name: types.Name | None = None
    until: types.Duration | None = None


@dataclass(eq=False, repr=False, slots=True)
class Queue(Table):
    """The queue discipline is `value`, written as for a link, new and empty but for what waits: that moves
    over, as if it came now.

    Args:
        at: When it starts.
        link: The links concerned, both directions.
        value: The queue discipline while it lasts.
        name: What paths call it, such as `fault.NAME.at`; unique among faults. Default: none.
        until: When it ends. Default: the end.
    """

    _kind: ClassVar[str] = "queue"
    _forms: ClassVar[Mapping[str, str]] = {"value": "queue"}

    at: types.Duration
    link: types.Selector
    value: types.Queue
    _: KW_ONLY
    name: types.Name | None = None
    until: types.Duration | None = None
