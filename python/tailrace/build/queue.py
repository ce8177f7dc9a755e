"""A queue discipline: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tailrace.objects import Table

if TYPE_CHECKING:
    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Droptail(Table):
    """First in, first out; drops when full. Linux pfifo and bfifo; ns-2 queue/drop-tail.cc.

    Args:
        limit: Most that may wait, in packets or bytes; the packet in transmission does not count. Too
            small: bursts are lost and the link idles. Too large: standing queue and long delays.
            Source: ns-2 Queue limit_. Default: 50 packets.
        drop: Which packet dies when the queue is full: the arriving one, the oldest, or a random one.
            Head drop tells the sender one queueing delay earlier. Source: Linux pfifo. Default: tail.
        ns2: Count as ns-2 does: at most one packet (or byte) less than `limit` waits. Source: ns-2
            queue/drop-tail.cc. Default: false.
    """

    _kind: ClassVar[str] = "droptail"

    _: KW_ONLY
    limit: types.Limit | None = None
    drop: Literal["tail", "head", "random"] | None = None
    ns2: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Red(Table):
    """Signals at random, the likelier the longer the average queue. Floyd and Jacobson, ToN 1(4), 1993;
    Floyd, Gummadi and Shenker, 2001 (adaptive).

    Args:
        limit: Most that may wait. Too small: drops come from the limit, not from the law. Too large:
            only memory. Source: ns-2 Queue limit_. Default: 50 packets.
        min_th: Average below which nothing is signalled. Too small: the link idles. `"auto"`: a third
            of `max_th` where that is given, else half of `target_delay` at the link's rate, at least 5
            packets. Source: ns-2 thresh_ = 0. Default: auto.
        max_th: Average at which the signal probability is `max_p`. Too close to `min_th`: the queue
            oscillates. `"auto"`: three times `min_th`. Source: ns-2 maxthresh_ = 0. Default: auto.
        max_p: Signal probability at `max_th`. Too small: the average runs past `max_th`. Too large: the
            link idles. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: Weight of a new sample in the average. Too small: RED reacts late. Too large: bursts are
            punished. Source: ns-2 q_weight_ = -1. Default: auto.
        auto_weight: What `weight = "auto"` computes; `"auto"` is `"second"` for an adaptive queue, else
            `"rtt"`. Source: ns-2; ns-3 for adaptive. Default: auto.
        avpkt: Mean packet size: converts between packets and bytes, and gives idle time in packets.
            Source: tc red. Default: 1 kB.
        bandwidth: Rate at which idle time counts as packets sent; `"auto"` is the link's. Too small:
            the average outlives the silence. Source: Floyd and Jacobson 1993. Default: auto.
        target_delay: Delay that automatic thresholds aim at. Too small: the link idles. Too large: long
            queues. Source: ns-2 targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average is in bytes; `"auto"` takes the unit of `min_th`, else
            `max_th`, else `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default:
            auto.
        probability_in_bytes: Scale the signal probability by packet size over `avpkt`. RFC 7141 advises
            against it. Source: RFC 7141. Default: false.
        gentle: Let the probability rise from `max_p` at `max_th` to 1 at twice that, instead of
            jumping. Source: ns-2 since 2001; ns-3. Default: true.
        wait: Wait for `1/p` packets after a signal before the next: fewer, more even signals. Source:
            Floyd and Jacobson 1993. Default: false.
        count: How packets since the last signal spread the signals. Source: Floyd and Jacobson 1993,
            analysis. Default: analysis.
        guard: Signal nothing while fewer packets than this wait, whatever the average says. ns-2 asks
            for two in the queue's unit; Linux and the paper do not ask. Source: ns-2 queue/red.cc.
            Default: 2.
        idle: How the average decays over idle time. Source: Floyd and Jacobson 1993. Default: paper.
        ecn: Mark ECN-capable packets instead of dropping them. Source: tc, ns-2, ns-3. Default: false.
        harddrop: Where the average is beyond the band, drop ECN-capable packets, too. Source: ns-3
            UseHardDrop. Default: true.
        mark_p: Drop ECN-capable packets also within the band once the signal probability exceeds this;
            replaces the rule for averages beyond the band. `"auto"` turns it off. Source: off; ns-2
            mark_p_ is 0.1. Default: auto.
        nodrop: Admit packets that are not ECN-capable instead of dropping them early. Needs `ecn`.
            Source: Linux sch_red. Default: false.
        adaptive: Adapt `max_p` to hold the average mid-way between the thresholds (Adaptive RED).
            Source: Floyd and Jacobson 1993. Default: false.
        interval: Adaptive: time between changes of `max_p`. Too small: oscillation. Source: Floyd,
            Gummadi, Shenker 2001. 10 us to 1000 s (each tick is an event). Default: 500 ms.
        alpha: Adaptive: largest increase of `max_p` at once; never more than a quarter of it. Source:
            Floyd, Gummadi, Shenker 2001. Default: 0.01.
        beta: Adaptive: factor of decrease. Below 0.83 the average may jump across its target. Source:
            Floyd, Gummadi, Shenker 2001. Default: 0.9.
        top: Adaptive: `max_p` stops growing here. Source: Floyd, Gummadi, Shenker 2001. Default: 0.5.
        bottom: Adaptive: `max_p` stops shrinking here; `"auto"` is 80 kbit/s over the link's rate, at
            most 0.01. Source: Floyd, Gummadi, Shenker 2001. Default: 0.01.
        adapt_on: Adaptive: what makes `max_p` change. Source: Floyd, Gummadi, Shenker 2001; Linux.
            Default: timer.
        levels: Levels with thresholds of their own, each for some DiffServ codepoints (GRED), parted by
            semicolons: names or numbers of codepoints, or `other` for those of no level, then any of
            `min`, `max`, `limit` (`30p`, `15kB`), `prob` and `prio`, as in `"AF11 min 30p max 60p; AF12
            AF13 min 20p max 40p prob 0.1; other max 30p"`. What a level leaves out is as for the queue.
            `"auto"`: one level for all. Source: Linux sch_gred has none. Default: auto.
        grio: Levels: a level's average contains those of the levels of smaller `prio` (8 if not
            written); where two are equal, all share one. Source: tc gred. Default: false.
        drop: Which packet dies at the hard limit. Source: all. Default: tail.
    """

    _kind: ClassVar[str] = "red"

    _: KW_ONLY
    limit: types.Limit | None = None
    min_th: types.Limit | Literal["auto"] | None = None
    max_th: types.Limit | Literal["auto"] | None = None
    max_p: types.Probability | None = None
    weight: types.Probability | Literal["auto"] | None = None
    auto_weight: Literal["rtt", "second", "tenth_second", "auto"] | None = None
    avpkt: types.Size | None = None
    bandwidth: types.Rate | Literal["auto"] | None = None
    target_delay: types.Duration | None = None
    queue_in_bytes: bool | Literal["auto"] | None = None
    probability_in_bytes: bool | None = None
    gentle: bool | None = None
    wait: bool | None = None
    count: Literal["analysis", "figure2", "ns2", "linux"] | None = None
    guard: int | None = None
    idle: Literal["paper", "ns2"] | None = None
    ecn: bool | None = None
    harddrop: bool | None = None
    mark_p: types.Probability | Literal["auto"] | None = None
    nodrop: bool | None = None
    adaptive: bool | None = None
    interval: types.Duration | None = None
    alpha: types.Probability | None = None
    beta: types.Probability | None = None
    top: types.Probability | None = None
    bottom: types.Probability | Literal["auto"] | None = None
    adapt_on: Literal["timer", "arrival"] | None = None
    levels: str | None = None
    grio: bool | None = None
    drop: Literal["tail", "head", "random"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Ared(Table):
    """RED that moves its slope to hold the average mid-way between automatic thresholds. Floyd, Gummadi
    and Shenker, 2001.

    Args:
        limit: Most that may wait. Too small: drops come from the limit, not from the law. Too large:
            only memory. Source: ns-2 Queue limit_. Default: 50 packets.
        min_th: Average below which nothing is signalled. Too small: the link idles. `"auto"`: a third
            of `max_th` where that is given, else half of `target_delay` at the link's rate, at least 5
            packets. Source: ns-2 thresh_ = 0. Default: auto.
        max_th: Average at which the signal probability is `max_p`. Too close to `min_th`: the queue
            oscillates. `"auto"`: three times `min_th`. Source: ns-2 maxthresh_ = 0. Default: auto.
        max_p: Signal probability at `max_th`. Too small: the average runs past `max_th`. Too large: the
            link idles. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: Weight of a new sample in the average. Too small: RED reacts late. Too large: bursts are
            punished. Source: ns-2 q_weight_ = -1. Default: auto.
        auto_weight: What `weight = "auto"` computes; `"auto"` is `"second"` where `max_p` adapts by a
            timer, else `"rtt"`. Source: ns-2; ns-3 for adaptive. Default: auto.
        avpkt: Mean packet size: converts between packets and bytes, and gives idle time in packets.
            Source: tc red. Default: 1 kB.
        bandwidth: Rate at which idle time counts as packets sent; `"auto"` is the link's. Too small:
            the average outlives the silence. Source: Floyd and Jacobson 1993. Default: auto.
        target_delay: Delay that automatic thresholds aim at. Too small: the link idles. Too large: long
            queues. Source: ns-2 targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average is in bytes; `"auto"` takes the unit of `min_th`, else
            `max_th`, else `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default:
            auto.
        probability_in_bytes: Scale the signal probability by packet size over `avpkt`. RFC 7141 advises
            against it. Source: RFC 7141. Default: false.
        wait: Wait for `1/p` packets after a signal before the next: fewer, more even signals. Source:
            Floyd and Jacobson 1993. Default: false.
        count: How packets since the last signal spread the signals. Source: Floyd and Jacobson 1993,
            analysis. Default: analysis.
        guard: Signal nothing while fewer packets than this wait, whatever the average says. Source:
            ns-2 queue/red.cc. Default: 2.
        idle: How the average decays over idle time. Source: Floyd and Jacobson 1993. Default: paper.
        ecn: Mark ECN-capable packets instead of dropping them. Source: tc, ns-2, ns-3. Default: false.
        harddrop: Where the average is beyond the band, drop ECN-capable packets, too. Source: ns-3
            UseHardDrop. Default: true.
        gentle: Let the probability rise from `max_p` at `max_th` to 1 at twice that, instead of
            jumping. Source: Floyd, Gummadi, Shenker 2001. Default: true.
        interval: Time between changes of `max_p`. Too small: oscillation. Too large: a slow start.
            Source: Floyd, Gummadi, Shenker 2001. 10 us to 1000 s (each tick is an event). Default: 500
            ms.
        alpha: Largest increase of `max_p` at once; never more than a quarter of it. Too large: the
            average may jump across its target. Source: Floyd, Gummadi, Shenker 2001. Default: 0.01.
        beta: Factor of decrease. Below 0.83 the average may jump across its target. Source: Floyd,
            Gummadi, Shenker 2001. Default: 0.9.
        top: `max_p` stops growing here. Too small: many flows fill the queue. Source: Floyd, Gummadi,
            Shenker 2001. Default: 0.5.
        bottom: `max_p` stops shrinking here; `"auto"` is 80 kbit/s over the link's rate, at most 0.01
            (ns-2). Source: Floyd, Gummadi, Shenker 2001. Default: 0.01.
        adapt_on: What makes `max_p` change. Source: Floyd, Gummadi, Shenker 2001; Linux. Default:
            timer.
        drop: Which packet dies at the hard limit. Source: all. Default: tail.
    """

    _kind: ClassVar[str] = "ared"

    _: KW_ONLY
    limit: types.Limit | None = None
    min_th: types.Limit | Literal["auto"] | None = None
    max_th: types.Limit | Literal["auto"] | None = None
    max_p: types.Probability | None = None
    weight: types.Probability | Literal["auto"] | None = None
    auto_weight: Literal["rtt", "second", "tenth_second", "auto"] | None = None
    avpkt: types.Size | None = None
    bandwidth: types.Rate | Literal["auto"] | None = None
    target_delay: types.Duration | None = None
    queue_in_bytes: bool | Literal["auto"] | None = None
    probability_in_bytes: bool | None = None
    wait: bool | None = None
    count: Literal["analysis", "figure2", "ns2", "linux"] | None = None
    guard: int | None = None
    idle: Literal["paper", "ns2"] | None = None
    ecn: bool | None = None
    harddrop: bool | None = None
    gentle: bool | None = None
    interval: types.Duration | None = None
    alpha: types.Probability | None = None
    beta: types.Probability | None = None
    top: types.Probability | None = None
    bottom: types.Probability | Literal["auto"] | None = None
    adapt_on: Literal["timer", "arrival"] | None = None
    drop: Literal["tail", "head", "random"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class SelfConfiguringRed(Table):
    """RED that scales max_p each time the average leaves the band. Feng, Kandlur, Saha and Shin, INFOCOM
    1999.

    Args:
        limit: Most that may wait. Too small: drops come from the limit, not from the law. Too large:
            only memory. Source: ns-2 Queue limit_. Default: 50 packets.
        min_th: Average below which nothing is signalled. Too small: the link idles. `"auto"`: a third
            of `max_th` where that is given, else half of `target_delay` at the link's rate, at least 5
            packets. Source: ns-2 thresh_ = 0. Default: auto.
        max_th: Average at which the signal probability is `max_p`. Too close to `min_th`: the queue
            oscillates. `"auto"`: three times `min_th`. Source: ns-2 maxthresh_ = 0. Default: auto.
        max_p: Signal probability at `max_th`. Too small: the average runs past `max_th`. Too large: the
            link idles. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: Weight of a new sample in the average. Too small: RED reacts late. Too large: bursts are
            punished. Source: ns-2 q_weight_ = -1. Default: auto.
        auto_weight: What `weight = "auto"` computes; `"auto"` is `"second"` where `max_p` adapts by a
            timer, else `"rtt"`. Source: ns-2; ns-3 for adaptive. Default: auto.
        avpkt: Mean packet size: converts between packets and bytes, and gives idle time in packets.
            Source: tc red. Default: 1 kB.
        bandwidth: Rate at which idle time counts as packets sent; `"auto"` is the link's. Too small:
            the average outlives the silence. Source: Floyd and Jacobson 1993. Default: auto.
        target_delay: Delay that automatic thresholds aim at. Too small: the link idles. Too large: long
            queues. Source: ns-2 targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average is in bytes; `"auto"` takes the unit of `min_th`, else
            `max_th`, else `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default:
            auto.
        probability_in_bytes: Scale the signal probability by packet size over `avpkt`. RFC 7141 advises
            against it. Source: RFC 7141. Default: false.
        wait: Wait for `1/p` packets after a signal before the next: fewer, more even signals. Source:
            Floyd and Jacobson 1993. Default: false.
        count: How packets since the last signal spread the signals. Source: Floyd and Jacobson 1993,
            analysis. Default: analysis.
        guard: Signal nothing while fewer packets than this wait, whatever the average says. Source:
            ns-2 queue/red.cc. Default: 2.
        idle: How the average decays over idle time. Source: Floyd and Jacobson 1993. Default: paper.
        ecn: Mark ECN-capable packets instead of dropping them. Source: tc, ns-2, ns-3. Default: false.
        harddrop: Where the average is beyond the band, drop ECN-capable packets, too. Source: ns-3
            UseHardDrop. Default: true.
        gentle: Let the probability rise from `max_p` at `max_th` to 1 at twice that, instead of
            jumping. Source: ns-2 since 2001; ns-3. Default: true.
        alpha: Divides `max_p` when the average falls below `min_th`. Too large: `max_p` swings. Source:
            Feng et al. 1999. Default: 3.0.
        beta: Multiplies `max_p` when the average rises above `max_th`. Too large: `max_p` swings.
            Source: Feng et al. 1999. Default: 2.0.
        top: `max_p` stops growing here. Too small: many flows fill the queue. Source: no bound in Feng
            et al. 1999. Default: 1.0.
        bottom: `max_p` stops shrinking here. Too small: it takes many crossings to come back. Source:
            no bound in Feng et al. 1999. Default: 0.0001.
        start: Where the average is taken to have been before the first arrival. Source: Feng et al.
            1999 do not say. Default: between.
        drop: Which packet dies at the hard limit. Source: all. Default: tail.
    """

    _kind: ClassVar[str] = "self_configuring_red"

    _: KW_ONLY
    limit: types.Limit | None = None
    min_th: types.Limit | Literal["auto"] | None = None
    max_th: types.Limit | Literal["auto"] | None = None
    max_p: types.Probability | None = None
    weight: types.Probability | Literal["auto"] | None = None
    auto_weight: Literal["rtt", "second", "tenth_second", "auto"] | None = None
    avpkt: types.Size | None = None
    bandwidth: types.Rate | Literal["auto"] | None = None
    target_delay: types.Duration | None = None
    queue_in_bytes: bool | Literal["auto"] | None = None
    probability_in_bytes: bool | None = None
    wait: bool | None = None
    count: Literal["analysis", "figure2", "ns2", "linux"] | None = None
    guard: int | None = None
    idle: Literal["paper", "ns2"] | None = None
    ecn: bool | None = None
    harddrop: bool | None = None
    gentle: bool | None = None
    alpha: float | None = None
    beta: float | None = None
    top: types.Probability | None = None
    bottom: types.Probability | None = None
    start: Literal["between", "above", "below"] | None = None
    drop: Literal["tail", "head", "random"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Nlred(Table):
    """RED with a probability that rises by the square of the average's place between the thresholds. Zhou,
    Yeung and Li, Computer Networks 50(18), 2006.

    Args:
        limit: Most that may wait. Too small: drops come from the limit, not from the law. Too large:
            only memory. Source: ns-2 Queue limit_. Default: 50 packets.
        min_th: Average below which nothing is signalled. Too small: the link idles. `"auto"`: a third
            of `max_th` where that is given, else half of `target_delay` at the link's rate, at least 5
            packets. Source: ns-2 thresh_ = 0. Default: auto.
        max_th: Average at which the signal probability is `max_p`. Too close to `min_th`: the queue
            oscillates. `"auto"`: three times `min_th`. Source: ns-2 maxthresh_ = 0. Default: auto.
        max_p: Signal probability at `max_th`. Too small: the average runs past `max_th`. Too large: the
            link idles. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: Weight of a new sample in the average. Too small: RED reacts late. Too large: bursts are
            punished. Source: ns-2 q_weight_ = -1. Default: auto.
        auto_weight: What `weight = "auto"` computes; `"auto"` is `"second"` where `max_p` adapts by a
            timer, else `"rtt"`. Source: ns-2; ns-3 for adaptive. Default: auto.
        avpkt: Mean packet size: converts between packets and bytes, and gives idle time in packets.
            Source: tc red. Default: 1 kB.
        bandwidth: Rate at which idle time counts as packets sent; `"auto"` is the link's. Too small:
            the average outlives the silence. Source: Floyd and Jacobson 1993. Default: auto.
        target_delay: Delay that automatic thresholds aim at. Too small: the link idles. Too large: long
            queues. Source: ns-2 targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average is in bytes; `"auto"` takes the unit of `min_th`, else
            `max_th`, else `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default:
            auto.
        probability_in_bytes: Scale the signal probability by packet size over `avpkt`. RFC 7141 advises
            against it. Source: RFC 7141. Default: false.
        wait: Wait for `1/p` packets after a signal before the next: fewer, more even signals. Source:
            Floyd and Jacobson 1993. Default: false.
        count: How packets since the last signal spread the signals. Source: Floyd and Jacobson 1993,
            analysis. Default: analysis.
        guard: Signal nothing while fewer packets than this wait, whatever the average says. Source:
            ns-2 queue/red.cc. Default: 2.
        idle: How the average decays over idle time. Source: Floyd and Jacobson 1993. Default: paper.
        ecn: Mark ECN-capable packets instead of dropping them. Source: tc, ns-2, ns-3. Default: false.
        harddrop: Where the average is beyond the band, drop ECN-capable packets, too. Source: ns-3
            UseHardDrop. Default: true.
        gentle: Let the probability rise from `1.5 max_p` at `max_th` to 1 at twice that, instead of
            jumping. Source: ns-3. Default: true.
        drop: Which packet dies at the hard limit. Source: all. Default: tail.
    """

    _kind: ClassVar[str] = "nlred"

    _: KW_ONLY
    limit: types.Limit | None = None
    min_th: types.Limit | Literal["auto"] | None = None
    max_th: types.Limit | Literal["auto"] | None = None
    max_p: types.Probability | None = None
    weight: types.Probability | Literal["auto"] | None = None
    auto_weight: Literal["rtt", "second", "tenth_second", "auto"] | None = None
    avpkt: types.Size | None = None
    bandwidth: types.Rate | Literal["auto"] | None = None
    target_delay: types.Duration | None = None
    queue_in_bytes: bool | Literal["auto"] | None = None
    probability_in_bytes: bool | None = None
    wait: bool | None = None
    count: Literal["analysis", "figure2", "ns2", "linux"] | None = None
    guard: int | None = None
    idle: Literal["paper", "ns2"] | None = None
    ecn: bool | None = None
    harddrop: bool | None = None
    gentle: bool | None = None
    drop: Literal["tail", "head", "random"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Choke(Table):
    """RED that kills an arrival together with a random waiting packet of the same flow. Pan, Prabhakar and
    Psounis, INFOCOM 2000; Linux sch_choke.

    Args:
        limit: Most that may wait. Too small: drops come from the limit, not from the law. Too large:
            only memory. Source: ns-2 Queue limit_. Default: 50 packets.
        min_th: Average below which nothing is signalled. Too small: the link idles. `"auto"`: a third
            of `max_th` where that is given, else half of `target_delay` at the link's rate, at least 5
            packets. Source: ns-2 thresh_ = 0. Default: auto.
        max_th: Average at which the signal probability is `max_p`. Too close to `min_th`: the queue
            oscillates. `"auto"`: three times `min_th`. Source: ns-2 maxthresh_ = 0. Default: auto.
        max_p: Signal probability at `max_th`. Too small: the average runs past `max_th`. Too large: the
            link idles. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: Weight of a new sample in the average. Too small: RED reacts late. Too large: bursts are
            punished. Source: ns-2 q_weight_ = -1. Default: auto.
        auto_weight: What `weight = "auto"` computes; `"auto"` is `"second"` where `max_p` adapts by a
            timer, else `"rtt"`. Source: ns-2; ns-3 for adaptive. Default: auto.
        avpkt: Mean packet size: converts between packets and bytes, and gives idle time in packets.
            Source: tc red. Default: 1 kB.
        bandwidth: Rate at which idle time counts as packets sent; `"auto"` is the link's. Too small:
            the average outlives the silence. Source: Floyd and Jacobson 1993. Default: auto.
        target_delay: Delay that automatic thresholds aim at. Too small: the link idles. Too large: long
            queues. Source: ns-2 targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average is in bytes; `"auto"` takes the unit of `min_th`, else
            `max_th`, else `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default:
            auto.
        probability_in_bytes: Scale the signal probability by packet size over `avpkt`. RFC 7141 advises
            against it. Source: RFC 7141. Default: false.
        wait: Wait for `1/p` packets after a signal before the next: fewer, more even signals. Source:
            Floyd and Jacobson 1993. Default: false.
        count: How packets since the last signal spread the signals. Source: Floyd and Jacobson 1993,
            analysis. Default: analysis.
        guard: Signal nothing while fewer packets than this wait, whatever the average says. Source:
            ns-2 queue/red.cc. Default: 2.
        idle: How the average decays over idle time. Source: Floyd and Jacobson 1993. Default: paper.
        ecn: Mark ECN-capable packets instead of dropping them. Source: tc, ns-2, ns-3. Default: false.
        harddrop: Where the average is beyond the band, drop ECN-capable packets, too. Source: ns-3
            UseHardDrop. Default: true.
        gentle: Let the probability rise from `max_p` at `max_th` to 1 at twice that, instead of
            jumping. Source: Pan, Prabhakar, Psounis 2000: above max_th everything dies. Default: false.
        candidates: Packets that an arrival is compared with. Too few: several unresponsive flows get
            past. Too many: flows that hold a fair share of the queue suffer. Source: Pan, Prabhakar,
            Psounis 2000. Default: 1.
        adjust: Self-adjusting: two candidates more in each region of the band, instead of `candidates`.
            Source: Pan, Prabhakar, Psounis 2000, basic form. Default: false.
        regions: Self-adjusting: number of equal regions between the thresholds. More: more candidates
            at `max_th`. Source: Pan, Prabhakar, Psounis 2000, simulations. Default: 8.
        flow: Which fields make a flow. Fewer: packets of different connections meet. Source: Linux
            sch_choke. Default: five_tuple.
        draw: Where the candidates are. Source: Pan, Prabhakar, Psounis 2000. Default: random.
    """

    _kind: ClassVar[str] = "choke"

    _: KW_ONLY
    limit: types.Limit | None = None
    min_th: types.Limit | Literal["auto"] | None = None
    max_th: types.Limit | Literal["auto"] | None = None
    max_p: types.Probability | None = None
    weight: types.Probability | Literal["auto"] | None = None
    auto_weight: Literal["rtt", "second", "tenth_second", "auto"] | None = None
    avpkt: types.Size | None = None
    bandwidth: types.Rate | Literal["auto"] | None = None
    target_delay: types.Duration | None = None
    queue_in_bytes: bool | Literal["auto"] | None = None
    probability_in_bytes: bool | None = None
    wait: bool | None = None
    count: Literal["analysis", "figure2", "ns2", "linux"] | None = None
    guard: int | None = None
    idle: Literal["paper", "ns2"] | None = None
    ecn: bool | None = None
    harddrop: bool | None = None
    gentle: bool | None = None
    candidates: int | None = None
    adjust: bool | None = None
    regions: int | None = None
    flow: Literal["five_tuple", "src_dst", "src", "dst"] | None = None
    draw: Literal["random", "repeated", "front", "back"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Xchoke(Table):
    """CHOKe with a table of flows that met themselves, whose arrivals it drops at random (reconstruction).
    Chhabra et al., ICNP 2002 and ICC 2003 (reconstructed from abstracts).

    Args:
        limit: Most that may wait. Too small: drops come from the limit, not from the law. Too large:
            only memory. Source: ns-2 Queue limit_. Default: 50 packets.
        min_th: Average below which nothing is signalled. Too small: the link idles. `"auto"`: a third
            of `max_th` where that is given, else half of `target_delay` at the link's rate, at least 5
            packets. Source: ns-2 thresh_ = 0. Default: auto.
        max_th: Average at which the signal probability is `max_p`. Too close to `min_th`: the queue
            oscillates. `"auto"`: three times `min_th`. Source: ns-2 maxthresh_ = 0. Default: auto.
        max_p: Signal probability at `max_th`. Too small: the average runs past `max_th`. Too large: the
            link idles. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: Weight of a new sample in the average. Too small: RED reacts late. Too large: bursts are
            punished. Source: ns-2 q_weight_ = -1. Default: auto.
        auto_weight: What `weight = "auto"` computes; `"auto"` is `"second"` where `max_p` adapts by a
            timer, else `"rtt"`. Source: ns-2; ns-3 for adaptive. Default: auto.
        avpkt: Mean packet size: converts between packets and bytes, and gives idle time in packets.
            Source: tc red. Default: 1 kB.
        bandwidth: Rate at which idle time counts as packets sent; `"auto"` is the link's. Too small:
            the average outlives the silence. Source: Floyd and Jacobson 1993. Default: auto.
        target_delay: Delay that automatic thresholds aim at. Too small: the link idles. Too large: long
            queues. Source: ns-2 targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average is in bytes; `"auto"` takes the unit of `min_th`, else
            `max_th`, else `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default:
            auto.
        probability_in_bytes: Scale the signal probability by packet size over `avpkt`. RFC 7141 advises
            against it. Source: RFC 7141. Default: false.
        wait: Wait for `1/p` packets after a signal before the next: fewer, more even signals. Source:
            Floyd and Jacobson 1993. Default: false.
        count: How packets since the last signal spread the signals. Source: Floyd and Jacobson 1993,
            analysis. Default: analysis.
        guard: Signal nothing while fewer packets than this wait, whatever the average says. Source:
            ns-2 queue/red.cc. Default: 2.
        idle: How the average decays over idle time. Source: Floyd and Jacobson 1993. Default: paper.
        ecn: Mark ECN-capable packets instead of dropping them. Source: tc, ns-2, ns-3. Default: false.
        harddrop: Where the average is beyond the band, drop ECN-capable packets, too. Source: ns-3
            UseHardDrop. Default: true.
        gentle: Let the probability rise from `max_p` at `max_th` to 1 at twice that, instead of
            jumping. Source: as choke. Default: false.
        candidates: Packets that an arrival is compared with. Too few: slow detection. Too many: fair
            flows are hit. Source: as choke. Default: 1.
        flow: Which fields make a flow. Fewer: packets of different connections meet. Source: as choke.
            Default: five_tuple.
        entries: Flows in the table. Too few: attackers push one another out. Too many: a longer search
            at each hit. Source: this reconstruction. Default: 64.
        full_hits: Hits from which every packet is dropped; one hit less halves that. Too few: fair
            flows suffer for a chance hit. Too many: floods are throttled late. Source: this
            reconstruction. Default: 8.
        age: Time in which hits halve. Too short: floods come back often. Too long: a flow that has
            mended stays out. Source: this reconstruction. Default: 1 s.
    """

    _kind: ClassVar[str] = "xchoke"

    _: KW_ONLY
    limit: types.Limit | None = None
    min_th: types.Limit | Literal["auto"] | None = None
    max_th: types.Limit | Literal["auto"] | None = None
    max_p: types.Probability | None = None
    weight: types.Probability | Literal["auto"] | None = None
    auto_weight: Literal["rtt", "second", "tenth_second", "auto"] | None = None
    avpkt: types.Size | None = None
    bandwidth: types.Rate | Literal["auto"] | None = None
    target_delay: types.Duration | None = None
    queue_in_bytes: bool | Literal["auto"] | None = None
    probability_in_bytes: bool | None = None
    wait: bool | None = None
    count: Literal["analysis", "figure2", "ns2", "linux"] | None = None
    guard: int | None = None
    idle: Literal["paper", "ns2"] | None = None
    ecn: bool | None = None
    harddrop: bool | None = None
    gentle: bool | None = None
    candidates: int | None = None
    flow: Literal["five_tuple", "src_dst", "src", "dst"] | None = None
    entries: int | None = None
    full_hits: int | None = None
    age: types.Duration | None = None


@dataclass(eq=False, repr=False, slots=True)
class Rechoke(Table):
    """RED behind a filter for flows that often meet themselves and are often signalled (reconstruction).
    Govindaswamy, Záruba and Balasekaran, GLOBECOM 2007 (reconstructed from its abstract).

    Args:
        limit: Most that may wait. Too small: drops come from the limit, not from the law. Too large:
            only memory. Source: ns-2 Queue limit_. Default: 50 packets.
        min_th: Average below which nothing is signalled. Too small: the link idles. `"auto"`: a third
            of `max_th` where that is given, else half of `target_delay` at the link's rate, at least 5
            packets. Source: ns-2 thresh_ = 0. Default: auto.
        max_th: Average at which the signal probability is `max_p`. Too close to `min_th`: the queue
            oscillates. `"auto"`: three times `min_th`. Source: ns-2 maxthresh_ = 0. Default: auto.
        max_p: Signal probability at `max_th`. Too small: the average runs past `max_th`. Too large: the
            link idles. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: Weight of a new sample in the average. Too small: RED reacts late. Too large: bursts are
            punished. Source: ns-2 q_weight_ = -1. Default: auto.
        auto_weight: What `weight = "auto"` computes; `"auto"` is `"second"` where `max_p` adapts by a
            timer, else `"rtt"`. Source: ns-2; ns-3 for adaptive. Default: auto.
        avpkt: Mean packet size: converts between packets and bytes, and gives idle time in packets.
            Source: tc red. Default: 1 kB.
        bandwidth: Rate at which idle time counts as packets sent; `"auto"` is the link's. Too small:
            the average outlives the silence. Source: Floyd and Jacobson 1993. Default: auto.
        target_delay: Delay that automatic thresholds aim at. Too small: the link idles. Too large: long
            queues. Source: ns-2 targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average is in bytes; `"auto"` takes the unit of `min_th`, else
            `max_th`, else `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default:
            auto.
        probability_in_bytes: Scale the signal probability by packet size over `avpkt`. RFC 7141 advises
            against it. Source: RFC 7141. Default: false.
        wait: Wait for `1/p` packets after a signal before the next: fewer, more even signals. Source:
            Floyd and Jacobson 1993. Default: false.
        count: How packets since the last signal spread the signals. Source: Floyd and Jacobson 1993,
            analysis. Default: analysis.
        guard: Signal nothing while fewer packets than this wait, whatever the average says. Source:
            ns-2 queue/red.cc. Default: 2.
        idle: How the average decays over idle time. Source: Floyd and Jacobson 1993. Default: paper.
        ecn: Mark ECN-capable packets instead of dropping them. Source: tc, ns-2, ns-3. Default: false.
        harddrop: Where the average is beyond the band, drop ECN-capable packets, too. Source: ns-3
            UseHardDrop. Default: true.
        gentle: Let the probability rise from `max_p` at `max_th` to 1 at twice that, instead of
            jumping. Source: as choke. Default: false.
        draws: Most packets that an arrival is compared with. Too few: a flow's weight shows late. Too
            many: work. Source: this reconstruction. Default: 8.
        flow: Which fields make a flow. Fewer: packets of different connections meet. Source: as choke.
            Default: five_tuple.
        entries: Flows in the table. Too few: attackers push one another out. Too many: a longer search
            at each hit. Source: this reconstruction. Default: 64.
        detect: Score from which a flow is detected. Too small: fair flows are taken for malicious. Too
            large: late. Source: this reconstruction. Default: 8.
        block: Score from which all its packets die. Too small: no time to mend. Too large: floods are
            only thinned. Source: this reconstruction. Default: 64.
        age: Time in which histories halve. Too short: floods come back often. Too long: a mended flow
            stays out. Source: this reconstruction. Default: 1 s.
    """

    _kind: ClassVar[str] = "rechoke"

    _: KW_ONLY
    limit: types.Limit | None = None
    min_th: types.Limit | Literal["auto"] | None = None
    max_th: types.Limit | Literal["auto"] | None = None
    max_p: types.Probability | None = None
    weight: types.Probability | Literal["auto"] | None = None
    auto_weight: Literal["rtt", "second", "tenth_second", "auto"] | None = None
    avpkt: types.Size | None = None
    bandwidth: types.Rate | Literal["auto"] | None = None
    target_delay: types.Duration | None = None
    queue_in_bytes: bool | Literal["auto"] | None = None
    probability_in_bytes: bool | None = None
    wait: bool | None = None
    count: Literal["analysis", "figure2", "ns2", "linux"] | None = None
    guard: int | None = None
    idle: Literal["paper", "ns2"] | None = None
    ecn: bool | None = None
    harddrop: bool | None = None
    gentle: bool | None = None
    draws: int | None = None
    flow: Literal["five_tuple", "src_dst", "src", "dst"] | None = None
    entries: int | None = None
    detect: int | None = None
    block: int | None = None
    age: types.Duration | None = None


@dataclass(eq=False, repr=False, slots=True)
class Punsi(Table):
    """RED that drops the newest packets, too, where the queue overflows (reconstruction). Yamaguchi and
    Takahashi, Computer Communications 30(9), 2007 (reconstructed from abstracts).

    Args:
        limit: Most that may wait. Too small: drops come from the limit, not from the law. Too large:
            only memory. Source: ns-2 Queue limit_. Default: 50 packets.
        min_th: Average below which nothing is signalled. Too small: the link idles. `"auto"`: a third
            of `max_th` where that is given, else half of `target_delay` at the link's rate, at least 5
            packets. Source: ns-2 thresh_ = 0. Default: auto.
        max_th: Average at which the signal probability is `max_p`. Too close to `min_th`: the queue
            oscillates. `"auto"`: three times `min_th`. Source: ns-2 maxthresh_ = 0. Default: auto.
        max_p: Signal probability at `max_th`. Too small: the average runs past `max_th`. Too large: the
            link idles. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: Weight of a new sample in the average. Too small: RED reacts late. Too large: bursts are
            punished. Source: ns-2 q_weight_ = -1. Default: auto.
        auto_weight: What `weight = "auto"` computes; `"auto"` is `"second"` where `max_p` adapts by a
            timer, else `"rtt"`. Source: ns-2; ns-3 for adaptive. Default: auto.
        avpkt: Mean packet size: converts between packets and bytes, and gives idle time in packets.
            Source: tc red. Default: 1 kB.
        bandwidth: Rate at which idle time counts as packets sent; `"auto"` is the link's. Too small:
            the average outlives the silence. Source: Floyd and Jacobson 1993. Default: auto.
        target_delay: Delay that automatic thresholds aim at. Too small: the link idles. Too large: long
            queues. Source: ns-2 targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average is in bytes; `"auto"` takes the unit of `min_th`, else
            `max_th`, else `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default:
            auto.
        probability_in_bytes: Scale the signal probability by packet size over `avpkt`. RFC 7141 advises
            against it. Source: RFC 7141. Default: false.
        wait: Wait for `1/p` packets after a signal before the next: fewer, more even signals. Source:
            Floyd and Jacobson 1993. Default: false.
        count: How packets since the last signal spread the signals. Source: Floyd and Jacobson 1993,
            analysis. Default: analysis.
        guard: Signal nothing while fewer packets than this wait, whatever the average says. Source:
            ns-2 queue/red.cc. Default: 2.
        idle: How the average decays over idle time. Source: Floyd and Jacobson 1993. Default: paper.
        ecn: Mark ECN-capable packets instead of dropping them. Source: tc, ns-2, ns-3. Default: false.
        harddrop: Where the average is beyond the band, drop ECN-capable packets, too. Source: ns-3
            UseHardDrop. Default: true.
        gentle: Let the probability rise from `max_p` at `max_th` to 1 at twice that, instead of
            jumping. Source: as choke. Default: false.
        penalty: Which reading of the algorithm. Source: this reconstruction. Default: overflow.
        share: How many of the newest packets are penalized or compared, as a share of `limit`, at least
            one. Too small: no penalty. Too large: everybody's packets die. Source: this reconstruction.
            Default: 0.05.
        theta: Match: how full the queue is when comparing begins, as a share of `limit`. Too small:
            fair flows suffer. Too large: only overflow is left. Source: this reconstruction. Default:
            0.5.
        flow: Match: which fields make a flow. Fewer: packets of different connections meet. Source: as
            choke. Default: five_tuple.
    """

    _kind: ClassVar[str] = "punsi"

    _: KW_ONLY
    limit: types.Limit | None = None
    min_th: types.Limit | Literal["auto"] | None = None
    max_th: types.Limit | Literal["auto"] | None = None
    max_p: types.Probability | None = None
    weight: types.Probability | Literal["auto"] | None = None
    auto_weight: Literal["rtt", "second", "tenth_second", "auto"] | None = None
    avpkt: types.Size | None = None
    bandwidth: types.Rate | Literal["auto"] | None = None
    target_delay: types.Duration | None = None
    queue_in_bytes: bool | Literal["auto"] | None = None
    probability_in_bytes: bool | None = None
    wait: bool | None = None
    count: Literal["analysis", "figure2", "ns2", "linux"] | None = None
    guard: int | None = None
    idle: Literal["paper", "ns2"] | None = None
    ecn: bool | None = None
    harddrop: bool | None = None
    gentle: bool | None = None
    penalty: Literal["overflow", "match"] | None = None
    share: types.Probability | None = None
    theta: types.Probability | None = None
    flow: Literal["five_tuple", "src_dst", "src", "dst"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Rred(Table):
    """RED behind a filter for flows that keep sending right after drops. Zhang, Yin, Cai and Chen, IEEE
    Communications Letters 14(5), 2010.

    Args:
        limit: Most that may wait. Too small: drops come from the limit, not from the law. Too large:
            only memory. Source: ns-2 Queue limit_. Default: 50 packets.
        min_th: Average below which nothing is signalled. Too small: the link idles. `"auto"`: a third
            of `max_th` where that is given, else half of `target_delay` at the link's rate, at least 5
            packets. Source: ns-2 thresh_ = 0. Default: auto.
        max_th: Average at which the signal probability is `max_p`. Too close to `min_th`: the queue
            oscillates. `"auto"`: three times `min_th`. Source: ns-2 maxthresh_ = 0. Default: auto.
        max_p: Signal probability at `max_th`. Too small: the average runs past `max_th`. Too large: the
            link idles. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: Weight of a new sample in the average. Too small: RED reacts late. Too large: bursts are
            punished. Source: ns-2 q_weight_ = -1. Default: auto.
        auto_weight: What `weight = "auto"` computes; `"auto"` is `"second"` where `max_p` adapts by a
            timer, else `"rtt"`. Source: ns-2; ns-3 for adaptive. Default: auto.
        avpkt: Mean packet size: converts between packets and bytes, and gives idle time in packets.
            Source: tc red. Default: 1 kB.
        bandwidth: Rate at which idle time counts as packets sent; `"auto"` is the link's. Too small:
            the average outlives the silence. Source: Floyd and Jacobson 1993. Default: auto.
        target_delay: Delay that automatic thresholds aim at. Too small: the link idles. Too large: long
            queues. Source: ns-2 targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average is in bytes; `"auto"` takes the unit of `min_th`, else
            `max_th`, else `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default:
            auto.
        probability_in_bytes: Scale the signal probability by packet size over `avpkt`. RFC 7141 advises
            against it. Source: RFC 7141. Default: false.
        wait: Wait for `1/p` packets after a signal before the next: fewer, more even signals. Source:
            Floyd and Jacobson 1993. Default: false.
        count: How packets since the last signal spread the signals. Source: Floyd and Jacobson 1993,
            analysis. Default: analysis.
        guard: Signal nothing while fewer packets than this wait, whatever the average says. Source:
            ns-2 queue/red.cc. Default: 2.
        idle: How the average decays over idle time. Source: Floyd and Jacobson 1993. Default: paper.
        ecn: Mark ECN-capable packets instead of dropping them. Source: tc, ns-2, ns-3. Default: false.
        harddrop: Where the average is beyond the band, drop ECN-capable packets, too. Source: ns-3
            UseHardDrop. Default: true.
        gentle: Let the probability rise from `max_p` at `max_th` to 1 at twice that, instead of
            jumping. Source: ns-2 since 2001, as in the author's scripts. Default: true.
        drop: Which packet dies at the hard limit. Source: all. Default: tail.
        period: How long after a drop an arrival is suspicious (`T*`). Too small: attacks pass. Too
            large: TCP is hit. Source: Zhang et al. 2010; drop_related_period_. Default: 10 ms.
        levels: Levels, each with a hash of its own. More: fewer innocents caught, more work a packet.
            Source: author's code, hash_levels_. Default: 2.
        bins: Bins at each level. Too few: innocents share bins with attackers. Source: author's code,
            hash_bins_. Default: 23.
        credit: Highest score: so many suspicious arrivals a good flow may have at once. Too large:
            attacks pass. Source: Zhang et al. 2010; score_max_. Default: 10.
        debt: Lowest score, below zero: so many late arrivals a bad flow needs to pass again. Too large:
            innocents stay out. Source: author's scripts, score_min_ = -1. Default: 1.
        flow: Which fields make a flow. Source: author's code. Default: src_dst.
        hash: What places flows in bins. Source: the author's hash can be foreseen. Default: salted.
        marks_count: Take also a mark for a drop. Source: not in Zhang et al. 2010. Default: false.
    """

    _kind: ClassVar[str] = "rred"

    _: KW_ONLY
    limit: types.Limit | None = None
    min_th: types.Limit | Literal["auto"] | None = None
    max_th: types.Limit | Literal["auto"] | None = None
    max_p: types.Probability | None = None
    weight: types.Probability | Literal["auto"] | None = None
    auto_weight: Literal["rtt", "second", "tenth_second", "auto"] | None = None
    avpkt: types.Size | None = None
    bandwidth: types.Rate | Literal["auto"] | None = None
    target_delay: types.Duration | None = None
    queue_in_bytes: bool | Literal["auto"] | None = None
    probability_in_bytes: bool | None = None
    wait: bool | None = None
    count: Literal["analysis", "figure2", "ns2", "linux"] | None = None
    guard: int | None = None
    idle: Literal["paper", "ns2"] | None = None
    ecn: bool | None = None
    harddrop: bool | None = None
    gentle: bool | None = None
    drop: Literal["tail", "head", "random"] | None = None
    period: types.Duration | None = None
    levels: int | None = None
    bins: int | None = None
    credit: int | None = None
    debt: int | None = None
    flow: Literal["five_tuple", "src_dst", "src", "dst"] | None = None
    hash: Literal["salted", "leodos"] | None = None
    marks_count: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Stored(Table):
    """RED weighed with how much of the queue is the flow's own, counted in hashed bins (experimental).
    Chen, Zhou and Bensaou, ICC 2007 (reconstruction).

    Args:
        limit: Most that may wait. Too small: drops come from the limit, not from the law. Too large:
            only memory. Source: ns-2 Queue limit_. Default: 50 packets.
        min_th: Average below which nothing is signalled. Too small: the link idles. `"auto"`: a third
            of `max_th` where that is given, else half of `target_delay` at the link's rate, at least 5
            packets. Source: ns-2 thresh_ = 0. Default: auto.
        max_th: Average at which the signal probability is `max_p`. Too close to `min_th`: the queue
            oscillates. `"auto"`: three times `min_th`. Source: ns-2 maxthresh_ = 0. Default: auto.
        max_p: Signal probability at `max_th`. Too small: the average runs past `max_th`. Too large: the
            link idles. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: Weight of a new sample in the average. Too small: RED reacts late. Too large: bursts are
            punished. Source: ns-2 q_weight_ = -1. Default: auto.
        auto_weight: What `weight = "auto"` computes; `"auto"` is `"second"` where `max_p` adapts by a
            timer, else `"rtt"`. Source: ns-2; ns-3 for adaptive. Default: auto.
        avpkt: Mean packet size: converts between packets and bytes, and gives idle time in packets.
            Source: tc red. Default: 1 kB.
        bandwidth: Rate at which idle time counts as packets sent; `"auto"` is the link's. Too small:
            the average outlives the silence. Source: Floyd and Jacobson 1993. Default: auto.
        target_delay: Delay that automatic thresholds aim at. Too small: the link idles. Too large: long
            queues. Source: ns-2 targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average is in bytes; `"auto"` takes the unit of `min_th`, else
            `max_th`, else `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default:
            auto.
        probability_in_bytes: Scale the signal probability by packet size over `avpkt`. RFC 7141 advises
            against it. Source: RFC 7141. Default: false.
        wait: Wait for `1/p` packets after a signal before the next: fewer, more even signals. Source:
            Floyd and Jacobson 1993. Default: false.
        count: How packets since the last signal spread the signals. Source: Floyd and Jacobson 1993,
            analysis. Default: analysis.
        guard: Signal nothing while fewer packets than this wait, whatever the average says. Source:
            ns-2 queue/red.cc. Default: 2.
        idle: How the average decays over idle time. Source: Floyd and Jacobson 1993. Default: paper.
        ecn: Mark ECN-capable packets instead of dropping them. Source: tc, ns-2, ns-3. Default: false.
        harddrop: Where the average is beyond the band, drop ECN-capable packets, too. Source: ns-3
            UseHardDrop. Default: true.
        gentle: Let the probability rise from `max_p` at `max_th` to 1 at twice that, instead of
            jumping. Source: ns-2 since 2001; ns-3. Default: true.
        bins: Bins. Too few: innocents share a bin with who fills the queue. More: only memory. One is
            RED. Source: SFQ's divisor at the time. Default: 128.
        perturb: Time after which the hash changes; zero for never. Too small: flows escape from their
            counts. Too large: who shares a bin shares it for long. Source: reconstruction. Default: 20
            s.
        flow: Which fields make a flow. Source: reconstruction. Default: five_tuple.
    """

    _kind: ClassVar[str] = "stored"

    _: KW_ONLY
    limit: types.Limit | None = None
    min_th: types.Limit | Literal["auto"] | None = None
    max_th: types.Limit | Literal["auto"] | None = None
    max_p: types.Probability | None = None
    weight: types.Probability | Literal["auto"] | None = None
    auto_weight: Literal["rtt", "second", "tenth_second", "auto"] | None = None
    avpkt: types.Size | None = None
    bandwidth: types.Rate | Literal["auto"] | None = None
    target_delay: types.Duration | None = None
    queue_in_bytes: bool | Literal["auto"] | None = None
    probability_in_bytes: bool | None = None
    wait: bool | None = None
    count: Literal["analysis", "figure2", "ns2", "linux"] | None = None
    guard: int | None = None
    idle: Literal["paper", "ns2"] | None = None
    ecn: bool | None = None
    harddrop: bool | None = None
    gentle: bool | None = None
    bins: int | None = None
    perturb: types.Duration | None = None
    flow: Literal["five_tuple", "src_dst", "src", "dst"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Fred(Table):
    """RED for flows above the average share of the queue, a hard share for those that press on. Lin and
    Morris, SIGCOMM 1997.

    Args:
        limit: Most that may wait. Too small: flows have no room for a share of their own. Source: Bedi
            et al. 2014: 200 kB. Default: 200 packets.
        min_th: Average below which nothing is signalled at random, and the most packets a flow may
            hold. Too small: the link idles. `"auto"`: a quarter of `limit`, but no more than `rtt` at
            the link's rate. Source: Lin and Morris 1997. Default: auto.
        max_th: Average from which nothing (`many_flows`: only two packets a flow) is admitted. Too
            close to `min_th`: the queue oscillates. `"auto"`: twice `min_th`. Source: Lin and Morris
            1997. Default: auto.
        max_p: Signal probability at `max_th`. Too small: the average runs past it. Too large: the link
            idles. Source: Lin and Morris 1997. Default: 0.02.
        weight: Weight of a new sample in the average, taken at arrivals and departures. Too small:
            reacts late. Too large: bursts are punished. Source: Lin and Morris 1997. Default: 0.002.
        minq: Packets that every flow may hold unsignalled below `max_th`. Too small: fragile flows
            lose. Too large: no RED. 4 is for large buffers. Source: Lin and Morris 1997, small buffers.
            Default: 2.
        many_flows: With many more flows than packets: let each hold two packets, instead of nobody,
            above `max_th`. Source: Lin and Morris 1997, basic form. Default: false.
        rtt: Round trip whose packets bound an automatic `min_th`. Too small: the link idles. Source:
            ns-2 queue/red.cc, least round trip. Default: 100 ms.
        avpkt: Mean packet size: turns bytes into packets, and gives idle time in packets. Source: tc
            red. Default: 1 kB.
        ecn: Mark ECN-capable packets that the random signal hits, instead of dropping them. Source: Lin
            and Morris 1997 only drop. Default: false.
    """

    _kind: ClassVar[str] = "fred"

    _: KW_ONLY
    limit: types.Limit | None = None
    min_th: types.Limit | Literal["auto"] | None = None
    max_th: types.Limit | Literal["auto"] | None = None
    max_p: types.Probability | None = None
    weight: types.Probability | None = None
    minq: int | None = None
    many_flows: bool | None = None
    rtt: types.Duration | None = None
    avpkt: types.Size | None = None
    ecn: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class RedPd(Table):
    """RED behind a filter that thins out the flows on which its drops fall most. Mahajan, Floyd and
    Wetherall, ICNP 2001.

    Args:
        limit: Most that may wait. Too small: drops come from the limit, not from the law. Too large:
            only memory. Source: ns-2 Queue limit_. Default: 50 packets.
        min_th: Average below which nothing is signalled. Too small: the link idles. `"auto"`: a third
            of `max_th` where that is given, else half of `target_delay` at the link's rate, at least 5
            packets. Source: ns-2 thresh_ = 0. Default: auto.
        max_th: Average at which the signal probability is `max_p`. Too close to `min_th`: the queue
            oscillates. `"auto"`: three times `min_th`. Source: ns-2 maxthresh_ = 0. Default: auto.
        max_p: Signal probability at `max_th`. Too small: the average runs past `max_th`. Too large: the
            link idles. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: Weight of a new sample in the average. Too small: RED reacts late. Too large: bursts are
            punished. Source: ns-2 q_weight_ = -1. Default: auto.
        auto_weight: What `weight = "auto"` computes; `"auto"` is `"second"` where `max_p` adapts by a
            timer, else `"rtt"`. Source: ns-2; ns-3 for adaptive. Default: auto.
        avpkt: Mean packet size: converts between packets and bytes, and gives idle time in packets.
            Source: tc red. Default: 1 kB.
        bandwidth: Rate at which idle time counts as packets sent; `"auto"` is the link's. Too small:
            the average outlives the silence. Source: Floyd and Jacobson 1993. Default: auto.
        target_delay: Delay that automatic thresholds aim at. Too small: the link idles. Too large: long
            queues. Source: ns-2 targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average is in bytes; `"auto"` takes the unit of `min_th`, else
            `max_th`, else `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default:
            auto.
        probability_in_bytes: Scale the signal probability by packet size over `avpkt`. RFC 7141 advises
            against it. Source: RFC 7141. Default: false.
        wait: Wait for `1/p` packets after a signal before the next: fewer, more even signals. Source:
            Floyd and Jacobson 1993. Default: false.
        count: How packets since the last signal spread the signals. Source: Floyd and Jacobson 1993,
            analysis. Default: analysis.
        guard: Signal nothing while fewer packets than this wait, whatever the average says. Source:
            ns-2 queue/red.cc. Default: 2.
        idle: How the average decays over idle time. Source: Floyd and Jacobson 1993. Default: paper.
        ecn: Mark ECN-capable packets instead of dropping them. Source: tc, ns-2, ns-3. Default: false.
        harddrop: Where the average is beyond the band, drop ECN-capable packets, too. Source: ns-3
            UseHardDrop. Default: true.
        gentle: Let the probability rise from `max_p` at `max_th` to 1 at twice that, instead of
            jumping. Source: authors' scripts, netAllUDP and netMix. Default: true.
        drop: Which packet dies at the hard limit. Source: all. Default: tail.
        rtt: Round trip of the reference TCP (`R`). Too small: only the fastest flows are found. Too
            large: TCP is hit. Source: Mahajan et al. 2001; helper.tcl. Default: 40 ms.
        lists: How many of the last lists count (`M`). More: fewer flows are hit by chance, and
            detection is later. Source: Mahajan et al. 2001; helper.tcl. Default: 5.
        regular: In how many of them a flow must be to count as fast (`K`). Too small: slow flows are
            hit by chance. Source: Mahajan et al. 2001; helper.tcl. Default: 3.
        list_length: Flows kept of a list, those with the most bytes dropped. Too small: fast flows go
            unseen where many send. Source: helper.tcl MaxDropList_. Default: 50.
        start: When the first list ends; `"auto"` is the longest interval, ten `rtt`. Too small: the
            start of the flows counts. Source: none; helper.tcl has 10.1 s. Default: auto.
        min_wait: Least time between two changes of a flow's probability. Too small: a flow is judged
            before it could answer. Source: helper.tcl minTimetoConsider_. Default: 400 ms.
        min_drop_rate: Drop rate up to which nobody's probability grows. Too large: mild congestion is
            nobody's fault. Source: monitoring.tcl. Default: 0.001.
        max_decrease: Most that a probability falls at once. Too small: who slowed down stays punished.
            Too large: oscillation. Source: Mahajan et al. 2001; helper.tcl. Default: 0.05.
        release: Probability at which a quiet flow is released; half of it for an unresponsive one. Too
            large: flows come and go. Source: Mahajan et al. 2001; monitoring.tcl. Default: 0.005.
        unresponsive_test: Test monitored flows for whether a higher drop rate makes them slower.
            Source: red-pd.tcl. Default: true.
        unresponsive_penalty: Factor on the probability of unresponsive flows. Too large: they starve.
            Source: ns-2 unresponsive_penalty_. Default: 1.0.
        noidle: Spare unresponsive flows, too, where the link would idle otherwise. Source: ns-2
            noidle_. Default: false.
        flow: Which fields make a flow. Source: Mahajan et al. 2001. Default: five_tuple.
        flows: Most flows known at once: those in the lists and those monitored. Too small: fast flows
            go unseen in a flood of forged sources. Source: memory; ns-2 has no bound. Default: 4096.
    """

    _kind: ClassVar[str] = "red_pd"

    _: KW_ONLY
    limit: types.Limit | None = None
    min_th: types.Limit | Literal["auto"] | None = None
    max_th: types.Limit | Literal["auto"] | None = None
    max_p: types.Probability | None = None
    weight: types.Probability | Literal["auto"] | None = None
    auto_weight: Literal["rtt", "second", "tenth_second", "auto"] | None = None
    avpkt: types.Size | None = None
    bandwidth: types.Rate | Literal["auto"] | None = None
    target_delay: types.Duration | None = None
    queue_in_bytes: bool | Literal["auto"] | None = None
    probability_in_bytes: bool | None = None
    wait: bool | None = None
    count: Literal["analysis", "figure2", "ns2", "linux"] | None = None
    guard: int | None = None
    idle: Literal["paper", "ns2"] | None = None
    ecn: bool | None = None
    harddrop: bool | None = None
    gentle: bool | None = None
    drop: Literal["tail", "head", "random"] | None = None
    rtt: types.Duration | None = None
    lists: int | None = None
    regular: int | None = None
    list_length: int | None = None
    start: types.Duration | Literal["auto"] | None = None
    min_wait: types.Duration | None = None
    min_drop_rate: types.Probability | None = None
    max_decrease: types.Probability | None = None
    release: types.Probability | None = None
    unresponsive_test: bool | None = None
    unresponsive_penalty: float | None = None
    noidle: bool | None = None
    flow: Literal["five_tuple", "src_dst", "src", "dst"] | None = None
    flows: int | None = None


@dataclass(eq=False, repr=False, slots=True)
class Cpr(Table):
    """RED behind a filter for flows that send mostly while it drops. Zhang, Cai, Chen, Luo and Yin,
    Computer Networks 56, 2012.

    Args:
        limit: Most that may wait. Too small: drops come from the limit, not from the law. Too large:
            only memory. Source: ns-2 Queue limit_. Default: 50 packets.
        min_th: Average below which nothing is signalled. Too small: the link idles. `"auto"`: a third
            of `max_th` where that is given, else half of `target_delay` at the link's rate, at least 5
            packets. Source: ns-2 thresh_ = 0. Default: auto.
        max_th: Average at which the signal probability is `max_p`. Too close to `min_th`: the queue
            oscillates. `"auto"`: three times `min_th`. Source: ns-2 maxthresh_ = 0. Default: auto.
        max_p: Signal probability at `max_th`. Too small: the average runs past `max_th`. Too large: the
            link idles. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: Weight of a new sample in the average. Too small: RED reacts late. Too large: bursts are
            punished. Source: ns-2 q_weight_ = -1. Default: auto.
        auto_weight: What `weight = "auto"` computes; `"auto"` is `"second"` where `max_p` adapts by a
            timer, else `"rtt"`. Source: ns-2; ns-3 for adaptive. Default: auto.
        avpkt: Mean packet size: converts between packets and bytes, and gives idle time in packets.
            Source: tc red. Default: 1 kB.
        bandwidth: Rate at which idle time counts as packets sent; `"auto"` is the link's. Too small:
            the average outlives the silence. Source: Floyd and Jacobson 1993. Default: auto.
        target_delay: Delay that automatic thresholds aim at. Too small: the link idles. Too large: long
            queues. Source: ns-2 targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average is in bytes; `"auto"` takes the unit of `min_th`, else
            `max_th`, else `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default:
            auto.
        probability_in_bytes: Scale the signal probability by packet size over `avpkt`. RFC 7141 advises
            against it. Source: RFC 7141. Default: false.
        wait: Wait for `1/p` packets after a signal before the next: fewer, more even signals. Source:
            Floyd and Jacobson 1993. Default: false.
        count: How packets since the last signal spread the signals. Source: Floyd and Jacobson 1993,
            analysis. Default: analysis.
        guard: Signal nothing while fewer packets than this wait, whatever the average says. Source:
            ns-2 queue/red.cc. Default: 2.
        idle: How the average decays over idle time. Source: Floyd and Jacobson 1993. Default: paper.
        ecn: Mark ECN-capable packets instead of dropping them. Source: tc, ns-2, ns-3. Default: false.
        harddrop: Where the average is beyond the band, drop ECN-capable packets, too. Source: ns-3
            UseHardDrop. Default: true.
        gentle: Let the probability rise from `max_p` at `max_th` to 1 at twice that, instead of
            jumping. Source: ns-2 since 2001, as in the authors' scripts. Default: true.
        drop: Which packet dies at the hard limit. Source: all. Default: tail.
        tau: Congestion participation rate from which a flow is an attacker. Too small: TCP is hit. Too
            large: attacks pass. Source: authors' scripts, d_cpr. Default: 0.3.
        dt: Length of an interval. Too small: attackers miss the drops that they cause. Too large:
            everybody is there. Source: authors' scripts, dt; the analysis script alone has 10 ms.
            Default: 1 ms.
        sample: How much of each interval, from its start, is sampled; `"auto"` is all of it. Too small:
            few packets count. Source: authors' scripts, s_l = dt. Default: auto.
        window: Time over which the rate is taken. Too small: chance decides. Too large: who stopped
            stays blocked. Source: none; the authors judge whole recordings. Default: 10 s.
        min_packets: Packets within the window below which a flow is not judged. Too small: chance
            decides. Too large: attackers spread over many flows pass. Source: none; the authors judge
            whole recordings. Default: 20.
        marks_count: Take also a mark for a drop. Source: not in Zhang et al. 2012. Default: false.
        flow: Which fields make a flow. Source: authors' script: addresses, ports and flow number.
            Default: five_tuple.
        flows: Most flows known at once. Too small: flows pass unjudged. Source: memory; the authors
            have no bound. Default: 65536.
    """

    _kind: ClassVar[str] = "cpr"

    _: KW_ONLY
    limit: types.Limit | None = None
    min_th: types.Limit | Literal["auto"] | None = None
    max_th: types.Limit | Literal["auto"] | None = None
    max_p: types.Probability | None = None
    weight: types.Probability | Literal["auto"] | None = None
    auto_weight: Literal["rtt", "second", "tenth_second", "auto"] | None = None
    avpkt: types.Size | None = None
    bandwidth: types.Rate | Literal["auto"] | None = None
    target_delay: types.Duration | None = None
    queue_in_bytes: bool | Literal["auto"] | None = None
    probability_in_bytes: bool | None = None
    wait: bool | None = None
    count: Literal["analysis", "figure2", "ns2", "linux"] | None = None
    guard: int | None = None
    idle: Literal["paper", "ns2"] | None = None
    ecn: bool | None = None
    harddrop: bool | None = None
    gentle: bool | None = None
    drop: Literal["tail", "head", "random"] | None = None
    tau: types.Probability | None = None
    dt: types.Duration | None = None
    sample: types.Duration | Literal["auto"] | None = None
    window: types.Duration | None = None
    min_packets: int | None = None
    marks_count: bool | None = None
    flow: Literal["five_tuple", "src_dst", "src", "dst"] | None = None
    flows: int | None = None


@dataclass(eq=False, repr=False, slots=True)
class Sfb(Table):
    """BLUE in hashed bins; who fills all of its bins shares a penalty box. Feng, Kandlur, Saha and Shin,
    INFOCOM 2001; Linux sch_sfb.

    Args:
        form: Whose SFB: the order of its steps, and the value of every `"auto"` below. Source: tc sfb.
            Default: linux.
        limit: Most that may wait. Too small: bins never fill, and nobody is found out. `"auto"`: 1000
            packets (linux), 200 (lanl). Source: Linux txqueuelen; Bedi et al. 2014. Default: auto.
        levels: Levels, each with a hash of its own. More: fewer innocents caught, more work a packet.
            `"auto"`: 8 (linux), 2 (lanl). Source: Linux SFB_LEVELS; Feng et al. 2001. Default: auto.
        bins: Bins at each level. Too few: innocents share bins with floods at every level. `"auto"`: 16
            (linux), 23 (lanl). Source: Linux SFB_NUMBUCKETS; Feng et al. 2001. Default: auto.
        flow: Which fields make a flow. Fewer: innocents share the bins of a flood. Source: Linux
            sch_sfb. Default: five_tuple.
        hash: How flows get to their bins. `lanl` has two levels; with `flow = "src_dst"` it is what
            ns-2 makes of agents whose ports are all zero. Source: Linux sch_sfb; LANL port. Default:
            salted.
        target: Packets in a bin from which its probability rises. Too small: signals for short bursts.
            `"auto"`: 20 (linux), `limit` over `bins` (lanl). Source: Linux bin_size; LANL port.
            Default: auto.
        max: Packets in a bin from which it is full. Too small: drops come from here, not from the law.
            `"auto"`: 25 (linux), one and a half times `target` (lanl). Source: Linux max; LANL port.
            Default: auto.
        avpkt: Mean packet size: turns a `limit` in bytes into the packets that `target` follows from.
            Source: Bedi et al. 2014. Default: 1 kB.
        increment: What a full bin adds to its probability. Too large: oscillation. `"auto"`: 1/1000
            (linux), 0.005 (lanl). Source: Linux increment; LANL port d1. Default: auto.
        decrement: What an empty bin takes from its probability. Too large: floods are forgotten in
            their pauses. `"auto"`: 1/6000 (linux), 0.001 (lanl). Source: Linux decrement; LANL port d2.
            Default: auto.
        freeze: Least time between changes of a bin. Too large: slow to find floods. `"auto"`: none
            (linux), 100 ms (lanl). Source: Linux; LANL port hold_time. Default: auto.
        penalise: Probability from which, in all bins of a flow, it counts as unresponsive. `"auto"`: 1
            (linux), 0.98 (lanl). Source: Linux SFB_MAX_PROB; LANL port. Default: auto.
        early: What a packet that the probability hits gets. `"auto"`: linux (linux), mark_only (lanl).
            Source: Linux; LANL port. Default: auto.
        overflow: Which full bins drop a packet. `"auto"`: all (linux), any (lanl), which hits whoever
            shares one bin. Source: Linux; LANL port. Default: auto.
        rehash: Time after which another hash takes over; zero is never. Too large: who shares bins with
            a flood stays there. `"auto"`: 600 s (linux), 20 s (lanl). Source: Linux rehash_interval;
            LANL port hinterval. Default: auto.
        warm: What the bins of the next hash learn from. `"auto"`: inelastic (linux), always (lanl).
            Source: Linux double buffering; LANL port. Default: auto.
        warmup: How long before a change they learn, with `inelastic`. Too small: floods are free at
            first. Source: Linux warmup_time. Default: 60 s.
        initial: Probability they start from, with `always`. Source: LANL port. Default: 0.2.
        penalty_interval: Penalty box of `lanl`: time from one packet to the next, over all its flows.
            Too small: floods get through. Source: LANL port pbox_time. Default: 50 ms.
        penalty_rate: Penalty box of `linux`: packets a second, over all its flows. Zero: none at all.
            Source: Linux penalty_rate. Default: 10.
        penalty_burst: Penalty box of `linux`: packets at once. Zero: none at all. Source: Linux
            penalty_burst. Default: 20.
        ecn: Mark ECN-capable packets instead of dropping them. Source: Linux. Default: true.
    """

    _kind: ClassVar[str] = "sfb"

    _: KW_ONLY
    form: Literal["linux", "lanl"] | None = None
    limit: types.Limit | Literal["auto"] | None = None
    levels: int | Literal["auto"] | None = None
    bins: int | Literal["auto"] | None = None
    flow: Literal["five_tuple", "src_dst", "src", "dst"] | None = None
    hash: Literal["salted", "lanl"] | None = None
    target: int | Literal["auto"] | None = None
    max: int | Literal["auto"] | None = None
    avpkt: types.Size | None = None
    increment: types.Probability | Literal["auto"] | None = None
    decrement: types.Probability | Literal["auto"] | None = None
    freeze: types.Duration | Literal["auto"] | None = None
    penalise: types.Probability | Literal["auto"] | None = None
    early: Literal["signal", "linux", "mark_only", "auto"] | None = None
    overflow: Literal["any", "all", "auto"] | None = None
    rehash: types.Duration | Literal["auto"] | None = None
    warm: Literal["always", "inelastic", "auto"] | None = None
    warmup: types.Duration | None = None
    initial: types.Probability | None = None
    penalty_interval: types.Duration | None = None
    penalty_rate: int | None = None
    penalty_burst: int | None = None
    ecn: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Codel(Table):
    """Signals from the head while the sojourn time stays above a target. RFC 8289; Nichols and Jacobson,
    ACM Queue 10(5), 2012.

    Args:
        form: Whose CoDel: gives every `"auto"` below its value. A tc line is Linux's. Source: RFC 8289.
            Default: rfc.
        limit: Most that may wait. Too small: drops come from the limit, not from the law. Too large:
            only memory. Source: Linux sch_codel. Default: 1000 packets.
        target: Sojourn time that is acceptable for good. Too small (below the time to send one or two
            packets): the link idles. Too large: standing queue. Source: RFC 8289 §4.4. Default: 5 ms.
        interval: Time that the sojourn must stay above `target` before the first signal; about the
            longest common round trip. Too small: bursts are punished. Too large: slow reaction. Source:
            RFC 8289 §4.4. 2 us to 1000 s (it is divided into the times between signals). Default: 100
            ms.
        ecn: Mark ECN-capable packets instead of dropping them. Source: Linux sch_codel. Default: false.
        ce_threshold: Mark every ECN-capable packet that waited longer than this, whatever the law says
            and whether or not `ecn` is on; `"auto"` turns it off. Too small: senders starve. Source:
            Linux sch_codel (off). Default: auto.
        maxpacket: With no more than this waiting nothing is signalled; `"auto"` is the largest packet
            seen, at least 512 bytes (rfc), or 1514 bytes (linux). Too large: a standing queue of that
            size is never seen. Source: RFC 8289 §5.5; Linux: the device's MTU. Default: auto.
        arithmetic: How the control law is computed. `"auto"`: exact (rfc), linux16 (linux). Source: RFC
            8289 §5.5; Linux. Default: auto.
    """

    _kind: ClassVar[str] = "codel"

    _: KW_ONLY
    form: Literal["rfc", "linux"] | None = None
    limit: types.Limit | None = None
    target: types.Duration | None = None
    interval: types.Duration | None = None
    ecn: bool | None = None
    ce_threshold: types.Duration | Literal["auto"] | None = None
    maxpacket: types.Size | Literal["auto"] | None = None
    arithmetic: Literal["exact", "linux16", "auto"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Sfq(Table):
    """Hashes flows into buckets and serves these in turn. McKenney, INFOCOM 1990; ns-2 queue/sfq.cc; Linux
    sch_sfq.

    Args:
        form: Whose SFQ: gives every `"auto"` below its value. Source: tc sfq. Default: linux.
        limit: Most packets that may wait in all buckets together. Too small: no room for fairness.
            `"auto"`: 40 (ns2), 127 (linux, paper). Source: ns-2 maxqueue_; Linux SFQ_MAX_DEPTH.
            Default: auto.
        depth: Most packets that may wait in one bucket. `"auto"`: 127 (linux), else `limit`. Source:
            Linux SFQ_MAX_DEPTH. Default: auto.
        buckets: Values of the hash. Too few: flows collide and share one turn. `"auto"`: 16 (ns2), 1024
            (linux, paper). Source: ns-2 buckets_; Linux SFQ_DEFAULT_HASH_DIVISOR. Default: auto.
        flows: Buckets that can hold packets at once; arrivals for more are dropped. `"auto"`: 128
            (linux), else `buckets`. Source: Linux SFQ_DEFAULT_FLOWS. Default: auto.
        service: What a bucket may send in its turn. `"auto"`: byte (linux), else packet. Source: ns-2;
            Linux; McKenney 1990. Default: auto.
        quantum: Bytes a bucket may send in its turn, with byte service. Too small: many idle turns. Too
            large: bursts. Source: Linux: one Ethernet frame. Default: 1514 B.
        drop: Who pays when the buffer is full. `"auto"`: arrival_ns2 (ns2), else longest_tail. Source:
            ns-2; Linux; McKenney 1990. Default: auto.
        hash: What tells flows apart. `"auto"`: ns2 (ns2), else five_tuple. Source: ns-2; Linux;
            McKenney 1990. Default: auto.
        perturb: Time after which the hash gets another salt, so that flows that collide do not do so
            for ever; zero is never. Waiting packets move along. `"auto"`: 10 s (paper), else never.
            Source: Linux: off; McKenney 1990: on. Default: auto.
    """

    _kind: ClassVar[str] = "sfq"

    _: KW_ONLY
    form: Literal["ns2", "linux", "paper"] | None = None
    limit: types.Limit | Literal["auto"] | None = None
    depth: int | Literal["auto"] | None = None
    buckets: int | Literal["auto"] | None = None
    flows: int | Literal["auto"] | None = None
    service: Literal["packet", "byte", "auto"] | None = None
    quantum: types.Size | None = None
    drop: Literal["arrival_ns2", "longest_tail", "longest_head", "auto"] | None = None
    hash: Literal["ns2", "src_dst", "five_tuple", "auto"] | None = None
    perturb: types.Duration | Literal["auto"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Pie(Table):
    """Signals arrivals with a probability that a controller of the queueing delay sets. RFC 8033; Pan et
    al., HPSR 2013.

    Args:
        form: Whose PIE where they differ: gives every `"auto"` below its value. A tc line is Linux's.
            Source: RFC 8033. Default: rfc.
        limit: Most that may wait. Too small: drops come from the limit, not from the law. Too large:
            only memory. Source: Linux sch_pie. Default: 1000 packets.
        target: Queueing delay that the controller aims at. Too small: the link idles. Too large:
            standing queue. Source: RFC 8033 Appendix A, QDELAY_REF. Default: 15 ms.
        tupdate: Time between updates of the probability. Too small: noise is followed. Too large: slow
            reaction. Source: RFC 8033 §4.2, T_UPDATE. 10 us to 1000 s (each tick is an event). Default:
            15 ms.
        alpha: Gain of the distance from `target`, 1/s. Too small: slow. Too large: oscillation. Source:
            RFC 8033 §4.2. 0.0 to 1000000.0 (the controller would drive the delay away). Default: 0.125.
        beta: Gain of the trend of the delay, 1/s. Too small: overshoot. Too large: noise is amplified.
            Source: RFC 8033 §4.2. 0.0 to 1000000.0 (the controller would drive the delay away).
            Default: 1.25.
        max_burst: Time at the start of a burst in which nothing is signalled. Too large: floods enter
            unhindered. Source: RFC 8033 §4.4, MAX_BURST. Default: 150 ms.
        ecn: Mark ECN-capable packets instead of dropping them. Source: Linux sch_pie. Default: false.
        mark_ecnth: Above this probability ECN-capable packets are dropped, too. Too large: a flood of
            ECN-capable packets is not held. Source: RFC 8033 §5.1. Default: 0.1.
        mean_pktsize: Nothing is signalled while no more than two packets of this size wait; unit of
            `bytemode`. Too large: a standing queue of that size is never seen. `"auto"`: 1000 bytes
            (rfc), 1024 (docsis), 1514 (linux). Source: ns-3 MeanPktSize; RFC 8034; Linux: the device's
            MTU. Default: auto.
        bytemode: Scale the probability by packet size over `mean_pktsize`. RFC 7141 advises against it.
            Source: RFC 7141; Linux sch_pie. Default: false.
        derandomize: Space signals evenly: none before the accumulated probability is 0.85, one at the
            latest at 8.5. Source: RFC 8033 §5.4; Linux. Default: true.
        max_step: Largest increase of the probability in one update once it is 0.1; 1 turns the cap off.
            Source: RFC 8033 §5.5. Default: 0.02.
        burst: What starts the burst allowance; `"auto"` goes by `form`. With `docsis` a short queue is
            never signalled. Source: RFC 8033 §4.4; RFC 8034 Appendix A. Default: auto.
        burst_reset: With `burst = "docsis"`: quiet time after which the queue has to be a third full
            again. Too small: every burst is spared. Source: RFC 8034 Appendix A, BURST_RESET_TIMEOUT.
            Default: 1 s.
        hold_in_burst: Hold the probability at zero while the burst allowance lasts, as ns-2 and ns-3
            do. Source: RFC 8033 Appendix A. Default: false.
        delay_from: Where the queueing delay comes from. Source: Linux sch_pie; RFC 8033 §4.3 allows
            both. Default: timestamps.
        dq_threshold: Bytes over which the rate of departure is measured, where it is. Too small: noise.
            Too large: no measurement at all, and with it no delay. Source: RFC 8033 §5.2. Default:
            16384 B.
    """

    _kind: ClassVar[str] = "pie"

    _: KW_ONLY
    form: Literal["rfc", "linux", "docsis"] | None = None
    limit: types.Limit | None = None
    target: types.Duration | None = None
    tupdate: types.Duration | None = None
    alpha: float | None = None
    beta: float | None = None
    max_burst: types.Duration | None = None
    ecn: bool | None = None
    mark_ecnth: types.Probability | None = None
    mean_pktsize: types.Size | Literal["auto"] | None = None
    bytemode: bool | None = None
    derandomize: bool | None = None
    max_step: types.Probability | None = None
    burst: Literal["rfc", "docsis", "auto"] | None = None
    burst_reset: types.Duration | None = None
    hold_in_burst: bool | None = None
    delay_from: Literal["timestamps", "rate"] | None = None
    dq_threshold: types.Size | None = None


@dataclass(eq=False, repr=False, slots=True)
class FqCodel(Table):
    """Deficit round robin over hashed flows, each under CoDel; sparse flows go first. RFC 8290.

    Args:
        form: Whose FQ-CoDel: gives every `"auto"` below its value. A tc line is Linux's. Source: RFC
            8290. Default: rfc.
        limit: Most that may wait in all flows together. Too small: drops come from the limit, not from
            the law. Source: RFC 8290 §5.2.1. Default: 10240 packets.
        memory_limit: Most memory that packets may take, beside `limit`: some 2304 bytes for a full
            packet, as Linux counts. Too small: as `limit`. Too large: only memory. Source: RFC 8290
            §5.2.7 (Linux: 32 MB). Default: 33554432 B.
        flows: Queues that flows are hashed into. Too few: flows collide and share one turn and one
            CoDel. Source: RFC 8290 §5.2.4. Default: 1024.
        flow_by: Which fields of a packet make its flow. Source: RFC 8290 §4.1.1. Default: five_tuple.
        quantum: Bytes a flow may send in its turn. Too small: many idle turns. Too large: bursts, and
            flows of that size pass as sparse. Source: RFC 8290 §5.2.5. Default: 1514 B.
        target: CoDel's acceptable sojourn time. Too small: the link idles. Too large: standing queue.
            Source: RFC 8290 §5.2.3. Default: 5 ms.
        interval: CoDel's interval, about the longest common round trip. Too small: bursts are punished.
            Too large: slow. Source: RFC 8290 §5.2.2. 2 us to 1000 s (it is divided into the times
            between signals). Default: 100 ms.
        ecn: Mark ECN-capable packets instead of dropping them. Source: RFC 8290 §5.2.6. Default: true.
        ce_threshold: Mark every ECN-capable packet that waited longer than this; `"auto"` turns it off.
            Too small: senders starve. Source: RFC 8290 §5.2.8 (off). Default: auto.
        ce_threshold_selector: What the bits of a packet under `ce_threshold_mask` must be for
            `ce_threshold` to mark it: the upper six are the DiffServ codepoint's, the lower two ECN's.
            1 under a mask of 3 is ECT(1). Source: Linux sch_fq_codel. Default: 0.
        ce_threshold_mask: The bits that count for `ce_threshold`; with 0 it marks every ECN-capable
            packet. Source: Linux sch_fq_codel. Default: 0.
        drop_batch: Most packets dropped at once when the buffer is full. Too small: much work under a
            flood. Too large: bursts of loss. Source: RFC 8290 §4.1.3. Default: 64.
        maxpacket: With no more than this waiting CoDel signals nothing; `"auto"` is the largest packet
            of the flow, at least 512 bytes (rfc), or 1514 bytes (linux). Too large: a standing queue of
            that size is never seen. Source: RFC 8289 §5.5; Linux: the device's MTU. Default: auto.
        codel_backlog: Which backlog is compared with `maxpacket`. `"auto"`: flow (rfc), total (linux).
            Source: RFC 8290 §4; Linux. Default: auto.
        count_overlimit: Whether a drop at the limit raises CoDel's count, and so its rate once it
            signals. `"auto"`: false (rfc), true (linux). Source: RFC 8290 §4.1.3; Linux. Default: auto.
        emptied: What becomes of a new flow that is found empty; where it may leave, it is new again
            with its next packet. `"auto"`: stays (rfc), stays_if_old (linux). Source: RFC 8290 §4.2;
            Linux. Default: auto.
        arithmetic: How CoDel's control law is computed. `"auto"`: exact (rfc), linux16 (linux). Source:
            RFC 8289 §5.5; Linux. Default: auto.
    """

    _kind: ClassVar[str] = "fq_codel"

    _: KW_ONLY
    form: Literal["rfc", "linux"] | None = None
    limit: types.Limit | None = None
    memory_limit: types.Size | None = None
    flows: int | None = None
    flow_by: Literal["five_tuple", "src_dst", "src", "dst"] | None = None
    quantum: types.Size | None = None
    target: types.Duration | None = None
    interval: types.Duration | None = None
    ecn: bool | None = None
    ce_threshold: types.Duration | Literal["auto"] | None = None
    ce_threshold_selector: int | None = None
    ce_threshold_mask: int | None = None
    drop_batch: int | None = None
    maxpacket: types.Size | Literal["auto"] | None = None
    codel_backlog: Literal["flow", "total", "auto"] | None = None
    count_overlimit: bool | Literal["auto"] | None = None
    emptied: Literal["stays", "stays_if_old", "auto"] | None = None
    arithmetic: Literal["exact", "linux16", "auto"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Drr(Table):
    """Serves flows in turn, a quantum of bytes each, and carries over what a turn leaves. Shreedhar and
    Varghese, SIGCOMM 1995; ns-2 queue/drr.cc; Linux sch_drr.

    Args:
        form: Whose DRR: gives every `"auto"` below its value. Source: Shreedhar and Varghese, SIGCOMM
            1995. Default: paper.
        limit: Most that may wait in all flows together. Too small: no room for fairness. `"auto"`: 1000
            packets (paper), 25 kB (ns2). Source: Linux pfifo; ns-2 blimit_. Default: auto.
        flows: Queues that flows are hashed into. Too few: flows collide and share one turn. `"auto"`:
            1024 (paper), 10 (ns2). Source: Linux fq_codel; ns-2 buckets_. Default: auto.
        quantum: Bytes a flow, or a class that has none of its own, may send in its turn; at least 1500
            but for ns2 and `classes`. Too small: turns in which nothing goes. Too large: bursts.
            `"auto"`: 1514 (paper), 250 (ns2). Source: Linux sch_drr: one Ethernet frame; ns-2 quantum_.
            Default: auto.
        drop: Which packet dies when the buffer is full. `"auto"`: longest_tail (paper), longest_head
            (ns2). Source: Demers et al., SIGCOMM 1989; ns-2. Default: auto.
        flow_by: Which fields of a packet make its flow. `"auto"`: five_tuple (paper), src (ns2).
            Source: Linux fq_codel; ns-2 mask_ 0. Default: auto.
        classes: Linux's classes in the place of flows, separated by semicolons. Each: filters,
            separated by commas, then `quantum` and a size if it has its own, then a colon and a
            discipline if it has its own. A filter is `other`, or what a packet must be: a codepoint,
            `tcp` or `udp`, `sport` and `dport` with a number. The first filter that matches decides;
            what none matches is dropped. A discipline is a name, a name with parameters, or a tc line:
            `EF, udp dport 53 quantum 3000 B: pie(target = 5 ms); other: codel target 5ms`. `"auto"`:
            none, flows have queues. Source: Shreedhar and Varghese, SIGCOMM 1995; Linux sch_drr.
            Default: auto.
        leaf: Where the packets of a class wait that names no discipline. `"auto"`: pfifo limit 1000.
            Source: Linux pfifo. Default: auto.
    """

    _kind: ClassVar[str] = "drr"

    _: KW_ONLY
    form: Literal["paper", "ns2"] | None = None
    limit: types.Limit | Literal["auto"] | None = None
    flows: int | Literal["auto"] | None = None
    quantum: types.Size | Literal["auto"] | None = None
    drop: Literal["longest_tail", "longest_head", "auto"] | None = None
    flow_by: Literal["five_tuple", "src_dst", "src", "dst", "auto"] | None = None
    classes: str | None = None
    leaf: str | None = None


@dataclass(eq=False, repr=False, slots=True)
class Cobalt(Table):
    """CoDel's schedule, with a BLUE drop probability against flows that do not respond. Palmei et al.,
    LANMAN 2019; Høiland-Jørgensen et al., LANMAN 2018.

    Args:
        limit: Most that may wait. Too small: drops come from the limit, not from the law. Too large:
            only memory. Source: ns-3 CobaltQueueDisc. Default: 1000 packets.
        target: Sojourn time that is acceptable for good; also the least time between changes of the
            probability. Too small: the link idles. Too large: standing queue. Source: ns-3
            CobaltQueueDisc; CAKE. Default: 5 ms.
        interval: Time between the first signals, about the longest common round trip. Too small: bursts
            are punished. Too large: slow reaction. Source: ns-3 CobaltQueueDisc; CAKE. 2 us to 1000 s
            (it is divided into the times between signals). Default: 100 ms.
        ecn: Mark ECN-capable packets instead of dropping them where CoDel's schedule signals. Source:
            CAKE. Default: true.
        increment: What an overflow adds to BLUE's probability. Too small: floods fill the buffer. Too
            large: it overshoots. Source: ns-3 CobaltQueueDisc; CAKE. Default: 0.00390625.
        decrement: What running empty takes from it. Too small: drops go on after a flood. Too large:
            floods return. Source: ns-3 CobaltQueueDisc; CAKE. Default: 0.000244140625.
        blue_threshold: Sojourn time beyond which BLUE's probability grows without an overflow; `"auto"`
            turns that off. Too small: BLUE takes over from CoDel. Source: ns-3 CobaltQueueDisc.
            Default: 400 ms.
    """

    _kind: ClassVar[str] = "cobalt"

    _: KW_ONLY
    limit: types.Limit | None = None
    target: types.Duration | None = None
    interval: types.Duration | None = None
    ecn: bool | None = None
    increment: types.Probability | None = None
    decrement: types.Probability | None = None
    blue_threshold: types.Duration | Literal["auto"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class FqCobalt(Table):
    """Deficit round robin over hashed flows, each under COBALT; sparse flows go first. Høiland-Jørgensen
    et al., LANMAN 2018; ns-3 FqCobaltQueueDisc.

    Args:
        limit: Most that may wait in all flows together. Too small: drops come from the limit, not from
            the law. Source: ns-3 FqCobaltQueueDisc. Default: 10240 packets.
        flows: Queues that flows are hashed into. Too few: flows collide and share one turn and one law.
            Source: ns-3 FqCobaltQueueDisc; CAKE. Default: 1024.
        flow_by: Which fields of a packet make its flow. Source: ns-3 FqCobaltQueueDisc. Default:
            five_tuple.
        quantum: Bytes a flow may send in its turn. Too small: many idle turns. Too large: bursts.
            Source: CAKE: one Ethernet frame. Default: 1514 B.
        drop_batch: Most packets dropped at once when the buffer is full. Too small: much work under a
            flood. Too large: bursts of loss. Source: ns-3 FqCobaltQueueDisc. Default: 64.
        target: Acceptable sojourn time. Too small: the link idles. Too large: standing queue. Source:
            ns-3 FqCobaltQueueDisc; CAKE. Default: 5 ms.
        interval: Time between the first signals, about the longest common round trip. Too small: bursts
            are punished. Too large: slow reaction. Source: ns-3 FqCobaltQueueDisc; CAKE. 2 us to 1000 s
            (it is divided into the times between signals). Default: 100 ms.
        ecn: Mark ECN-capable packets instead of dropping them where CoDel's schedule signals. Source:
            ns-3 FqCobaltQueueDisc; CAKE. Default: true.
        increment: What an overflow adds to the probability of the flow that pays. Too small: floods
            fill the buffer. Too large: it overshoots. Source: ns-3 FqCobaltQueueDisc; CAKE. Default:
            0.00390625.
        decrement: What running empty takes from it. Too small: drops go on after a flood. Too large:
            floods return. Source: ns-3 FqCobaltQueueDisc; CAKE. Default: 0.000244140625.
        blue_threshold: Sojourn time beyond which the probability grows without an overflow; `"auto"`
            turns that off. Too small: BLUE takes over from CoDel. Source: ns-3 FqCobaltQueueDisc.
            Default: 400 ms.
    """

    _kind: ClassVar[str] = "fq_cobalt"

    _: KW_ONLY
    limit: types.Limit | None = None
    flows: int | None = None
    flow_by: Literal["five_tuple", "src_dst", "src", "dst"] | None = None
    quantum: types.Size | None = None
    drop_batch: int | None = None
    target: types.Duration | None = None
    interval: types.Duration | None = None
    ecn: bool | None = None
    increment: types.Probability | None = None
    decrement: types.Probability | None = None
    blue_threshold: types.Duration | Literal["auto"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Cake(Table):
    """Shaper, DiffServ tins, fair shares for hosts and flows, COBALT in each queue. Høiland-Jørgensen et
    al., LANMAN 2018; Linux sch_cake.

    Args:
        bandwidth: Rate that the shaper sends at; `"auto"` is unlimited, the link's own rate then holds.
            Too small: the link is not used. Too large: packets wait elsewhere, where nobody manages
            them. Source: Linux sch_cake (unlimited). Default: auto.
        autorate_ingress: Follow the rate at which packets arrive, 15/16 of its peaks: for a queue
            behind a bottleneck whose rate changes. `bandwidth` is where it begins. Source: Linux
            sch_cake. Default: false.
        ingress: The bottleneck is upstream: dropped packets count as sent, since they have used it. On
            a queue in front of its own bottleneck it wastes the rate. Source: Linux sch_cake (egress).
            Default: false.
        diffserv: How DiffServ codepoints are sorted into tins. Source: Linux sch_cake. Default:
            diffserv3.
        flow_mode: What is told apart, and among whom the rate is shared first. Source: Linux sch_cake.
            Default: triple-isolate.
        wash: Set the codepoint of all packets to zero after they were sorted. Source: Linux sch_cake
            (nowash). Default: false.
        ack_filter: Drop acknowledgments of TCP that newer ones make redundant. Aggressive saves more of
            a slow upward link, and leaves senders fewer to clock their packets by. Source: Linux
            sch_cake (no-ack-filter). Default: off.
        rtt: Longest common round trip: COBALT's interval. Too small: bursts are punished. Too large:
            slow reaction. Source: Linux sch_cake (internet). 2 us to 1000 s (the time between signals
            follows from it). Default: 100 ms.
        target: COBALT's acceptable sojourn time; `"auto"` is a twentieth of `rtt`. A tin whose largest
            packet takes longer than two thirds of it has one and a half times that. Too small: the link
            idles. Too large: standing queue. Source: Linux sch_cake (5 ms). 1 us to 1000 s (every
            packet, or none, would be late). Default: auto.
        overhead: Bytes that the link below adds to each packet. Too small: that link's own queue fills.
            Too large: rate is wasted. Source: Linux sch_cake (raw). Default: 0 B.
        mpu: Least bytes that a packet takes there, overhead included. Too small or too large: as
            `overhead`. Source: Linux sch_cake. Default: 0 B.
        link_layer: Whether the link below cuts packets into cells (ATM) or codes them (PTM). Source:
            Linux sch_cake (noatm). Default: noatm.
        mtu: Largest packet, for the times that follow from it. Too small: slow links drop without need.
            Source: Linux: Ethernet's. Default: 1514 B.
        memory_limit: Most memory that packets may take, 2304 bytes for a full one as Linux counts;
            `"auto"` is four times what `bandwidth` carries in an `rtt`, at least 4 MiB and at most 10
            240 packets of `mtu`. Too small: drops come from the limit, not from the law. Source: Linux
            sch_cake. Default: auto.
    """

    _kind: ClassVar[str] = "cake"

    _: KW_ONLY
    bandwidth: types.Rate | Literal["auto"] | None = None
    autorate_ingress: bool | None = None
    ingress: bool | None = None
    diffserv: Literal["besteffort", "precedence", "diffserv3", "diffserv4", "diffserv8"] | None = None
    flow_mode: (
        Literal[
            "flowblind",
            "srchost",
            "dsthost",
            "hosts",
            "flows",
            "dual-srchost",
            "dual-dsthost",
            "triple-isolate",
        ]
        | None
    ) = None
    wash: bool | None = None
    ack_filter: Literal["off", "on", "aggressive"] | None = None
    rtt: types.Duration | None = None
    target: types.Duration | Literal["auto"] | None = None
    overhead: types.Size | None = None
    mpu: types.Size | None = None
    link_layer: Literal["noatm", "atm", "ptm"] | None = None
    mtu: types.Size | None = None
    memory_limit: types.Size | Literal["auto"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class CodelLifo(Table):
    """A stack under CoDel, which drops only in a run of growing waits. Felix da Silva, Santos, Nogueira: A
    New Queue Discipline for Reducing Bufferbloat Effects.

    Args:
        form: Whose CoDel-LIFO: that of the text or that of its authors' code. Source: Felix da Silva et
            al.. Default: paper.
        limit: Most that may wait. Too small: drops come from the limit, not from the law. Too large:
            old packets linger. Source: ns-3 CoDelQueue. Default: 1000 packets.
        overflow: Which packet dies when the stack is full. Source: Felix da Silva et al.. Default:
            arrival.
        target: Sojourn time that is acceptable for good. Too small: every packet counts for a run. Too
            large: the law sleeps. Source: Felix da Silva et al. (tau). Default: 5 ms.
        interval: Time that the sojourn must stay above `target` before the first drop. Too small:
            bursts are punished. Too large: slow reaction. Source: Felix da Silva et al. (lambda). 2 us
            to 1000 s (it is divided into the times between signals). Default: 100 ms.
        ecn: Mark ECN-capable packets instead of dropping them. Source: Felix da Silva et al. (no ECN).
            Default: false.
        maxpacket: With no more than this waiting nothing is signalled; `"auto"` is the largest packet
            seen, at least 512 bytes. Too large: a standing queue of that size is never seen. Source:
            RFC 8289 §5.5. Default: auto.
        literal_reset: Whether the count of drops is forgotten as soon as a sojourn is below target
            (`paper` only). Source: RFC 8289 §5.4 (the text: true). Default: false.
    """

    _kind: ClassVar[str] = "codel_lifo"

    _: KW_ONLY
    form: Literal["paper", "authors"] | None = None
    limit: types.Limit | None = None
    overflow: Literal["arrival", "bottom"] | None = None
    target: types.Duration | None = None
    interval: types.Duration | None = None
    ecn: bool | None = None
    maxpacket: types.Size | Literal["auto"] | None = None
    literal_reset: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class FqCodelLifo(Table):
    """Deficit round robin over hashed flows, each a stack under CoDel-LIFO. Felix da Silva, Santos,
    Nogueira: A New Queue Discipline for Reducing Bufferbloat Effects.

    Args:
        form: Whose CoDel-LIFO: that of the text or that of its authors' code. Source: Felix da Silva et
            al.. Default: paper.
        limit: Most that may wait in all flows together. Too small: drops come from the limit, not from
            the law. Source: RFC 8290 §5.2.1. Default: 10240 packets.
        flows: Stacks that flows are hashed into. Too few: flows collide and share one turn and one law.
            Source: RFC 8290 §5.2.4. Default: 1024.
        flow_by: Which fields of a packet make its flow. Source: RFC 8290 §4.1.1. Default: five_tuple.
        quantum: Bytes a flow may send in its turn. Too small: many idle turns. Too large: bursts.
            Source: RFC 8290 §5.2.5. Default: 1514 B.
        drop_batch: Most packets dropped at once when the buffer is full. Too small: much work under a
            flood. Too large: bursts of loss. Source: RFC 8290 §4.1.3. Default: 64.
        target: Sojourn time that is acceptable for good. Too small: every packet counts for a run. Too
            large: the law sleeps. Source: Felix da Silva et al. (tau). Default: 5 ms.
        interval: Time that the sojourn must stay above `target` before the first drop. Too small:
            bursts are punished. Too large: slow reaction. Source: Felix da Silva et al. (lambda). 2 us
            to 1000 s (it is divided into the times between signals). Default: 100 ms.
        ecn: Mark ECN-capable packets instead of dropping them. Source: Felix da Silva et al. (no ECN).
            Default: false.
        maxpacket: With no more than this waiting in the flow nothing is signalled; `"auto"` is its
            largest packet seen, at least 512 bytes. Too large: a standing queue of that size is never
            seen. Source: RFC 8289 §5.5. Default: auto.
        literal_reset: Whether the count of drops is forgotten as soon as a sojourn is below target
            (`paper` only). Source: RFC 8289 §5.4 (the text: true). Default: false.
    """

    _kind: ClassVar[str] = "fq_codel_lifo"

    _: KW_ONLY
    form: Literal["paper", "authors"] | None = None
    limit: types.Limit | None = None
    flows: int | None = None
    flow_by: Literal["five_tuple", "src_dst", "src", "dst"] | None = None
    quantum: types.Size | None = None
    drop_batch: int | None = None
    target: types.Duration | None = None
    interval: types.Duration | None = None
    ecn: bool | None = None
    maxpacket: types.Size | Literal["auto"] | None = None
    literal_reset: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Fq(Table):
    """Serves a queue for each connection in turn, by packets or by bits. Nagle, RFC 970, 1985; Demers,
    Keshav, Shenker, SIGCOMM 1989.

    Args:
        form: Whose FQ: gives every `"auto"` below its value. A tc line is Linux's. Source: RFC 970.
            Default: rfc.
        limit: Most that may wait in all queues together; also bounds how many connections are known.
            Too small: who comes late finds no room. Too large: only memory. `"auto"`: 1000 packets
            (rfc), 10 000 (linux). Source: Linux pfifo; Linux sch_fq. Default: auto.
        flow_limit: Most that may wait in one connection's queue; `"auto"` is 50 packets (rfc) or 100
            (linux), with `bit_by_bit` as many as find room. Too small: bursts are lost. Too large: long
            waits behind oneself. Source: ns-2 Queue limit_; Demers et al. 1989; Linux sch_fq. Default:
            auto.
        flows: Queues that connections are hashed into; those that collide are one. `"auto"`: told apart
            exactly (rfc), 1024 (linux). Source: RFC 970; Linux sch_fq, orphan_mask. Default: auto.
        flow_by: Which fields of a packet make its connection. Source: RFC 970 (Nagle: src). Default:
            five_tuple.
        service: Who is served when. With `packet` large packets get more bytes; `bit_by_bit` and `ns2`
            cost more work. `"auto"`: packet (rfc), surplus (linux). Source: RFC 970; Linux sch_fq.
            Default: auto.
        quantum: With `surplus`: bytes a turn. Too small: many idle turns. Too large: bursts. Source:
            Linux sch_fq: two Ethernet frames. Default: 3028 B.
        initial_quantum: With `surplus`: bytes of a connection's first turn. Too small: it waits in its
            first round trip. Too large: new connections come in bursts. Source: Linux sch_fq: ten
            Ethernet frames. Default: 15140 B.
        refill_delay: With `surplus`: after so long without a packet a connection may send a quantum at
            once. Too small: who pauses gets more than its share. Source: Linux sch_fq. Default: 40 ms.
        delta: With `bit_by_bit`: how many bytes of its own a connection that was idle may be ahead of
            the others. Too large: those who send in bursts go before those who send evenly. Source:
            Demers, Keshav, Shenker 1989. Default: 0 B.
    """

    _kind: ClassVar[str] = "fq"

    _: KW_ONLY
    form: Literal["rfc", "linux"] | None = None
    limit: types.Limit | Literal["auto"] | None = None
    flow_limit: types.Limit | Literal["auto"] | None = None
    flows: int | Literal["auto"] | None = None
    flow_by: Literal["five_tuple", "src_dst", "src", "dst"] | None = None
    service: Literal["packet", "bit_by_bit", "ns2", "surplus", "auto"] | None = None
    quantum: types.Size | None = None
    initial_quantum: types.Size | None = None
    refill_delay: types.Duration | None = None
    delta: types.Size | None = None


@dataclass(eq=False, repr=False, slots=True)
class Wfq(Table):
    """Serves packets in the order in which a link shared at every instant by weight would finish them.
    Parekh, Gallager, IEEE/ACM ToN 1(3), 1993; Demers, Keshav, Shenker, SIGCOMM 1989.

    Args:
        limit: Most that may wait in all flows together. Too small: who comes late finds no room. Too
            large: only memory. Source: Linux pfifo. Default: 1000 packets.
        flow_limit: Most that may wait in one flow; `"auto"` turns it off. Too small: bursts are lost.
            Source: Demers et al. 1989 have none. Default: auto.
        clock: What the virtual clock shows. `scfq` and `stfq` cost less; with `scfq` a flow that was
            idle waits for up to a packet of every other. Source: Parekh, Gallager 1993. Default: pgps.
        overflow: Which packet dies when the buffer is full. With `arrival` a flood takes the buffer
            from the others. Source: Demers, Keshav, Shenker 1989. Default: longest.
        shares: What has a share. With `class` the flows of a class are one queue. Source: Parekh,
            Gallager 1993. Default: flow.
        flow_by: Which fields of a packet make its flow. Source: Demers et al. 1989 (src_dst). Default:
            five_tuple.
        weight_cs0: Weight of codepoints CS0 to 7, best effort among them. Weights count relative to one
            another. Source: equal. Default: 1.0.
        weight_cs1: Weight of codepoints CS1 to 15. Source: equal. Default: 1.0.
        weight_cs2: Weight of codepoints CS2 to 23. Source: equal. Default: 1.0.
        weight_cs3: Weight of codepoints CS3 to 31. Source: equal. Default: 1.0.
        weight_cs4: Weight of codepoints CS4 to 39. Source: equal. Default: 1.0.
        weight_cs5: Weight of codepoints CS5 to 47, expedited forwarding among them. Source: equal.
            Default: 1.0.
        weight_cs6: Weight of codepoints CS6 to 55. Source: equal. Default: 1.0.
        weight_cs7: Weight of codepoints CS7 to 63. Source: equal. Default: 1.0.
    """

    _kind: ClassVar[str] = "wfq"

    _: KW_ONLY
    limit: types.Limit | None = None
    flow_limit: types.Limit | Literal["auto"] | None = None
    clock: Literal["pgps", "scfq", "stfq"] | None = None
    overflow: Literal["longest", "arrival"] | None = None
    shares: Literal["flow", "class"] | None = None
    flow_by: Literal["five_tuple", "src_dst", "src", "dst"] | None = None
    weight_cs0: float | None = None
    weight_cs1: float | None = None
    weight_cs2: float | None = None
    weight_cs3: float | None = None
    weight_cs4: float | None = None
    weight_cs5: float | None = None
    weight_cs6: float | None = None
    weight_cs7: float | None = None


@dataclass(eq=False, repr=False, slots=True)
class FqPie(Table):
    """Deficit round robin over hashed flows, each under PIE; sparse flows go first. Ramakrishnan et al.,
    LCN 2019; Linux sch_fq_pie.

    Args:
        form: Whose PIE where they differ: gives every `"auto"` below its value. A tc line is Linux's.
            Source: RFC 8033. Default: rfc.
        limit: Most that may wait in all flows together. Too small: drops come from the limit, not from
            the law. Source: Linux sch_fq_pie. Default: 10240 packets.
        memory_limit: Most memory that packets may take, beside `limit`: some 2304 bytes for a full
            packet. Nothing with `form = "linux"`, which only counts. Too small: as `limit`. Too large:
            only memory. Source: Linux sch_fq_pie (32 MB). Default: 33554432 B.
        flows: Queues that flows are hashed into. Too few: flows collide and share one turn and one PIE.
            Source: Linux sch_fq_pie. Default: 1024.
        flow_by: Which fields of a packet make its flow. Source: Linux sch_fq_pie. Default: five_tuple.
        quantum: Bytes a flow may send in its turn. Too small: many idle turns. Too large: bursts.
            Source: Linux sch_fq_pie: one Ethernet frame. Default: 1514 B.
        overflow: Who pays when the buffer is full. Source: Linux sch_fq_pie (ns-3: longest). Default:
            arrival.
        drop_batch: Most packets dropped at once, with `overflow = "longest"`. Too small: much work
            under a flood. Too large: bursts of loss. Source: ns-3 FqPieQueueDisc. Default: 64.
        target: Queueing delay that each flow's controller aims at. Too small: the link idles. Too
            large: standing queues. Source: RFC 8033 §5.1, QDELAY_REF. Default: 15 ms.
        tupdate: Time between updates of the probabilities. Too small: noise is followed. Too large:
            slow reaction. Source: RFC 8033 §5.1, T_UPDATE. 10 us to 1000 s (each tick is an event).
            Default: 15 ms.
        alpha: Gain of the distance from `target`, 1/s. Too small: slow. Too large: oscillation. Source:
            RFC 8033 §4.2. 0.0 to 1000000.0 (the controller would drive the delay away). Default: 0.125.
        beta: Gain of the trend of the delay, 1/s. Too small: overshoot. Too large: noise is amplified.
            Source: RFC 8033 §4.2. 0.0 to 1000000.0 (the controller would drive the delay away).
            Default: 1.25.
        max_burst: Time at the start of a flow's burst in which nothing is signalled. Too large: floods
            enter unhindered. Source: RFC 8033 §5.1, MAX_BURST. Default: 150 ms.
        ecn: Mark ECN-capable packets instead of dropping them. Source: Linux sch_fq_pie. Default:
            false.
        mark_ecnth: Above this probability ECN-capable packets are dropped, too. Too large: a flood of
            ECN-capable packets is not held. Source: Linux sch_fq_pie, ecn_prob. Default: 0.1.
        mean_pktsize: Nothing is signalled while no more than two packets of this size wait in the flow;
            unit of `bytemode`. `"auto"`: 1000 bytes (rfc), 1514 (linux). Source: ns-3 MeanPktSize;
            Linux: the device's MTU. Default: auto.
        bytemode: Scale the probability by packet size over `mean_pktsize`. RFC 7141 advises against it.
            Source: RFC 7141; Linux sch_fq_pie. Default: false.
        derandomize: Space signals evenly: none before the accumulated probability is 0.85, one at the
            latest at 8.5. Source: RFC 8033 §5.4; Linux. Default: true.
        delay_from: Where a flow's queueing delay comes from. Source: Linux sch_fq_pie. Default:
            timestamps.
    """

    _kind: ClassVar[str] = "fq_pie"

    _: KW_ONLY
    form: Literal["rfc", "linux", "docsis"] | None = None
    limit: types.Limit | None = None
    memory_limit: types.Size | None = None
    flows: int | None = None
    flow_by: Literal["five_tuple", "src_dst", "src", "dst"] | None = None
    quantum: types.Size | None = None
    overflow: Literal["arrival", "longest"] | None = None
    drop_batch: int | None = None
    target: types.Duration | None = None
    tupdate: types.Duration | None = None
    alpha: float | None = None
    beta: float | None = None
    max_burst: types.Duration | None = None
    ecn: bool | None = None
    mark_ecnth: types.Probability | None = None
    mean_pktsize: types.Size | Literal["auto"] | None = None
    bytemode: bool | None = None
    derandomize: bool | None = None
    delay_from: Literal["timestamps", "rate"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Pi2(Table):
    """Signals classic arrivals with the square of what a controller of the queueing delay sets. De
    Schepper et al., CoNEXT 2016.

    Args:
        limit: Most that may wait. Too small: drops come from the limit, not from the law. Too large:
            only memory. Source: Linux sch_dualpi2. Default: 10000 packets.
        target: Queueing delay that the controller aims at. Too small: the link idles. Too large:
            standing queue. Source: RFC 9332 Appendix A; CoNEXT 2016 has 20 ms. Default: 15 ms.
        tupdate: Time between updates of the probability. Too small: noise is followed. Too large: slow
            reaction. Source: RFC 9332 Appendix A; CoNEXT 2016 has 32 ms. 10 us to 1000 s (each tick is
            an event). Default: 16 ms.
        alpha: Gain of the distance from `target`, 1/s. Too small: slow. Too large: oscillation. Source:
            RFC 9332 Appendix A: 0.1 T / RTT_max^2 at 100 ms. 0.0 to 1000000.0 (the controller would
            drive the delay away). Default: 0.16.
        beta: Gain of the trend of the delay, 1/s. Too small: overshoot. Too large: noise is amplified.
            Source: Linux sch_dualpi2: 819/256. 0.0 to 1000000.0 (the controller would drive the delay
            away). Default: 3.2.
        ecn: Mark ECN-capable packets instead of dropping them. Source: CoNEXT 2016. Default: true.
        scalable: Treat ECT(1) and CE as scalable. Otherwise they are classic. Source: CoNEXT 2016 §5;
            RFC 9331. Default: true.
        k: Coupling: scalable packets are marked with `k` times p'. Too large: they starve beside
            classic ones. Source: CoNEXT 2016 §5; RFC 9332. 0.0 to 1000000.0 (the probabilities would
            part). Default: 2.0.
        mark_limit: Classic probability above which ECN-capable packets are dropped, too. Source: CoNEXT
            2016. Default: 0.25.
        mean_pktsize: Nothing is signalled while no more than two packets of this size wait. Source:
            PIE, ns-3 MeanPktSize. Default: 1 kB.
    """

    _kind: ClassVar[str] = "pi2"

    _: KW_ONLY
    limit: types.Limit | None = None
    target: types.Duration | None = None
    tupdate: types.Duration | None = None
    alpha: float | None = None
    beta: float | None = None
    ecn: bool | None = None
    scalable: bool | None = None
    k: float | None = None
    mark_limit: types.Probability | None = None
    mean_pktsize: types.Size | None = None


@dataclass(eq=False, repr=False, slots=True)
class Dualpi2(Table):
    """Separates scalable from classic flows and couples the signals of both queues. RFC 9332; De Schepper
    et al., CoNEXT 2016.

    Args:
        limit: Most that may wait in both queues together; `"auto"` is what the link sends in 250 ms.
            Too small: drops come from the limit, not from the law. Too large: overload is felt late.
            Source: RFC 9332 Appendix A.1 (Linux: 10 000 packets). Default: auto.
        memory_limit: Most bytes that may wait, beside `limit`; `"auto"` turns it off. Too small: as
            `limit`. Source: Linux sch_dualpi2, there twice `limit` MTUs of kernel memory. Default:
            auto.
        target: Queueing delay that the controller aims at. Too small: the link idles. Too large:
            standing queue. Source: RFC 9332 Appendix A.1. Default: 15 ms.
        tupdate: Time between updates of the probability. Too small: noise is followed. Too large: slow
            reaction. Source: RFC 9332 Appendix A.1: min(target, RTT_max / 3) (Linux: 16 ms). 10 us to
            1000 s (each tick is an event). Default: 15 ms.
        alpha: Gain of the distance from `target`, 1/s. Too small: slow. Too large: oscillation. Source:
            RFC 9332 Appendix A.1: 0.1 tupdate / RTT_max^2 at 100 ms (Linux: 41/256). 0.0 to 1000000.0
            (the controller would drive the delay away). Default: 0.15.
        beta: Gain of the trend of the delay, 1/s. Too small: overshoot. Too large: noise is amplified.
            Source: RFC 9332 Appendix A.1: 0.3 / RTT_max (Linux: 819/256). 0.0 to 1000000.0 (the
            controller would drive the delay away). Default: 3.0.
        k: Coupling: low-latency packets are marked with at least `k` times the base probability. Too
            large: they starve beside classic ones. Too small: the reverse. Source: RFC 9332 Appendix
            A.1. Default: 2.0.
        delay_of: Which of the queues' delays the controller follows. With `classic`, low-latency flows
            that ignore marks are held by the limit only. Source: RFC 9332 Appendix A.1; Linux. Default:
            greatest.
        low_latency: Which packets belong into the low-latency queue. With `any_ect`, classic ECN flows
            are marked as scalable ones are, and starve. Source: RFC 9332 §2.4; RFC 9331. Default:
            l4s_ect.
        native: What the low-latency queue marks by its own delay. Source: RFC 9332 Appendix A.1 (Linux:
            step). Default: ramp.
        min_th: Delay up to which the ramp marks none. Too small: the link idles between scalable flows.
            Source: RFC 9332 Appendix A.1. Default: 800 us.
        range: Delay from the first to the last of the ramp's marks. Too small: a step. Too large:
            delay. Source: RFC 9332 Appendix A.1. Default: 400 us.
        th_len: The ramp marks none while no more packets than this are left in the queue. Too small: on
            slow links, where one packet takes longer than `min_th`, all are marked. Source: RFC 9332
            Appendix A.1, Th_len. Default: 1.
        step_thresh: Delay beyond which the step marks all. Too small: the link idles. Too large: delay.
            Source: Linux sch_dualpi2. Default: 1 ms.
        step_packets: Packets left in the queue beyond which the step marks all, instead of
            `step_thresh`; `"auto"` is by delay. Source: Linux sch_dualpi2, step_thresh in packets.
            Default: auto.
        min_qlen_step: The step spares what found fewer packets in its queue than this. Too large: the
            step marks nothing. Source: Linux sch_dualpi2. Default: 0.
        min_backlog: Nothing but the step signals while fewer bytes wait. Too large: a standing queue of
            that size is not seen. Source: RFC 9332 Appendix A.1 (Linux: two MTUs). Default: 0 B.
        chance: How a probability becomes a decision. Source: RFC 9332 Appendix A.1 (Linux: random).
            Default: recur.
        drop_early: Decide on the coupled and the classic signal on arrival instead of departure.
            Signals are then late by the time in the queue, but what is dropped takes no room. Source:
            RFC 9332 Appendix A.1; Linux drop_dequeue. Default: false.
        overload: What happens once marking alone cannot hold the delay. Source: RFC 9332 §4.2.3; Linux
            drop_on_overload. Default: drop.
        p_cmax: Classic probability from which packets are dropped, ECN-capable or not; `"auto"` is
            1/k^2, where the coupled probability reaches 1. Source: RFC 9332 Appendix A.1. Default:
            auto.
        p_lmax: Coupled probability from which low-latency packets are dropped with the classic one. Too
            small: drops where marks would do. Source: RFC 9332 Appendix A.1. Default: 1.0.
        scheduler: Which queue is served where both hold packets. Source: Linux sch_dualpi2; RFC 9332
            Appendix A.1 leaves it open. Default: wrr.
        classic_protection: The classic queue's share of the bytes while both hold packets. Too small:
            it starves beside a flood of ECT(1). Too large: low-latency packets wait. Source: Linux
            sch_dualpi2. Default: 0.1.
        mtu: Largest packet, header included: unit of the round robin's first credit. Source: Ethernet.
            Default: 1514 B.
        t_shift: The low-latency head's bonus under `ts_fifo`. Too small: it waits behind classic
            bursts. Too large: it can starve classic packets for so long. Source: RFC 9332 Appendix A.1
            (2 target to 50 ms). Default: 50 ms.
    """

    _kind: ClassVar[str] = "dualpi2"

    _: KW_ONLY
    limit: types.Limit | Literal["auto"] | None = None
    memory_limit: types.Size | Literal["auto"] | None = None
    target: types.Duration | None = None
    tupdate: types.Duration | None = None
    alpha: float | None = None
    beta: float | None = None
    k: float | None = None
    delay_of: Literal["greatest", "classic"] | None = None
    low_latency: Literal["l4s_ect", "any_ect"] | None = None
    native: Literal["ramp", "step", "off"] | None = None
    min_th: types.Duration | None = None
    range: types.Duration | None = None
    th_len: int | None = None
    step_thresh: types.Duration | None = None
    step_packets: int | Literal["auto"] | None = None
    min_qlen_step: int | None = None
    min_backlog: types.Size | None = None
    chance: Literal["recur", "random"] | None = None
    drop_early: bool | None = None
    overload: Literal["drop", "overflow"] | None = None
    p_cmax: types.Probability | Literal["auto"] | None = None
    p_lmax: types.Probability | None = None
    scheduler: Literal["wrr", "ts_fifo"] | None = None
    classic_protection: types.Probability | None = None
    mtu: types.Size | None = None
    t_shift: types.Duration | None = None


@dataclass(eq=False, repr=False, slots=True)
class Blue(Table):
    """Signals with a probability that rises with overflow and falls with idleness. Feng, Shin, Kandlur and
    Saha, ToN 10(4), 2002.

    Args:
        limit: Most that may wait. Too small: overflow drives the probability up although the link is
            not full. Source: ALTQ blue; Bedi et al. 2014: 200 KB of 1 KB packets. Default: 200 packets.
        increment: Step up on overflow. Too small: the queue overflows for long. Too large: oscillation.
            Source: Feng et al. 2002; LANL ns-2 port. Default: 0.0025.
        decrement: Step down on idleness. Too large: the probability forgets; it should be much below
            `increment`. Source: Feng et al. 2002; LANL ns-2 port. Default: 0.00025.
        freeze_time: Least time between two changes, about a round trip. Too small: the answer to a
            change is not awaited. Source: Feng et al. 2002; LANL ns-2 port. 1 us to 1000 h (changes
            need some time between them). Default: 100 ms.
        loss_at: Backlog above which an arrival counts as a loss although there is room; `"auto"` turns
            it off. Source: Feng et al. 2002, variant without a value. Default: auto.
        initial: Probability at the start. Source: Feng et al. 2002. Default: 0.0.
        stamps: What a change of the probability has to wait for. Source: Feng et al. 2002. Default:
            shared.
        idle: How silence lowers the probability. Source: no source; see the description. Default:
            state.
        ecn: Mark ECN-capable packets instead of dropping them. Source: Feng et al. 2002 marks and
            drops. Default: false.
        drop: Which packet dies at the hard limit. Source: Feng et al. 2002; ALTQ: random. Default:
            tail.
    """

    _kind: ClassVar[str] = "blue"

    _: KW_ONLY
    limit: types.Limit | None = None
    increment: types.Probability | None = None
    decrement: types.Probability | None = None
    freeze_time: types.Duration | None = None
    loss_at: types.Limit | Literal["auto"] | None = None
    initial: types.Probability | None = None
    stamps: Literal["shared", "separate"] | None = None
    idle: Literal["state", "event"] | None = None
    ecn: bool | None = None
    drop: Literal["tail", "head", "random"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Rem(Table):
    """Signals with a probability exponential in a price that rises with load and backlog. Athuraliya, Li,
    Low and Yin, IEEE Network 15(3), 2001.

    Args:
        limit: Most that may wait. Too small: drops come from the limit, not from the law. Source: ns-2
            Queue limit_. Default: 50 packets.
        gamma: Step of the price. Too small: REM needs minutes. Too large: oscillation. Source:
            Athuraliya et al. 2001; ns-2 rgamma_. 0.0 to 1000000.0 (the price would run away). Default:
            0.001.
        phi: Base of the exponential. Larger turns the same price into a larger probability. Source:
            Athuraliya et al. 2001; ns-2 rphi_. Default: 1.001.
        alpha: Weight of the backlog beside the rate. Too small: the backlog is not cleared. Too large:
            delay wins over utilisation. Source: Athuraliya et al. 2001; ns-2 queue/rem.cc. 0.0 to
            1000000.0 (the price would run away). Default: 0.1.
        target: Backlog aimed at. Too small: the link idles. Too large: standing queue. Source:
            Athuraliya et al. 2001; ns-2 pbo_. Default: 20 packets.
        interval: Time between updates of the price. The gain a second is `gamma alpha` over this.
            Source: ns-2 pupdtime_. 10 us to 1000 s (each tick is an event). Default: 2 ms.
        weight: Weight of the newest interval in the arrivals; 1 takes it alone. Too small: slow.
            Source: ns-2 inw_. Default: 1.0.
        mean_pktsize: Turns bytes into packets. Source: ns-2 pmtu, 1000 bytes. 1 B to 65535 B (IP
            packets have such sizes). Default: 1 kB.
        bytes: Count bytes over `mean_pktsize` instead of packets, and scale the probability by size
            likewise. Source: ns-2 qib_. Default: false.
        price: What moves the price. Source: ns-2; Athuraliya et al. 2001 give both. Default: rate.
        signal_at: Where packets are signalled. Source: Athuraliya et al. 2001; ns-2 marks on departure.
            Default: arrival.
        ecn: Mark ECN-capable packets instead of dropping them. Source: ns-2 markpkts_. Default: false.
    """

    _kind: ClassVar[str] = "rem"

    _: KW_ONLY
    limit: types.Limit | None = None
    gamma: float | None = None
    phi: float | None = None
    alpha: float | None = None
    target: types.Limit | None = None
    interval: types.Duration | None = None
    weight: types.Probability | None = None
    mean_pktsize: types.Size | None = None
    bytes: bool | None = None
    price: Literal["rate", "backlog"] | None = None
    signal_at: Literal["arrival", "departure"] | None = None
    ecn: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Pi(Table):
    """Signals with a probability that a controller of the queue length sets. Hollot, Misra, Towsley and
    Gong, INFOCOM 2001.

    Args:
        limit: Most that may wait. Too small (near `target`): the controller saturates, and drops come
            from the limit. Source: Bedi et al. 2014: 200 KB of 1 KB packets. Default: 200 packets.
        target: Queue at which the controller comes to rest. Too small: the link idles. Too large:
            standing queue. Source: ns-2 qref_; Bedi et al. 2014 have 100, Hollot et al. 2001 200.
            Default: 50 packets.
        a: Weight of the present queue, a packet. Must exceed `b`. Too large: oscillation. Source:
            Hollot et al. 2001; ns-2 a_. Default: 1.822e-05.
        b: Weight of the queue at the update before, a packet. Too near to `a`: no integral action.
            Source: Hollot et al. 2001; ns-2 b_. Default: 1.816e-05.
        frequency: Updates a second. The coefficients belong to it. Source: ns-2 w_. 0.001 to 100000.0
            (each tick is an event). Default: 170.0.
        mean_pktsize: Turns bytes into packets, and back. Source: ns-2 mean_pktsize_. 1 B to 65535 B (IP
            packets have such sizes). Default: 500 B.
        queue_in_bytes: Count the queue in bytes over `mean_pktsize` instead of packets. Source: ns-2
            queue_in_bytes_. Default: false.
        probability_in_bytes: Scale the probability by packet size over `mean_pktsize`. RFC 7141 advises
            against it. Source: ns-2 bytes_; RFC 7141. Default: false.
        ecn: Mark ECN-capable packets instead of dropping them. Source: ns-2 setbit_. Default: false.
    """

    _kind: ClassVar[str] = "pi"

    _: KW_ONLY
    limit: types.Limit | None = None
    target: types.Limit | None = None
    a: float | None = None
    b: float | None = None
    frequency: float | None = None
    mean_pktsize: types.Size | None = None
    queue_in_bytes: bool | None = None
    probability_in_bytes: bool | None = None
    ecn: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Avq(Table):
    """Signals what would overflow a queue on a slower, adapting link. Kunniyur and Srikant, SIGCOMM 2001;
    ToN 12(2), 2004.

    Args:
        limit: Most that may wait. Too small: drops come from the limit, not from the law. Source: ns-2
            Queue limit_. Default: 50 packets.
        gamma: Share of the link's rate at which arrivals settle. Too small: the link idles. At 1 the
            queue is not held. Source: Kunniyur and Srikant 2001; ns-2 gamma_. Default: 0.98.
        alpha: Speed of adaptation, 1/s. Too large for the round trip: oscillation. Too small: late.
            Source: Kunniyur and Srikant 2001; ns-2 queue/vq.cc. 0.0 to 1000000.0 (the capacity would
            run away). Default: 0.15.
        initial: Virtual capacity at the start, as a share of the link's rate. Source: Kunniyur and
            Srikant 2001; ns-2 ecnlim_ is 0.8. Default: 1.0.
        virtual_limit: Length of the virtual queue; `"auto"` is `limit`. Too small: bursts are punished.
            The link's overhead takes no room in it, as in the real one. Source: Kunniyur and Srikant
            2001; ns-2 buflim_. Default: auto.
        bytes: Count bytes, the link's overhead with each packet; otherwise packets of `mean_pktsize`.
            Source: ns-2 queue_in_bytes_. Default: true.
        mean_pktsize: Turns packets into bytes, and back; the link's overhead comes on top. Source: ns-2
            mean_pktsize_. 1 B to 65535 B (IP packets have such sizes). Default: 1 kB.
        clamp: When the virtual capacity is held within zero and the link's. Source: Kunniyur and
            Srikant 2001. Default: paper.
        adapt_to: Which arrivals move the virtual capacity. Source: ns-2 queue/vq.cc. Default: admitted.
        ecn: Mark ECN-capable packets instead of dropping them. Source: ns-2 markpkts_; Kunniyur and
            Srikant 2001 mark. Default: false.
    """

    _kind: ClassVar[str] = "avq"

    _: KW_ONLY
    limit: types.Limit | None = None
    gamma: types.Probability | None = None
    alpha: float | None = None
    initial: types.Probability | None = None
    virtual_limit: types.Limit | Literal["auto"] | None = None
    bytes: bool | None = None
    mean_pktsize: types.Size | None = None
    clamp: Literal["paper", "ns2"] | None = None
    adapt_to: Literal["admitted", "offered"] | None = None
    ecn: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Netfence(Table):
    """Bottlenecks stamp congestion into packets; access routers police senders by what comes back. Liu,
    Yang and Xia, SIGCOMM 2010.

    Args:
        role: Whether this queue polices senders, or is a bottleneck that says when, or both. Policing
            needs a bottleneck further on, and a bottleneck needs all its senders policed: others are
            legacy. Source: own choice: a single queue does all. Default: both.
        limit: Most that may wait, in limiters and channels together. Too small: packets are lost that
            the channels would hold. `"auto"`: 10 000 packets, which only bounds memory, since channels
            and limiters have bounds of their own. Source: own choice. Default: auto.
        interval: Control interval of limiters. Too small: feedback does not come back in time. Too
            large: slow. Source: Liu et al. 2010, I_lim. 1 ms to 1000 h (each tick is an event).
            Default: 2 s.
        validity: How long feedback is valid, up to 5 s. Too small: senders fall back to requests. Too
            large: stale feedback. Source: Liu et al. 2010, w. Default: 4 s.
        initial_rate: Rate of a new limiter. Too small: senders need minutes to reach their share. Too
            large: floods get in so long. Source: recalled; the paper leaves it to the implementation.
            Default: 96 kbit/s.
        min_rate: Least rate of a limiter. Too small: who is silent for long does not come back. Source:
            own choice. Default: 1 kbit/s.
        increase: What a limiter gains in a control interval. Too small: slow. Too large: oscillation.
            Source: Liu et al. 2010, Delta. Default: 12 kbit/s.
        decrease: Share that it loses. Too large: the link idles after each overload. Source: Liu et al.
            2010, delta. Default: 0.1.
        limiter_queue: Most that waits in a limiter, as time at its rate; two packets may always. Too
            small: TCP loses in bursts. Source: as Q_lim. 0 s to 1000 s (packets wait as long). Default:
            200 ms.
        limiters: Most limiters, rounded up to a power of two: one for each sender and link. Beyond it
            the longest unused of four is forgotten; where none is unused, packets are dropped. Source:
            own choice. Default: 16384.
        senders: Most senders whose requests are counted, rounded up to a power of two; likewise.
            Source: own choice. Default: 16384.
        token_interval: Time in which a sender earns a token: one request of level 1. Too small: floods
            of requests. Source: Liu et al. 2010, l_1. 1 us to 1000 s (tokens are counted in it).
            Default: 1 ms.
        max_level: Highest level of a request, which costs 2^(level-1) tokens; at most 13. Higher:
            longer waits count. Source: own choice: half a second of waiting. Default: 10.
        request_share: Most of the link that requests get. Too small: new senders wait. Too large:
            floods of requests get it. Source: Liu et al. 2010. Default: 0.05.
        q_lim: Length of each channel, as time of the link. Too small: losses. Too large: delay. Source:
            Liu et al. 2010, Q_lim. 1 ms to 1000 s (the queue is as long). Default: 200 ms.
        min_th: RED's lower threshold on the regular channel, as a share of its length; from there the
            link is overloaded. Source: Liu et al. 2010. Default: 0.5.
        max_th: RED's upper threshold, likewise. Source: Liu et al. 2010. Default: 0.75.
        max_p: RED's drop probability at the upper threshold. Source: ns-2 linterm_ = 10. Default: 0.1.
        weight: RED's weight of a new sample. Too small: overload is seen late. Too large: bursts count
            as overload. Source: Liu et al. 2010, w_q. Default: 0.1.
        loss_threshold: Loss of the regular channel from which the link polices. Too small: any TCP
            makes it. Too large: floods are let be. Source: Liu et al. 2010, p_th. Default: 0.02.
        loss_weight: Weight of a second in the average loss. Too small: late. Too large: one bad second
            counts. Source: own choice. Default: 0.5.
        quiet: Silence after which a link stops policing, and a limiter without downward arrows is
            forgotten. Source: Liu et al. 2010, T_a and T_b. Default: 14400 s.
        ecn: Mark ECN-capable packets where RED would drop them. Feedback does not depend on it. Source:
            Liu et al. 2010 drop. Default: false.
    """

    _kind: ClassVar[str] = "netfence"

    _: KW_ONLY
    role: Literal["both", "access", "bottleneck"] | None = None
    limit: types.Limit | Literal["auto"] | None = None
    interval: types.Duration | None = None
    validity: types.Duration | None = None
    initial_rate: types.Rate | None = None
    min_rate: types.Rate | None = None
    increase: types.Rate | None = None
    decrease: types.Probability | None = None
    limiter_queue: types.Duration | None = None
    limiters: int | None = None
    senders: int | None = None
    token_interval: types.Duration | None = None
    max_level: int | None = None
    request_share: types.Probability | None = None
    q_lim: types.Duration | None = None
    min_th: types.Probability | None = None
    max_th: types.Probability | None = None
    max_p: types.Probability | None = None
    weight: types.Probability | None = None
    loss_threshold: types.Probability | None = None
    loss_weight: types.Probability | None = None
    quiet: types.Duration | None = None
    ecn: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Csfq(Table):
    """Edges label packets with their flow's rate; cores drop by the label alone, to one fair share.
    Stoica, Shenker and Zhang, SIGCOMM 1998; ToN 11(1), 2003.

    Args:
        role: Whether flows are told apart and labelled here, or upstream. A core without an edge before
            it drops nothing but what overflows. Source: own choice: a single queue is fair by itself.
            Default: edge.
        limit: Most that may wait. Too small: drops come from overflow, not from the law, and are not
            fair. Source: Stoica et al. 1998 §4. Default: 64 kB.
        k: Averaging time of each flow's rate, K. Below the round trip: bursts are punished. Too large:
            a flow that grows fast gets too much meanwhile. Source: Stoica et al. 1998 §4. 1 us to 1000
            h (rates are averaged over it). Default: 100 ms.
        k_alpha: Averaging time of the link's rates, K_alpha. Too small: the share is noisy. Too large:
            it follows late. Source: Stoica et al. 1998 §4. 1 us to 1000 h (rates are averaged over it).
            Default: 200 ms.
        k_c: Length of the window after which the share is updated, K_c. Too small: oscillation. Too
            large: slow. Source: as k_alpha; the authors' simulator. 1 us to 1000 h (rates are averaged
            over it). Default: 200 ms.
        flow: Which fields make a flow. Edge only. Source: Stoica et al. 1998. Default: five_tuple.
        weight: Weight of each flow that comes in here. Edge only; matters where flows of several edges
            meet. Source: Stoica et al. 1998 §2. Default: 1.0.
        overflow_step: What an overflow takes from the share. Too small: drops at a full buffer, which
            are not fair. Too large: the link idles. Source: Stoica et al. 1998 §4, first amendment.
            Default: 0.01.
        overflow_most: Most that overflows take from the share between two updates. Source: Stoica et
            al. 1998 §4, first amendment. Default: 0.25.
        low_water: Share of `limit` below which an uncongested link passes everything. Too small: short
            dips of a queue forget nothing, new flows are dropped early. Too large: floods are let in
            anew. Source: Stoica et al. 1998 §4, second amendment. Default: 0.5.
        flows: Most flows that an edge knows, rounded up to a power of two. Beyond it the longest silent
            of four makes room and starts anew: a flood of spoofed sources gets labels of its first
            packets. Source: own choice. Default: 16384.
        ecn: Mark ECN-capable packets instead of dropping them. Those who ignore marks then get more
            than their share. Source: Stoica et al. 1998 drop. Default: false.
    """

    _kind: ClassVar[str] = "csfq"

    _: KW_ONLY
    role: Literal["edge", "core"] | None = None
    limit: types.Limit | None = None
    k: types.Duration | None = None
    k_alpha: types.Duration | None = None
    k_c: types.Duration | None = None
    flow: Literal["five_tuple", "src_dst", "src", "dst"] | None = None
    weight: float | None = None
    overflow_step: types.Probability | None = None
    overflow_most: types.Probability | None = None
    low_water: types.Probability | None = None
    flows: int | None = None
    ecn: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Dfs(Table):
    """Signals flows above a fair share of the buffer that shrinks as it fills; who does not yield loses
    everything until its rate is fair. Bedi, Roy and Shiva, Computer Communications 56, 2015 (online
    2014).

    Args:
        limit: Most that may wait, `b`. Too small: a share is less than a packet, and every flow with
            one waiting is signalled. Too large: the queue, which settles at a third to a half of it,
            delays. Source: Bedi et al. 2014 §5. Default: 200 kB.
        beta: Weight of a new sample in the average of the weighted fair share, one sample an arrival.
            Too small: reacts late. Too large: the share jumps with the queue, which then swings.
            Source: Bedi et al. 2014, Table 2. Default: 0.05.
        delta_i: What a flow's unfairness p_m gains when it is found above its share; times rate over
            fair rate once it is trending. Too small: floods are found late. Too large: TCP flows are
            caught before they can answer. Source: Bedi et al. 2014, Table 2. 0.000001 to 1000000.0
            (shares would stand still or jump). Default: 0.04.
        delta_d: What p_m loses when a flow is found with nothing waiting; times fair rate over rate
            once it is trending. Too small: flows that yield stay under suspicion. Too large: floods
            with pauses never get marked. Source: Bedi et al. 2014, Table 2. 0.000001 to 1000000.0
            (shares would stand still or jump). Default: 0.04.
        freeze_time: Least time between steps of p_m, so that a signal can take effect. Far below the
            round trips: TCP flows that are about to yield get marked. Too large: floods are found late.
            Source: Bedi et al. 2014, Table 2. Default: 10 ms.
        tolerance_factor: Steps of `delta_i` that a flow may climb before it is trending and its rate
            decides. Too small: TCP flows are caught in one round trip. Too large: floods are found
            late. Source: Bedi et al. 2014, Table 2. 0.0 to 1000000.0 (the tolerance cannot be
            negative). Default: 3.0.
        min_th: p_m of an innocent flow, and the least there is. Only its distance to `max_th` matters.
            Source: Bedi et al. 2014, Table 2. Default: 0.0.
        max_th: p_m from which a flow is marked as malicious, and the most there is. Too small: a few
            signals in a row condemn. Too large: late detection, and late forgiveness. Source: Bedi et
            al. 2014, Table 2. Default: 1.0.
        prune_interval: Time between removals of records whose flows have sent nothing in the meantime;
            they live one to two of it. Too small: a marked flow is forgotten in a pause. Too large:
            flows long gone count in `n`, and shares and the fair rate are too small for those that are
            left; 1 s to 60 s suit loads that change. Source: Bedi et al. 2014, Table 2. 1 ms to 1000 h
            (all flows are looked at each time). Default: 3600 s.
        bitrate_window: Time over which the rate of a suspect is measured; no rate decides before the
            first is over. Too small: one burst of TCP looks like a flood. Too large: detection takes at
            least as long. Source: chosen so that the published UDP leakage (Table 6) comes out. 1 us to
            1000 h (rates are measured over it). Default: 250 ms.
        non_ect: What a signal does to packets that cannot be marked. With `pass` flows without ECN hear
            nothing until they are marked and lose everything; the paper's runs used it, with ECN on all
            TCP flows. Source: Bedi et al. 2014 §1.2, §4.3.1. Default: drop.
        ecn: Mark ECN-capable packets. Without, all packets are treated as `non_ect` says. Source: Bedi
            et al. 2014 §5. Default: true.
        flow: Which fields make a flow. `src_dst` pools parallel connections of a pair of hosts, and
            everyone behind one address translator. Source: Bedi et al. 2014 §3.2. Default: src_dst.
        rate: Capacity `C` that flows share: the fair rate is `C / n`. Below the link's: fair flows get
            marked. Above: floods up to that share are not. `"auto"`: the link's rate. Source: Bedi et
            al. 2014 §3.2. Default: auto.
        avpkt: Mean packet size: turns a `limit` in packets into the bytes that shares are made of.
            Source: Bedi et al. 2014 §5. Default: 1 kB.
        max_flows: Most flows remembered. Once there are as many, a new one takes the place of a flow
            without packets waiting: among sixteen the one unsuspected, then unmarked, then unheard for
            longest; where none can go, the new flow's packets are let in uncounted. Too small: records
            of suspects are lost. Too large: memory, about 100 B a flow. Source: Tailrace. Default:
            131072.
        repository: How records are found. Decisions are the same; costs are in `docs/performance.md`.
            Source: Bedi et al. 2014 §1.2 leaves the choice open. Default: hash.
        order: Order `t` of the B-tree: most children of a node. Too small: more levels. Too large:
            longer nodes to search and shift. Source: Tailrace. Default: 32.
        cache: Places in the Cache, a plain array for flows at `max_th`, searched before anything else.
            Too small: marked flows stay in the repository. Too large: every arrival of an innocent flow
            walks through it. `"auto"`: `order` (btree), none (hash). Source: Bedi et al. 2014 §4.1.1:
            as many as in a node. Default: auto.
        departures: How the record of a departing packet is found. Only costs differ. Source: Tailrace.
            Default: remember.
    """

    _kind: ClassVar[str] = "dfs"

    _: KW_ONLY
    limit: types.Limit | None = None
    beta: types.Probability | None = None
    delta_i: float | None = None
    delta_d: float | None = None
    freeze_time: types.Duration | None = None
    tolerance_factor: float | None = None
    min_th: float | None = None
    max_th: float | None = None
    prune_interval: types.Duration | None = None
    bitrate_window: types.Duration | None = None
    non_ect: Literal["pass", "drop"] | None = None
    ecn: bool | None = None
    flow: Literal["five_tuple", "src_dst", "src", "dst"] | None = None
    rate: types.Rate | Literal["auto"] | None = None
    avpkt: types.Size | None = None
    max_flows: int | None = None
    repository: Literal["hash", "btree"] | None = None
    order: int | None = None
    cache: int | Literal["auto"] | None = None
    departures: Literal["remember", "look_up"] | None = None
