"""What keys take, by the names that signatures have. Written by `make classes`, from the schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from tailrace.build import (
    app,
    attack,
    cc,
    coupled,
    fault,
    loss,
    medium,
    path_manager,
    queue,
    rate,
    scheduler,
    transport,
)
from tailrace.build.tables import MptcpBehaviour, Reverse, Spoof, TcpBehaviour

__all__ = [
    "App",
    "Attack",
    "CongestionControl",
    "Counts",
    "Distribution",
    "Dscp",
    "Duration",
    "Fault",
    "Limit",
    "LinkRate",
    "Loss",
    "Medium",
    "MptcpBehaviour",
    "MultipathControl",
    "Name",
    "PathManager",
    "Probability",
    "Queue",
    "Rate",
    "Reverse",
    "Scheduler",
    "Selector",
    "Size",
    "Sizes",
    "Spoof",
    "TcpBehaviour",
    "Transport",
]

Duration: TypeAlias = str
"""A duration with its unit, such as "5 ms"."""

Limit: TypeAlias = str
"""A number of packets or a size, such as "50 packets" or "200 kB"."""

Name: TypeAlias = str
"""Letters, digits, _ - : and /."""

Rate: TypeAlias = str
"""A rate with its unit, such as "10 Mbit/s"."""

Selector: TypeAlias = str
"""Hosts, routers or links: g1, src[*], src[3], path[0..4] (end exclusive)."""

Size: TypeAlias = str
"""A size with its unit, such as "1500 B"."""

Counts: TypeAlias = int | str
"""A number, or a distribution of numbers: uniform(5, 20), exponential(20), pareto(20, 1.2),
bounded_pareto(2, 55, 1.1), lognormal(20, 0.5)."""

Distribution: TypeAlias = Duration | str
"""A duration, or a distribution of durations: uniform(1 ms, 15 ms), exponential(100 ms), pareto(100
ms, 1.5), normal(10 ms, 1 ms)."""

Dscp: TypeAlias = int | str
"""A DiffServ codepoint: 0 to 63, or a name such as EF, AF41 or CS1."""

Probability: TypeAlias = float | str
"""A probability such as 0.02 or "2 %"."""

Sizes: TypeAlias = Size | str
"""A size, or a distribution of sizes: uniform(1 kB, 100 kB), exponential(20 kB), pareto(20 kB, 1.2),
bounded_pareto(1 kB, 10 MB, 1.2), lognormal(20 kB, 1.5), cdf(1 kB 0.5; 10 kB 0.9; 1 MB 1),
web_search, data_mining."""

_TransportName: TypeAlias = Literal["tcp", "mptcp", "udp"]
Transport: TypeAlias = _TransportName | transport.Tcp | transport.Mptcp | transport.Udp
"""A transport."""

LinkRate: TypeAlias = Rate | str | rate.Lte
"""The rate of a link: a plain one, a trace of when it delivers, or what grants."""

Medium: TypeAlias = medium.Wifi
"""A channel that several links share, such as a Wi-Fi channel: only one of them sends at a time, in
either direction."""

Loss: TypeAlias = Probability | loss.Bernoulli | loss.Periodic | loss.GilbertElliott
"""Random loss: a probability, or a loss process."""

_PathManagerName: TypeAlias = Literal["passive", "ndiffports", "fullmesh", "linux", "binder", "manual"]
PathManager: TypeAlias = (
    _PathManagerName
    | path_manager.Passive
    | path_manager.Ndiffports
    | path_manager.Fullmesh
    | path_manager.Linux
    | path_manager.Binder
    | path_manager.Manual
)
"""A path manager."""

_SchedulerName: TypeAlias = Literal[
    "lowest_rtt", "round_robin", "redundant", "blest", "ecf", "lamps", "weighted", "linux"
]
Scheduler: TypeAlias = (
    _SchedulerName
    | scheduler.LowestRtt
    | scheduler.RoundRobin
    | scheduler.Redundant
    | scheduler.Blest
    | scheduler.Ecf
    | scheduler.Lamps
    | scheduler.Weighted
    | scheduler.Linux
)
"""A scheduler."""

_CongestionControlName: TypeAlias = Literal[
    "reno", "newreno", "cubic", "vegas", "highspeed", "dctcp", "ledbat", "bbr", "bbr3", "prague"
]
CongestionControl: TypeAlias = (
    _CongestionControlName
    | cc.Reno
    | cc.Newreno
    | cc.Cubic
    | cc.Vegas
    | cc.Highspeed
    | cc.Dctcp
    | cc.Ledbat
    | cc.Bbr
    | cc.Bbr3
    | cc.Prague
    | str
    | Mapping[str, object]
)
"""A congestion control."""

Attack: TypeAlias = (
    attack.Pulse
    | attack.Flood
    | attack.OnOff
    | attack.Schedule
    | attack.Shrew
    | attack.Roq
    | attack.AckDivision
    | attack.OptimisticAcks
    | attack.RepeatedAcks
    | attack.NoBackoff
    | attack.Parallel
)
"""An attack: a group of flows with the role "attack", described by the keys of its kind."""

Fault: TypeAlias = (
    fault.Down
    | fault.Blackhole
    | fault.Flap
    | fault.Restart
    | fault.Rate
    | fault.RandomRate
    | fault.Delay
    | fault.RandomDelay
    | fault.Loss
    | fault.Duplication
    | fault.Corruption
    | fault.Reordering
    | fault.Queue
    | fault.Trace
    | fault.Address
)
"""Something that happens to links during the run: one goes down, becomes slower, or loses packets."""

_AppName: TypeAlias = Literal[
    "bulk",
    "transfer",
    "request_response",
    "sequence",
    "arrivals",
    "flash_crowd",
    "slow_reader",
    "web",
    "video",
    "cbr",
    "poisson",
    "on_off",
    "schedule",
    "pulse",
    "voip",
    "ping",
]
App: TypeAlias = (
    _AppName
    | app.Bulk
    | app.Transfer
    | app.RequestResponse
    | app.Sequence
    | app.Arrivals
    | app.FlashCrowd
    | app.SlowReader
    | app.Web
    | app.Video
    | app.Cbr
    | app.Poisson
    | app.OnOff
    | app.Schedule
    | app.Pulse
    | app.Voip
    | app.Ping
)
"""Application: what a flow sends, and when, such as files, web pages, calls, video, or packets at some
rate."""

_MultipathControlName: TypeAlias = Literal[
    "lia",
    "olia",
    "balia",
    "wvegas",
    "ewtcp",
    "fully_coupled",
    "linked_increases",
    "rtt_compensator",
    "reno",
    "newreno",
    "cubic",
    "vegas",
    "highspeed",
    "dctcp",
    "ledbat",
    "bbr",
    "bbr3",
    "prague",
]
MultipathControl: TypeAlias = (
    _MultipathControlName
    | coupled.Lia
    | coupled.Olia
    | coupled.Balia
    | coupled.Wvegas
    | coupled.Ewtcp
    | coupled.FullyCoupled
    | coupled.LinkedIncreases
    | coupled.RttCompensator
    | cc.Reno
    | cc.Newreno
    | cc.Cubic
    | cc.Vegas
    | cc.Highspeed
    | cc.Dctcp
    | cc.Ledbat
    | cc.Bbr
    | cc.Bbr3
    | cc.Prague
    | str
    | Mapping[str, object]
)
"""A congestion control: a coupled one, or one of TCP's for each subflow by itself."""

_QueueName: TypeAlias = Literal[
    "droptail",
    "red",
    "ared",
    "self_configuring_red",
    "nlred",
    "choke",
    "xchoke",
    "rechoke",
    "punsi",
    "rred",
    "stored",
    "fred",
    "red_pd",
    "cpr",
    "sfb",
    "codel",
    "sfq",
    "pie",
    "fq_codel",
    "drr",
    "cobalt",
    "fq_cobalt",
    "cake",
    "codel_lifo",
    "fq_codel_lifo",
    "fq",
    "wfq",
    "fq_pie",
    "pi2",
    "dualpi2",
    "blue",
    "rem",
    "pi",
    "avq",
    "netfence",
    "csfq",
    "dfs",
]
Queue: TypeAlias = (
    _QueueName
    | str
    | queue.Droptail
    | queue.Red
    | queue.Ared
    | queue.SelfConfiguringRed
    | queue.Nlred
    | queue.Choke
    | queue.Xchoke
    | queue.Rechoke
    | queue.Punsi
    | queue.Rred
    | queue.Stored
    | queue.Fred
    | queue.RedPd
    | queue.Cpr
    | queue.Sfb
    | queue.Codel
    | queue.Sfq
    | queue.Pie
    | queue.FqCodel
    | queue.Drr
    | queue.Cobalt
    | queue.FqCobalt
    | queue.Cake
    | queue.CodelLifo
    | queue.FqCodelLifo
    | queue.Fq
    | queue.Wfq
    | queue.FqPie
    | queue.Pi2
    | queue.Dualpi2
    | queue.Blue
    | queue.Rem
    | queue.Pi
    | queue.Avq
    | queue.Netfence
    | queue.Csfq
    | queue.Dfs
    | Mapping[str, object]
)
"""Queue discipline: the order in which packets are sent over a link, and which of them are dropped or
marked."""
