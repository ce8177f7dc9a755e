"""A path manager: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tailrace.scenario.objects import Table

if TYPE_CHECKING:
    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Passive(Table):
    """Opens no subflows, but accepts those that the other end opens. multipath-tcp/mptcp (default)."""

    _kind: ClassVar[str] = "passive"


@dataclass(eq=False, repr=False, slots=True)
class Ndiffports(Table):
    """Opens several subflows between the same addresses, with different ports. multipath-tcp/mptcp,
    net/mptcp/mptcp_ndiffports.c.

    Args:
        num_subflows: How many subflows there are in all, each from another port. More find more paths
            between the same addresses, but take a larger share of a link if there is only one path.
            Source: multipath-tcp/mptcp, num_subflows. Default: 2.
    """

    _kind: ClassVar[str] = "ndiffports"

    _: KW_ONLY
    num_subflows: int | None = None


@dataclass(eq=False, repr=False, slots=True)
class Fullmesh(Table):
    """The client opens a subflow between each of its addresses and each of the server's. multipath-
    tcp/mptcp, net/mptcp/mptcp_fullmesh.c.

    Args:
        num_subflows: How many subflows there are for each pair of addresses. Source: multipath-
            tcp/mptcp, num_subflows. Default: 1.
        event_delay: How much later than a change of a local address the path manager acts. A longer
            delay hides interfaces that come and go quickly, but keeps a dead path in use. Source: at
            once; multipath-tcp/mptcp has 500 ms. Default: 0 s.
        retry_after: After which time a subflow is tried a second time if there was no route. `"auto"`
            is no second attempt. Source: multipath-tcp/mptcp: 1 s, once. Allowed: 1 ms to 1000 h (each
            attempt takes computing time). Default: 1 s.
        create_on_err: Whether a subflow that ended after too many timeouts is opened again. Source:
            multipath-tcp/mptcp, create_on_err. Default: false.
    """

    _kind: ClassVar[str] = "fullmesh"

    _: KW_ONLY
    num_subflows: int | None = None
    event_delay: types.Duration | None = None
    retry_after: types.Duration | Literal["auto"] | None = None
    create_on_err: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Linux(Table):
    """Linux's: addresses with flags (endpoints), within limits. Linux, net/mptcp/pm_kernel.c.

    Args:
        subflows: How many subflows either end may open in addition to the first, 0 to 8. With too few,
            paths stay unused. Source: Linux, ip mptcp limits: subflows. Default: 2.
        add_addr_accepted: How many addresses announced by the other end are accepted and used for
            subflows, 0 to 8. Source: Linux, ip mptcp limits: add_addr_accepted. Default: 0.
        client: Endpoints of the client, such as `"2 subflow, 3 subflow backup"`: the number of an
            interface, then any of `subflow`, `signal`, `backup`, `fullmesh`; or `"none"`. With `"auto"`
            every interface is a `subflow` endpoint, up to 8. Source: NetworkManager, connection.mptcp-
            flags. Default: auto.
        server: Endpoints of the server, in the same form; `"auto"` is none. Source: Linux: no
            endpoints. Default: auto.
        event_delay: How much later than a change of an interface its endpoint changes; a daemon does
            this in Linux. A longer delay keeps a dead path in use. Source: at once. Default: 0 s.
        client_listens: Whether the client also accepts further subflows, as if a socket listened on its
            port. Source: Linux: a socket that connects does not listen. Default: false.
    """

    _kind: ClassVar[str] = "linux"

    _: KW_ONLY
    subflows: int | None = None
    add_addr_accepted: int | None = None
    client: str | None = None
    server: str | None = None
    event_delay: types.Duration | None = None
    client_listens: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Binder(Table):
    """Opens further subflows through given gateways (loose source routing). Boccassi, Fayed, Marina 2013;
    multipath-tcp/mptcp, net/mptcp/mptcp_binder.c.

    Args:
        gateways: Routers that further subflows are sent through, with one list for each subflow:
            `"g1; g2, g3"` opens one subflow through `g1`, and one through `g2` and then `g3`. More
            lists find more ways, but take a larger share of links that these ways have in common.
            Source: none; multipath-tcp/mptcp, mptcp_binder_gateways. Default: .
    """

    _kind: ClassVar[str] = "binder"

    _: KW_ONLY
    gateways: str | None = None


@dataclass(eq=False, repr=False, slots=True)
class Manual(Table):
    """Does what a script says, at given times. Linux, net/mptcp/pm_userspace.c.

    Args:
        client: What the client does, and when: a time, then `connect A to B`, `connect A to B backup`,
            `close A to B`, `announce A`, `remove A`, `backup A` or `regular A`. A is an interface of
            its own, B one of the server. `"none"`: nothing. Source: nothing happens by itself. Default:
            none.
        server: What the server does, and when, in the same form. Source: nothing happens by itself.
            Default: none.
    """

    _kind: ClassVar[str] = "manual"

    _: KW_ONLY
    client: str | None = None
    server: str | None = None
