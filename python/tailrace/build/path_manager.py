"""A path manager: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tailrace.objects import Table

if TYPE_CHECKING:
    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Passive(Table):
    """Opens no subflows, accepts all. multipath-tcp/mptcp (default)."""

    _kind: ClassVar[str] = "passive"


@dataclass(eq=False, repr=False, slots=True)
class Ndiffports(Table):
    """Several subflows between the same addresses, on different ports. multipath-tcp/mptcp,
    net/mptcp/mptcp_ndiffports.c.

    Args:
        num_subflows: Subflows in all. More find more paths, and take a larger share where they find
            only one. Source: multipath-tcp/mptcp, num_subflows. Default: 2.
    """

    _kind: ClassVar[str] = "ndiffports"

    _: KW_ONLY
    num_subflows: int | None = None


@dataclass(eq=False, repr=False, slots=True)
class Fullmesh(Table):
    """A subflow between every two addresses, opened by the client. multipath-tcp/mptcp,
    net/mptcp/mptcp_fullmesh.c.

    Args:
        num_subflows: Subflows for each pair of addresses. Source: multipath-tcp/mptcp, num_subflows.
            Default: 1.
        event_delay: How long a change of a local address waits. Longer ones hide flapping, and leave a
            dead path in use. Source: at once; multipath-tcp/mptcp has 500 ms. Default: 0 s.
        retry_after: Second attempt after so long where there was no route; `"auto"` is none. Source:
            multipath-tcp/mptcp: 1 s, once. 1 ms to 1000 h (each attempt is an event). Default: 1 s.
        create_on_err: Open a subflow again that died of timeouts. Source: multipath-tcp/mptcp,
            create_on_err. Default: false.
    """

    _kind: ClassVar[str] = "fullmesh"

    _: KW_ONLY
    num_subflows: int | None = None
    event_delay: types.Duration | None = None
    retry_after: types.Duration | Literal["auto"] | None = None
    create_on_err: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Linux(Table):
    """Endpoints with flags, within limits. Linux, net/mptcp/pm_kernel.c.

    Args:
        subflows: Subflows of a connection that either end opens beside its first, 0 to 8. Too few:
            paths lie idle. Source: Linux, ip mptcp limits: subflows. Default: 2.
        add_addr_accepted: Announced addresses that an end accepts and joins, 0 to 8. Source: Linux, ip
            mptcp limits: add_addr_accepted. Default: 0.
        client: Endpoints of the client, such as `"2 subflow, 3 subflow backup"`: interfaces with
            `subflow`, `signal`, `backup`, `fullmesh`; `"none"`. With `"auto"` every interface is a
            `subflow` endpoint, up to 8. Source: NetworkManager, connection.mptcp-flags. Default: auto.
        server: Endpoints of the server; `"auto"` is none. Source: Linux: no endpoints. Default: auto.
        event_delay: From an interface's change to that of its endpoint, by a daemon. Longer: a dead
            path stays in use. Source: at once. Default: 0 s.
        client_listens: The client accepts joins, too, as with a listening socket on its port. Source:
            Linux: a socket that connects does not listen. Default: false.
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
    """A further subflow through each of some lists of gateways, by loose source routing. Boccassi, Fayed,
    Marina 2013; multipath-tcp/mptcp, net/mptcp/mptcp_binder.c.

    Args:
        gateways: Routers that further subflows go through, a list a subflow: `"g1; g2, g3"` opens one
            through `g1` and one through `g2` and then `g3`. More lists find more ways out, and take a
            larger share where these meet. Source: none; multipath-tcp/mptcp, mptcp_binder_gateways.
            Default: .
    """

    _kind: ClassVar[str] = "binder"

    _: KW_ONLY
    gateways: str | None = None


@dataclass(eq=False, repr=False, slots=True)
class Manual(Table):
    """By script: what is done at which time. Linux, net/mptcp/pm_userspace.c.

    Args:
        client: What the client does: `connect A to B`, or `connect A to B backup`; `close A to B`;
            `announce A`; `remove A`; `backup A`; `regular A`. A is its own interface, B the server's.
            `"none"`: nothing. Source: nothing happens by itself. Default: none.
        server: What the server does. Source: nothing happens by itself. Default: none.
    """

    _kind: ClassVar[str] = "manual"

    _: KW_ONLY
    client: str | None = None
    server: str | None = None
