"""Queue discipline: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tailrace.scenario.objects import Table

if TYPE_CHECKING:
    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Droptail(Table):
    """First in, first out; drops arriving packets when it is full. Linux pfifo and bfifo; ns-2 queue/drop-
    tail.cc.

    Args:
        limit: The most packets or bytes that may wait; the packet that is being sent does not count. If
            it is too small, bursts are lost and the link has nothing to send at times; if it is too
            large, packets wait long. Source: ns-2 Queue limit_. Default: 50 packets.
        drop: Which packet is dropped when the queue is full: the arriving one, the oldest, or a random
            one. If it is the oldest, the sender learns of the drop one queueing delay earlier. Source:
            Linux pfifo. Default: tail.
        ns2: Whether the limit counts as in ns-2: at most one packet (or byte) less than `limit` waits.
            Source: ns-2 queue/drop-tail.cc. Default: false.
    """

    _kind: ClassVar[str] = "droptail"

    _: KW_ONLY
    limit: types.Limit | None = None
    drop: Literal["tail", "head", "random"] | None = None
    ns2: bool | None = None


@dataclass(eq=False, repr=False, slots=True)
class Red(Table):
    """Drops or marks packets at random, with a probability that grows with the average queue length. Floyd
    and Jacobson, ToN 1(4), 1993; Floyd, Gummadi and Shenker, 2001 (adaptive).

    Args:
        limit: The most that may wait in the queue. If it is too small, packets are dropped for want of
            room instead of by the law. A larger limit only costs memory. Source: ns-2 Queue limit_.
            Default: 50 packets.
        min_th: Below this average queue length no packet is dropped or marked. If it is too small, the
            link has nothing to send at times. `"auto"`: a third of `max_th` if that is given, else what
            the link sends in half of `target_delay`, at least 5 packets. Source: ns-2 thresh_ = 0.
            Default: auto.
        max_th: The average queue length at which the signal probability is `max_p`. If it is too close
            to `min_th`, the queue swings up and down. `"auto"`: three times `min_th`. Source: ns-2
            maxthresh_ = 0. Default: auto.
        max_p: The probability with which a packet is dropped or marked when the average is `max_th`. If
            it is too small, the average grows past `max_th`; if it is too large, the link has nothing
            to send at times. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: The weight of the newest queue length in the average, from 0 to 1. If it is too small,
            RED reacts late; if it is too large, short bursts lose packets. Source: ns-2 q_weight_ = -1.
            Default: auto.
        auto_weight: How the weight is computed when `weight` is `"auto"`. `"auto"` is `"second"` for an
            adaptive queue, otherwise `"rtt"`. Source: ns-2; ns-3 for adaptive. Default: auto.
        avpkt: The mean size of a packet. It converts between packets and bytes, and says how many
            packets the link could have sent while the queue was empty. Source: tc red. Default: 1 kB.
        bandwidth: While the queue is empty, the average falls as if packets were sent at this rate. If
            it is too small, the average stays high for too long. `"auto"` is the link's rate. Source:
            Floyd and Jacobson 1993. Default: auto.
        target_delay: The waiting time that thresholds set to `"auto"` aim at. If it is too small, the
            link has nothing to send at times; if it is too large, queues are long. Source: ns-2
            targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average queue length is counted in bytes rather than packets.
            `"auto"` takes the unit of `min_th`, or if that is not given of `max_th`, or else of
            `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default: auto.
        probability_in_bytes: Whether large packets are dropped or marked more often than small ones, in
            proportion to their size over `avpkt`. RFC 7141 advises against it. Source: RFC 7141.
            Default: false.
        gentle: Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at
            twice `max_th`. Otherwise it jumps to 1 at `max_th`. Source: ns-2 since 2001; ns-3. Default:
            true.
        wait: Whether at least `1/p` packets pass after a drop or mark before the next one, where `p` is
            the signal probability. Drops and marks are then fewer and more evenly spread. Source: Floyd
            and Jacobson 1993. Default: false.
        count: How the packets since the last drop or mark are counted, which spreads drops and marks
            over time. Source: Floyd and Jacobson 1993, analysis. Default: analysis.
        guard: While fewer packets than this wait, none is dropped or marked, whatever the average is.
            ns-2 has the same rule, in the unit of the queue; Linux and the paper have none. Source:
            ns-2 queue/red.cc. Default: 2.
        idle: How the average falls while the queue is empty. Source: Floyd and Jacobson 1993. Default:
            paper.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: tc, ns-2, ns-3. Default: false.
        harddrop: Whether ECN-capable packets are dropped, not marked, when the average is above the
            range in which RED signals at random. Source: ns-3 UseHardDrop. Default: true.
        mark_p: The signal probability above which ECN-capable packets are dropped even between the
            thresholds. It replaces the rule of `harddrop`. `"auto"` turns this off. Source: off; ns-2
            mark_p_ is 0.1. Default: auto.
        nodrop: Whether packets that are not ECN-capable are let in where the law would drop them early.
            Needs `ecn`. Source: Linux sch_red. Default: false.
        adaptive: Whether `max_p` adapts to hold the average midway between the thresholds (Adaptive
            RED). Source: Floyd and Jacobson 1993. Default: false.
        interval: With `adaptive`: the time between two changes of `max_p`. If it is too small, `max_p`
            swings up and down. Source: Floyd, Gummadi, Shenker 2001. Allowed: 10 us to 1000 s (each
            update takes computing time). Default: 500 ms.
        alpha: With `adaptive`: the largest step by which `max_p` is raised at once; a step is never
            more than a quarter of `max_p`. Source: Floyd, Gummadi, Shenker 2001. Default: 0.01.
        beta: With `adaptive`: the factor by which `max_p` is lowered. Below 0.83 the average may jump
            across its target. Source: Floyd, Gummadi, Shenker 2001. Default: 0.9.
        top: With `adaptive`: the largest value of `max_p`. Source: Floyd, Gummadi, Shenker 2001.
            Default: 0.5.
        bottom: With `adaptive`: the smallest value of `max_p`. `"auto"` is 80 kbit/s divided by the
            link's rate, at most 0.01. Source: Floyd, Gummadi, Shenker 2001. Default: 0.01.
        adapt_on: With `adaptive`: what makes `max_p` change. Source: Floyd, Gummadi, Shenker 2001;
            Linux. Default: timer.
        levels: Levels with thresholds of their own, each for some DiffServ codepoints (GRED), separated
            by semicolons. A level begins with names or numbers of codepoints, or `other` for those that
            no level names. Then come any of `min`, `max`, `limit` (`30p`, `15kB`), `prob` and `prio`:
            `"AF11 min 30p max 60p; AF12 AF13 min 20p max 40p prob 0.1; other max 30p"`. What a level
            leaves out is as for the whole queue. `"auto"`: one level for all packets. Source: Linux
            sch_gred has none. Default: auto.
        grio: With `levels`: whether the average of a level includes those of the levels with a smaller
            `prio` (8 if not given). If two have the same `prio`, all levels share one average. Source:
            tc gred. Default: false.
        drop: Which packet is dropped when the queue is full, that is, at `limit`. Source: all. Default:
            tail.
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
    """RED that adapts its highest signal probability to hold the average queue midway between the
    thresholds. Floyd, Gummadi and Shenker, 2001.

    Args:
        limit: The most that may wait in the queue. If it is too small, packets are dropped for want of
            room instead of by the law. A larger limit only costs memory. Source: ns-2 Queue limit_.
            Default: 50 packets.
        min_th: Below this average queue length no packet is dropped or marked. If it is too small, the
            link has nothing to send at times. `"auto"`: a third of `max_th` if that is given, else what
            the link sends in half of `target_delay`, at least 5 packets. Source: ns-2 thresh_ = 0.
            Default: auto.
        max_th: The average queue length at which the signal probability is `max_p`. If it is too close
            to `min_th`, the queue swings up and down. `"auto"`: three times `min_th`. Source: ns-2
            maxthresh_ = 0. Default: auto.
        max_p: The probability with which a packet is dropped or marked when the average is `max_th`. If
            it is too small, the average grows past `max_th`; if it is too large, the link has nothing
            to send at times. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: The weight of the newest queue length in the average, from 0 to 1. If it is too small,
            RED reacts late; if it is too large, short bursts lose packets. Source: ns-2 q_weight_ = -1.
            Default: auto.
        auto_weight: How the weight is computed when `weight` is `"auto"`. `"auto"` is `"second"` where
            `max_p` adapts by a timer, otherwise `"rtt"`. Source: ns-2; ns-3 for adaptive. Default:
            auto.
        avpkt: The mean size of a packet. It converts between packets and bytes, and says how many
            packets the link could have sent while the queue was empty. Source: tc red. Default: 1 kB.
        bandwidth: While the queue is empty, the average falls as if packets were sent at this rate. If
            it is too small, the average stays high for too long. `"auto"` is the link's rate. Source:
            Floyd and Jacobson 1993. Default: auto.
        target_delay: The waiting time that thresholds set to `"auto"` aim at. If it is too small, the
            link has nothing to send at times; if it is too large, queues are long. Source: ns-2
            targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average queue length is counted in bytes rather than packets.
            `"auto"` takes the unit of `min_th`, or if that is not given of `max_th`, or else of
            `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default: auto.
        probability_in_bytes: Whether large packets are dropped or marked more often than small ones, in
            proportion to their size over `avpkt`. RFC 7141 advises against it. Source: RFC 7141.
            Default: false.
        wait: Whether at least `1/p` packets pass after a drop or mark before the next one, where `p` is
            the signal probability. Drops and marks are then fewer and more evenly spread. Source: Floyd
            and Jacobson 1993. Default: false.
        count: How the packets since the last drop or mark are counted, which spreads drops and marks
            over time. Source: Floyd and Jacobson 1993, analysis. Default: analysis.
        guard: While fewer packets than this wait, none is dropped or marked, whatever the average is.
            Source: ns-2 queue/red.cc. Default: 2.
        idle: How the average falls while the queue is empty. Source: Floyd and Jacobson 1993. Default:
            paper.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: tc, ns-2, ns-3. Default: false.
        harddrop: Whether ECN-capable packets are dropped, not marked, when the average is above the
            range in which RED signals at random. Source: ns-3 UseHardDrop. Default: true.
        gentle: Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at
            twice `max_th`. Otherwise it jumps to 1 at `max_th`. Source: Floyd, Gummadi, Shenker 2001.
            Default: true.
        interval: The time between two changes of `max_p`. If it is too small, `max_p` swings up and
            down; if it is too large, it takes long to settle. Source: Floyd, Gummadi, Shenker 2001.
            Allowed: 10 us to 1000 s (each update takes computing time). Default: 500 ms.
        alpha: The largest step by which `max_p` is raised at once; a step is never more than a quarter
            of `max_p`. If it is too large, the average may jump across its target. Source: Floyd,
            Gummadi, Shenker 2001. Default: 0.01.
        beta: The factor by which `max_p` is lowered. Below 0.83 the average may jump across its target.
            Source: Floyd, Gummadi, Shenker 2001. Default: 0.9.
        top: The largest value of `max_p`. If it is too small, many flows fill the queue. Source: Floyd,
            Gummadi, Shenker 2001. Default: 0.5.
        bottom: The smallest value of `max_p`. `"auto"` is 80 kbit/s divided by the link's rate, at most
            0.01 (ns-2). Source: Floyd, Gummadi, Shenker 2001. Default: 0.01.
        adapt_on: What makes `max_p` change: a timer, or arrivals. Source: Floyd, Gummadi, Shenker 2001;
            Linux. Default: timer.
        drop: Which packet is dropped when the queue is full, that is, at `limit`. Source: all. Default:
            tail.
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
    """RED that changes its highest signal probability each time the average queue leaves the range between
    the thresholds. Feng, Kandlur, Saha and Shin, INFOCOM 1999.

    Args:
        limit: The most that may wait in the queue. If it is too small, packets are dropped for want of
            room instead of by the law. A larger limit only costs memory. Source: ns-2 Queue limit_.
            Default: 50 packets.
        min_th: Below this average queue length no packet is dropped or marked. If it is too small, the
            link has nothing to send at times. `"auto"`: a third of `max_th` if that is given, else what
            the link sends in half of `target_delay`, at least 5 packets. Source: ns-2 thresh_ = 0.
            Default: auto.
        max_th: The average queue length at which the signal probability is `max_p`. If it is too close
            to `min_th`, the queue swings up and down. `"auto"`: three times `min_th`. Source: ns-2
            maxthresh_ = 0. Default: auto.
        max_p: The probability with which a packet is dropped or marked when the average is `max_th`. If
            it is too small, the average grows past `max_th`; if it is too large, the link has nothing
            to send at times. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: The weight of the newest queue length in the average, from 0 to 1. If it is too small,
            RED reacts late; if it is too large, short bursts lose packets. Source: ns-2 q_weight_ = -1.
            Default: auto.
        auto_weight: How the weight is computed when `weight` is `"auto"`. `"auto"` is `"second"` where
            `max_p` adapts by a timer, otherwise `"rtt"`. Source: ns-2; ns-3 for adaptive. Default:
            auto.
        avpkt: The mean size of a packet. It converts between packets and bytes, and says how many
            packets the link could have sent while the queue was empty. Source: tc red. Default: 1 kB.
        bandwidth: While the queue is empty, the average falls as if packets were sent at this rate. If
            it is too small, the average stays high for too long. `"auto"` is the link's rate. Source:
            Floyd and Jacobson 1993. Default: auto.
        target_delay: The waiting time that thresholds set to `"auto"` aim at. If it is too small, the
            link has nothing to send at times; if it is too large, queues are long. Source: ns-2
            targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average queue length is counted in bytes rather than packets.
            `"auto"` takes the unit of `min_th`, or if that is not given of `max_th`, or else of
            `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default: auto.
        probability_in_bytes: Whether large packets are dropped or marked more often than small ones, in
            proportion to their size over `avpkt`. RFC 7141 advises against it. Source: RFC 7141.
            Default: false.
        wait: Whether at least `1/p` packets pass after a drop or mark before the next one, where `p` is
            the signal probability. Drops and marks are then fewer and more evenly spread. Source: Floyd
            and Jacobson 1993. Default: false.
        count: How the packets since the last drop or mark are counted, which spreads drops and marks
            over time. Source: Floyd and Jacobson 1993, analysis. Default: analysis.
        guard: While fewer packets than this wait, none is dropped or marked, whatever the average is.
            Source: ns-2 queue/red.cc. Default: 2.
        idle: How the average falls while the queue is empty. Source: Floyd and Jacobson 1993. Default:
            paper.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: tc, ns-2, ns-3. Default: false.
        harddrop: Whether ECN-capable packets are dropped, not marked, when the average is above the
            range in which RED signals at random. Source: ns-3 UseHardDrop. Default: true.
        gentle: Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at
            twice `max_th`. Otherwise it jumps to 1 at `max_th`. Source: ns-2 since 2001; ns-3. Default:
            true.
        alpha: By how much `max_p` is divided when the average falls below `min_th`. If it is too large,
            `max_p` swings up and down. Source: Feng et al. 1999. Default: 3.0.
        beta: By how much `max_p` is multiplied when the average rises above `max_th`. If it is too
            large, `max_p` swings up and down. Source: Feng et al. 1999. Default: 2.0.
        top: The largest value of `max_p`. If it is too small, many flows fill the queue. Source: no
            bound in Feng et al. 1999. Default: 1.0.
        bottom: The smallest value of `max_p`. If it is too small, it takes many changes until `max_p`
            is large again. Source: no bound in Feng et al. 1999. Default: 0.0001.
        start: Where the average is taken to have been before the first packet. Source: Feng et al. 1999
            do not say. Default: between.
        drop: Which packet is dropped when the queue is full, that is, at `limit`. Source: all. Default:
            tail.
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
    """RED whose signal probability grows with the square of the average queue between the thresholds.
    Zhou, Yeung and Li, Computer Networks 50(18), 2006.

    Args:
        limit: The most that may wait in the queue. If it is too small, packets are dropped for want of
            room instead of by the law. A larger limit only costs memory. Source: ns-2 Queue limit_.
            Default: 50 packets.
        min_th: Below this average queue length no packet is dropped or marked. If it is too small, the
            link has nothing to send at times. `"auto"`: a third of `max_th` if that is given, else what
            the link sends in half of `target_delay`, at least 5 packets. Source: ns-2 thresh_ = 0.
            Default: auto.
        max_th: The average queue length at which the signal probability is `max_p`. If it is too close
            to `min_th`, the queue swings up and down. `"auto"`: three times `min_th`. Source: ns-2
            maxthresh_ = 0. Default: auto.
        max_p: The probability with which a packet is dropped or marked when the average is `max_th`. If
            it is too small, the average grows past `max_th`; if it is too large, the link has nothing
            to send at times. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: The weight of the newest queue length in the average, from 0 to 1. If it is too small,
            RED reacts late; if it is too large, short bursts lose packets. Source: ns-2 q_weight_ = -1.
            Default: auto.
        auto_weight: How the weight is computed when `weight` is `"auto"`. `"auto"` is `"second"` where
            `max_p` adapts by a timer, otherwise `"rtt"`. Source: ns-2; ns-3 for adaptive. Default:
            auto.
        avpkt: The mean size of a packet. It converts between packets and bytes, and says how many
            packets the link could have sent while the queue was empty. Source: tc red. Default: 1 kB.
        bandwidth: While the queue is empty, the average falls as if packets were sent at this rate. If
            it is too small, the average stays high for too long. `"auto"` is the link's rate. Source:
            Floyd and Jacobson 1993. Default: auto.
        target_delay: The waiting time that thresholds set to `"auto"` aim at. If it is too small, the
            link has nothing to send at times; if it is too large, queues are long. Source: ns-2
            targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average queue length is counted in bytes rather than packets.
            `"auto"` takes the unit of `min_th`, or if that is not given of `max_th`, or else of
            `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default: auto.
        probability_in_bytes: Whether large packets are dropped or marked more often than small ones, in
            proportion to their size over `avpkt`. RFC 7141 advises against it. Source: RFC 7141.
            Default: false.
        wait: Whether at least `1/p` packets pass after a drop or mark before the next one, where `p` is
            the signal probability. Drops and marks are then fewer and more evenly spread. Source: Floyd
            and Jacobson 1993. Default: false.
        count: How the packets since the last drop or mark are counted, which spreads drops and marks
            over time. Source: Floyd and Jacobson 1993, analysis. Default: analysis.
        guard: While fewer packets than this wait, none is dropped or marked, whatever the average is.
            Source: ns-2 queue/red.cc. Default: 2.
        idle: How the average falls while the queue is empty. Source: Floyd and Jacobson 1993. Default:
            paper.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: tc, ns-2, ns-3. Default: false.
        harddrop: Whether ECN-capable packets are dropped, not marked, when the average is above the
            range in which RED signals at random. Source: ns-3 UseHardDrop. Default: true.
        gentle: Whether the signal probability rises in a straight line from `1.5 max_p` at `max_th` to
            1 at twice `max_th`. Otherwise it jumps to 1 at `max_th`. Source: ns-3. Default: true.
        drop: Which packet is dropped when the queue is full, that is, at `limit`. Source: all. Default:
            tail.
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
    """RED that compares each arriving packet with a random waiting one, and drops both if they are of the
    same flow. Pan, Prabhakar and Psounis, INFOCOM 2000; Linux sch_choke.

    Args:
        limit: The most that may wait in the queue. If it is too small, packets are dropped for want of
            room instead of by the law. A larger limit only costs memory. Source: ns-2 Queue limit_.
            Default: 50 packets.
        min_th: Below this average queue length no packet is dropped or marked. If it is too small, the
            link has nothing to send at times. `"auto"`: a third of `max_th` if that is given, else what
            the link sends in half of `target_delay`, at least 5 packets. Source: ns-2 thresh_ = 0.
            Default: auto.
        max_th: The average queue length at which the signal probability is `max_p`. If it is too close
            to `min_th`, the queue swings up and down. `"auto"`: three times `min_th`. Source: ns-2
            maxthresh_ = 0. Default: auto.
        max_p: The probability with which a packet is dropped or marked when the average is `max_th`. If
            it is too small, the average grows past `max_th`; if it is too large, the link has nothing
            to send at times. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: The weight of the newest queue length in the average, from 0 to 1. If it is too small,
            RED reacts late; if it is too large, short bursts lose packets. Source: ns-2 q_weight_ = -1.
            Default: auto.
        auto_weight: How the weight is computed when `weight` is `"auto"`. `"auto"` is `"second"` where
            `max_p` adapts by a timer, otherwise `"rtt"`. Source: ns-2; ns-3 for adaptive. Default:
            auto.
        avpkt: The mean size of a packet. It converts between packets and bytes, and says how many
            packets the link could have sent while the queue was empty. Source: tc red. Default: 1 kB.
        bandwidth: While the queue is empty, the average falls as if packets were sent at this rate. If
            it is too small, the average stays high for too long. `"auto"` is the link's rate. Source:
            Floyd and Jacobson 1993. Default: auto.
        target_delay: The waiting time that thresholds set to `"auto"` aim at. If it is too small, the
            link has nothing to send at times; if it is too large, queues are long. Source: ns-2
            targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average queue length is counted in bytes rather than packets.
            `"auto"` takes the unit of `min_th`, or if that is not given of `max_th`, or else of
            `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default: auto.
        probability_in_bytes: Whether large packets are dropped or marked more often than small ones, in
            proportion to their size over `avpkt`. RFC 7141 advises against it. Source: RFC 7141.
            Default: false.
        wait: Whether at least `1/p` packets pass after a drop or mark before the next one, where `p` is
            the signal probability. Drops and marks are then fewer and more evenly spread. Source: Floyd
            and Jacobson 1993. Default: false.
        count: How the packets since the last drop or mark are counted, which spreads drops and marks
            over time. Source: Floyd and Jacobson 1993, analysis. Default: analysis.
        guard: While fewer packets than this wait, none is dropped or marked, whatever the average is.
            Source: ns-2 queue/red.cc. Default: 2.
        idle: How the average falls while the queue is empty. Source: Floyd and Jacobson 1993. Default:
            paper.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: tc, ns-2, ns-3. Default: false.
        harddrop: Whether ECN-capable packets are dropped, not marked, when the average is above the
            range in which RED signals at random. Source: ns-3 UseHardDrop. Default: true.
        gentle: Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at
            twice `max_th`. Otherwise it jumps to 1 at `max_th`. Source: Pan, Prabhakar, Psounis 2000:
            above max_th everything dies. Default: false.
        candidates: With how many waiting packets an arriving one is compared; if one is of the same
            flow, both are dropped. With too few, several unresponsive flows get through; with too many,
            flows that hold only a fair share of the queue lose packets. Source: Pan, Prabhakar, Psounis
            2000. Default: 1.
        adjust: Whether the number of comparisons adjusts itself: two more in each region between the
            thresholds, instead of `candidates`. Source: Pan, Prabhakar, Psounis 2000, basic form.
            Default: false.
        regions: With `adjust`: into how many equal regions the range between the thresholds is divided.
            With more there are more comparisons near `max_th`. Source: Pan, Prabhakar, Psounis 2000,
            simulations. Default: 8.
        flow: Which header fields tell flows apart: packets that agree in them belong to one flow. With
            fewer fields, packets of different connections count as one flow. Source: Linux sch_choke.
            Default: five_tuple.
        draw: Which waiting packets an arriving one is compared with. Source: Pan, Prabhakar, Psounis
            2000. Default: random.
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
    """CHOKe that remembers flows that met their own packets, and drops further packets of them at random
    (reconstruction). Chhabra et al., ICNP 2002 and ICC 2003 (reconstructed from abstracts).

    Args:
        limit: The most that may wait in the queue. If it is too small, packets are dropped for want of
            room instead of by the law. A larger limit only costs memory. Source: ns-2 Queue limit_.
            Default: 50 packets.
        min_th: Below this average queue length no packet is dropped or marked. If it is too small, the
            link has nothing to send at times. `"auto"`: a third of `max_th` if that is given, else what
            the link sends in half of `target_delay`, at least 5 packets. Source: ns-2 thresh_ = 0.
            Default: auto.
        max_th: The average queue length at which the signal probability is `max_p`. If it is too close
            to `min_th`, the queue swings up and down. `"auto"`: three times `min_th`. Source: ns-2
            maxthresh_ = 0. Default: auto.
        max_p: The probability with which a packet is dropped or marked when the average is `max_th`. If
            it is too small, the average grows past `max_th`; if it is too large, the link has nothing
            to send at times. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: The weight of the newest queue length in the average, from 0 to 1. If it is too small,
            RED reacts late; if it is too large, short bursts lose packets. Source: ns-2 q_weight_ = -1.
            Default: auto.
        auto_weight: How the weight is computed when `weight` is `"auto"`. `"auto"` is `"second"` where
            `max_p` adapts by a timer, otherwise `"rtt"`. Source: ns-2; ns-3 for adaptive. Default:
            auto.
        avpkt: The mean size of a packet. It converts between packets and bytes, and says how many
            packets the link could have sent while the queue was empty. Source: tc red. Default: 1 kB.
        bandwidth: While the queue is empty, the average falls as if packets were sent at this rate. If
            it is too small, the average stays high for too long. `"auto"` is the link's rate. Source:
            Floyd and Jacobson 1993. Default: auto.
        target_delay: The waiting time that thresholds set to `"auto"` aim at. If it is too small, the
            link has nothing to send at times; if it is too large, queues are long. Source: ns-2
            targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average queue length is counted in bytes rather than packets.
            `"auto"` takes the unit of `min_th`, or if that is not given of `max_th`, or else of
            `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default: auto.
        probability_in_bytes: Whether large packets are dropped or marked more often than small ones, in
            proportion to their size over `avpkt`. RFC 7141 advises against it. Source: RFC 7141.
            Default: false.
        wait: Whether at least `1/p` packets pass after a drop or mark before the next one, where `p` is
            the signal probability. Drops and marks are then fewer and more evenly spread. Source: Floyd
            and Jacobson 1993. Default: false.
        count: How the packets since the last drop or mark are counted, which spreads drops and marks
            over time. Source: Floyd and Jacobson 1993, analysis. Default: analysis.
        guard: While fewer packets than this wait, none is dropped or marked, whatever the average is.
            Source: ns-2 queue/red.cc. Default: 2.
        idle: How the average falls while the queue is empty. Source: Floyd and Jacobson 1993. Default:
            paper.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: tc, ns-2, ns-3. Default: false.
        harddrop: Whether ECN-capable packets are dropped, not marked, when the average is above the
            range in which RED signals at random. Source: ns-3 UseHardDrop. Default: true.
        gentle: Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at
            twice `max_th`. Otherwise it jumps to 1 at `max_th`. Source: as choke. Default: false.
        candidates: With how many waiting packets an arriving one is compared. If it is too small,
            attackers are found late; if it is too large, fair flows are hit. Source: as choke. Default:
            1.
        flow: Which header fields tell flows apart: packets that agree in them belong to one flow. With
            fewer fields, packets of different connections count as one flow. Source: as choke. Default:
            five_tuple.
        entries: How many flows the table holds. If it is too small, attackers push each other out of
            it; if it is too large, each hit takes a longer search. Source: this reconstruction.
            Default: 64.
        full_hits: After how many hits every packet of a flow is dropped; each hit less halves the
            share. If it is too small, fair flows suffer from a chance hit; if it is too large, floods
            are held back late. Source: this reconstruction. Default: 8.
        age: The time in which hits fall by half. If it is too short, floods come back often; if it is
            too long, a flow that has slowed down stays out. Source: this reconstruction. Default: 1 s.
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
    """RED behind a filter that drops packets of flows that often meet their own packets and are often
    signalled (reconstruction). Govindaswamy, Záruba and Balasekaran, GLOBECOM 2007 (reconstructed from
    its abstract).

    Args:
        limit: The most that may wait in the queue. If it is too small, packets are dropped for want of
            room instead of by the law. A larger limit only costs memory. Source: ns-2 Queue limit_.
            Default: 50 packets.
        min_th: Below this average queue length no packet is dropped or marked. If it is too small, the
            link has nothing to send at times. `"auto"`: a third of `max_th` if that is given, else what
            the link sends in half of `target_delay`, at least 5 packets. Source: ns-2 thresh_ = 0.
            Default: auto.
        max_th: The average queue length at which the signal probability is `max_p`. If it is too close
            to `min_th`, the queue swings up and down. `"auto"`: three times `min_th`. Source: ns-2
            maxthresh_ = 0. Default: auto.
        max_p: The probability with which a packet is dropped or marked when the average is `max_th`. If
            it is too small, the average grows past `max_th`; if it is too large, the link has nothing
            to send at times. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: The weight of the newest queue length in the average, from 0 to 1. If it is too small,
            RED reacts late; if it is too large, short bursts lose packets. Source: ns-2 q_weight_ = -1.
            Default: auto.
        auto_weight: How the weight is computed when `weight` is `"auto"`. `"auto"` is `"second"` where
            `max_p` adapts by a timer, otherwise `"rtt"`. Source: ns-2; ns-3 for adaptive. Default:
            auto.
        avpkt: The mean size of a packet. It converts between packets and bytes, and says how many
            packets the link could have sent while the queue was empty. Source: tc red. Default: 1 kB.
        bandwidth: While the queue is empty, the average falls as if packets were sent at this rate. If
            it is too small, the average stays high for too long. `"auto"` is the link's rate. Source:
            Floyd and Jacobson 1993. Default: auto.
        target_delay: The waiting time that thresholds set to `"auto"` aim at. If it is too small, the
            link has nothing to send at times; if it is too large, queues are long. Source: ns-2
            targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average queue length is counted in bytes rather than packets.
            `"auto"` takes the unit of `min_th`, or if that is not given of `max_th`, or else of
            `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default: auto.
        probability_in_bytes: Whether large packets are dropped or marked more often than small ones, in
            proportion to their size over `avpkt`. RFC 7141 advises against it. Source: RFC 7141.
            Default: false.
        wait: Whether at least `1/p` packets pass after a drop or mark before the next one, where `p` is
            the signal probability. Drops and marks are then fewer and more evenly spread. Source: Floyd
            and Jacobson 1993. Default: false.
        count: How the packets since the last drop or mark are counted, which spreads drops and marks
            over time. Source: Floyd and Jacobson 1993, analysis. Default: analysis.
        guard: While fewer packets than this wait, none is dropped or marked, whatever the average is.
            Source: ns-2 queue/red.cc. Default: 2.
        idle: How the average falls while the queue is empty. Source: Floyd and Jacobson 1993. Default:
            paper.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: tc, ns-2, ns-3. Default: false.
        harddrop: Whether ECN-capable packets are dropped, not marked, when the average is above the
            range in which RED signals at random. Source: ns-3 UseHardDrop. Default: true.
        gentle: Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at
            twice `max_th`. Otherwise it jumps to 1 at `max_th`. Source: as choke. Default: false.
        draws: With how many waiting packets an arriving one is compared at most. If it is too small, a
            flow that sends much is found late; a larger number costs computing time. Source: this
            reconstruction. Default: 8.
        flow: Which header fields tell flows apart: packets that agree in them belong to one flow. With
            fewer fields, packets of different connections count as one flow. Source: as choke. Default:
            five_tuple.
        entries: How many flows the table holds. If it is too small, attackers push each other out of
            it; if it is too large, each hit takes a longer search. Source: this reconstruction.
            Default: 64.
        detect: The score from which a flow counts as malicious. If it is too small, fair flows do; if
            it is too large, attackers are found late. Source: this reconstruction. Default: 8.
        block: The score from which all packets of a flow are dropped. If it is too small, a flow has no
            time to slow down; if it is too large, floods lose only part of their packets. Source: this
            reconstruction. Default: 64.
        age: The time in which scores fall by half. If it is too short, floods come back often; if it is
            too long, a flow that has slowed down stays blocked. Source: this reconstruction. Default: 1
            s.
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
    """RED that also drops the newest packets when the queue overflows (reconstruction). Yamaguchi and
    Takahashi, Computer Communications 30(9), 2007 (reconstructed from abstracts).

    Args:
        limit: The most that may wait in the queue. If it is too small, packets are dropped for want of
            room instead of by the law. A larger limit only costs memory. Source: ns-2 Queue limit_.
            Default: 50 packets.
        min_th: Below this average queue length no packet is dropped or marked. If it is too small, the
            link has nothing to send at times. `"auto"`: a third of `max_th` if that is given, else what
            the link sends in half of `target_delay`, at least 5 packets. Source: ns-2 thresh_ = 0.
            Default: auto.
        max_th: The average queue length at which the signal probability is `max_p`. If it is too close
            to `min_th`, the queue swings up and down. `"auto"`: three times `min_th`. Source: ns-2
            maxthresh_ = 0. Default: auto.
        max_p: The probability with which a packet is dropped or marked when the average is `max_th`. If
            it is too small, the average grows past `max_th`; if it is too large, the link has nothing
            to send at times. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: The weight of the newest queue length in the average, from 0 to 1. If it is too small,
            RED reacts late; if it is too large, short bursts lose packets. Source: ns-2 q_weight_ = -1.
            Default: auto.
        auto_weight: How the weight is computed when `weight` is `"auto"`. `"auto"` is `"second"` where
            `max_p` adapts by a timer, otherwise `"rtt"`. Source: ns-2; ns-3 for adaptive. Default:
            auto.
        avpkt: The mean size of a packet. It converts between packets and bytes, and says how many
            packets the link could have sent while the queue was empty. Source: tc red. Default: 1 kB.
        bandwidth: While the queue is empty, the average falls as if packets were sent at this rate. If
            it is too small, the average stays high for too long. `"auto"` is the link's rate. Source:
            Floyd and Jacobson 1993. Default: auto.
        target_delay: The waiting time that thresholds set to `"auto"` aim at. If it is too small, the
            link has nothing to send at times; if it is too large, queues are long. Source: ns-2
            targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average queue length is counted in bytes rather than packets.
            `"auto"` takes the unit of `min_th`, or if that is not given of `max_th`, or else of
            `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default: auto.
        probability_in_bytes: Whether large packets are dropped or marked more often than small ones, in
            proportion to their size over `avpkt`. RFC 7141 advises against it. Source: RFC 7141.
            Default: false.
        wait: Whether at least `1/p` packets pass after a drop or mark before the next one, where `p` is
            the signal probability. Drops and marks are then fewer and more evenly spread. Source: Floyd
            and Jacobson 1993. Default: false.
        count: How the packets since the last drop or mark are counted, which spreads drops and marks
            over time. Source: Floyd and Jacobson 1993, analysis. Default: analysis.
        guard: While fewer packets than this wait, none is dropped or marked, whatever the average is.
            Source: ns-2 queue/red.cc. Default: 2.
        idle: How the average falls while the queue is empty. Source: Floyd and Jacobson 1993. Default:
            paper.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: tc, ns-2, ns-3. Default: false.
        harddrop: Whether ECN-capable packets are dropped, not marked, when the average is above the
            range in which RED signals at random. Source: ns-3 UseHardDrop. Default: true.
        gentle: Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at
            twice `max_th`. Otherwise it jumps to 1 at `max_th`. Source: as choke. Default: false.
        penalty: Which interpretation of the algorithm is used: the paper's public parts allow both.
            Source: this reconstruction. Default: overflow.
        share: How many of the newest packets are dropped or compared, as a share of `limit`; at least
            one. If it is too small, the penalty has no effect; if it is too large, every flow loses
            packets. Source: this reconstruction. Default: 0.05.
        theta: With `penalty = "match"`: how full the queue must be before packets are compared, as a
            share of `limit`. If it is too small, fair flows lose packets; if it is too large, packets
            are dropped only for want of room. Source: this reconstruction. Default: 0.5.
        flow: With `penalty = "match"`: which header fields tell flows apart. With fewer fields, packets
            of different connections count as one flow. Source: as choke. Default: five_tuple.
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
    """RED behind a filter that drops packets of flows that keep sending right after drops. Zhang, Yin, Cai
    and Chen, IEEE Communications Letters 14(5), 2010.

    Args:
        limit: The most that may wait in the queue. If it is too small, packets are dropped for want of
            room instead of by the law. A larger limit only costs memory. Source: ns-2 Queue limit_.
            Default: 50 packets.
        min_th: Below this average queue length no packet is dropped or marked. If it is too small, the
            link has nothing to send at times. `"auto"`: a third of `max_th` if that is given, else what
            the link sends in half of `target_delay`, at least 5 packets. Source: ns-2 thresh_ = 0.
            Default: auto.
        max_th: The average queue length at which the signal probability is `max_p`. If it is too close
            to `min_th`, the queue swings up and down. `"auto"`: three times `min_th`. Source: ns-2
            maxthresh_ = 0. Default: auto.
        max_p: The probability with which a packet is dropped or marked when the average is `max_th`. If
            it is too small, the average grows past `max_th`; if it is too large, the link has nothing
            to send at times. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: The weight of the newest queue length in the average, from 0 to 1. If it is too small,
            RED reacts late; if it is too large, short bursts lose packets. Source: ns-2 q_weight_ = -1.
            Default: auto.
        auto_weight: How the weight is computed when `weight` is `"auto"`. `"auto"` is `"second"` where
            `max_p` adapts by a timer, otherwise `"rtt"`. Source: ns-2; ns-3 for adaptive. Default:
            auto.
        avpkt: The mean size of a packet. It converts between packets and bytes, and says how many
            packets the link could have sent while the queue was empty. Source: tc red. Default: 1 kB.
        bandwidth: While the queue is empty, the average falls as if packets were sent at this rate. If
            it is too small, the average stays high for too long. `"auto"` is the link's rate. Source:
            Floyd and Jacobson 1993. Default: auto.
        target_delay: The waiting time that thresholds set to `"auto"` aim at. If it is too small, the
            link has nothing to send at times; if it is too large, queues are long. Source: ns-2
            targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average queue length is counted in bytes rather than packets.
            `"auto"` takes the unit of `min_th`, or if that is not given of `max_th`, or else of
            `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default: auto.
        probability_in_bytes: Whether large packets are dropped or marked more often than small ones, in
            proportion to their size over `avpkt`. RFC 7141 advises against it. Source: RFC 7141.
            Default: false.
        wait: Whether at least `1/p` packets pass after a drop or mark before the next one, where `p` is
            the signal probability. Drops and marks are then fewer and more evenly spread. Source: Floyd
            and Jacobson 1993. Default: false.
        count: How the packets since the last drop or mark are counted, which spreads drops and marks
            over time. Source: Floyd and Jacobson 1993, analysis. Default: analysis.
        guard: While fewer packets than this wait, none is dropped or marked, whatever the average is.
            Source: ns-2 queue/red.cc. Default: 2.
        idle: How the average falls while the queue is empty. Source: Floyd and Jacobson 1993. Default:
            paper.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: tc, ns-2, ns-3. Default: false.
        harddrop: Whether ECN-capable packets are dropped, not marked, when the average is above the
            range in which RED signals at random. Source: ns-3 UseHardDrop. Default: true.
        gentle: Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at
            twice `max_th`. Otherwise it jumps to 1 at `max_th`. Source: ns-2 since 2001, as in the
            author's scripts. Default: true.
        drop: Which packet is dropped when the queue is full, that is, at `limit`. Source: all. Default:
            tail.
        period: `T*`, for how long after a drop arriving packets are suspicious. If it is too small,
            attacks get through; if it is too large, TCP flows are hit. Source: Zhang et al. 2010;
            drop_related_period_. Default: 10 ms.
        levels: How many levels of bins there are, each with a hash of its own. With more, fewer
            innocent flows are caught, but each packet costs more computing time. Source: author's code,
            hash_levels_. Default: 2.
        bins: How many bins each level has. With too few, innocent flows share bins with attackers.
            Source: author's code, hash_bins_. Default: 23.
        credit: The highest score: so many suspicious packets in a row may a good flow send. If it is
            too large, attacks get through. Source: Zhang et al. 2010; score_max_. Default: 10.
        debt: How far the score may fall below zero: so many unsuspicious packets a bad flow must send
            before it is let in again. If it is too large, innocent flows stay out. Source: author's
            scripts, score_min_ = -1. Default: 1.
        flow: Which header fields tell flows apart: packets that agree in them belong to one flow.
            Source: author's code. Default: src_dst.
        hash: How a flow is assigned to its bins. Source: the author's hash can be foreseen. Default:
            salted.
        marks_count: Whether an ECN mark counts as a drop, too. Source: not in Zhang et al. 2010.
            Default: false.
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
    """RED with a probability that grows with the flow's own part of the queue (experimental). Chen, Zhou
    and Bensaou, ICC 2007 (reconstruction).

    Args:
        limit: The most that may wait in the queue. If it is too small, packets are dropped for want of
            room instead of by the law. A larger limit only costs memory. Source: ns-2 Queue limit_.
            Default: 50 packets.
        min_th: Below this average queue length no packet is dropped or marked. If it is too small, the
            link has nothing to send at times. `"auto"`: a third of `max_th` if that is given, else what
            the link sends in half of `target_delay`, at least 5 packets. Source: ns-2 thresh_ = 0.
            Default: auto.
        max_th: The average queue length at which the signal probability is `max_p`. If it is too close
            to `min_th`, the queue swings up and down. `"auto"`: three times `min_th`. Source: ns-2
            maxthresh_ = 0. Default: auto.
        max_p: The probability with which a packet is dropped or marked when the average is `max_th`. If
            it is too small, the average grows past `max_th`; if it is too large, the link has nothing
            to send at times. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: The weight of the newest queue length in the average, from 0 to 1. If it is too small,
            RED reacts late; if it is too large, short bursts lose packets. Source: ns-2 q_weight_ = -1.
            Default: auto.
        auto_weight: How the weight is computed when `weight` is `"auto"`. `"auto"` is `"second"` where
            `max_p` adapts by a timer, otherwise `"rtt"`. Source: ns-2; ns-3 for adaptive. Default:
            auto.
        avpkt: The mean size of a packet. It converts between packets and bytes, and says how many
            packets the link could have sent while the queue was empty. Source: tc red. Default: 1 kB.
        bandwidth: While the queue is empty, the average falls as if packets were sent at this rate. If
            it is too small, the average stays high for too long. `"auto"` is the link's rate. Source:
            Floyd and Jacobson 1993. Default: auto.
        target_delay: The waiting time that thresholds set to `"auto"` aim at. If it is too small, the
            link has nothing to send at times; if it is too large, queues are long. Source: ns-2
            targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average queue length is counted in bytes rather than packets.
            `"auto"` takes the unit of `min_th`, or if that is not given of `max_th`, or else of
            `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default: auto.
        probability_in_bytes: Whether large packets are dropped or marked more often than small ones, in
            proportion to their size over `avpkt`. RFC 7141 advises against it. Source: RFC 7141.
            Default: false.
        wait: Whether at least `1/p` packets pass after a drop or mark before the next one, where `p` is
            the signal probability. Drops and marks are then fewer and more evenly spread. Source: Floyd
            and Jacobson 1993. Default: false.
        count: How the packets since the last drop or mark are counted, which spreads drops and marks
            over time. Source: Floyd and Jacobson 1993, analysis. Default: analysis.
        guard: While fewer packets than this wait, none is dropped or marked, whatever the average is.
            Source: ns-2 queue/red.cc. Default: 2.
        idle: How the average falls while the queue is empty. Source: Floyd and Jacobson 1993. Default:
            paper.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: tc, ns-2, ns-3. Default: false.
        harddrop: Whether ECN-capable packets are dropped, not marked, when the average is above the
            range in which RED signals at random. Source: ns-3 UseHardDrop. Default: true.
        gentle: Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at
            twice `max_th`. Otherwise it jumps to 1 at `max_th`. Source: ns-2 since 2001; ns-3. Default:
            true.
        bins: How many bins there are. With too few, innocent flows share a bin with a flow that fills
            the queue; more only cost memory. With a single one this is RED. Source: SFQ's divisor at
            the time. Default: 128.
        perturb: After which time the hash changes; zero means never. If it is too small, flows escape
            from their counts; if it is too large, flows that share a bin do so for long. Source:
            reconstruction. Default: 20 s.
        flow: Which header fields tell flows apart: packets that agree in them belong to one flow.
            Source: reconstruction. Default: five_tuple.
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
    """RED for flows that have more than the average in the queue, and a strict limit for flows that do not
    slow down. Lin and Morris, SIGCOMM 1997.

    Args:
        limit: The most that may wait in the queue. If it is too small, flows have no room for a share
            of their own. Source: Bedi et al. 2014: 200 kB. Default: 200 packets.
        min_th: Below this average queue length no packet is dropped or marked at random; it is also the
            most packets that one flow may have in the queue. If it is too small, the link has nothing
            to send at times. `"auto"`: a quarter of `limit`, but no more than what the link sends in
            `rtt`. Source: Lin and Morris 1997. Default: auto.
        max_th: From this average queue length on, no packet is let in (with `many_flows`: two packets
            of each flow). If it is too close to `min_th`, the queue swings up and down. `"auto"`: twice
            `min_th`. Source: Lin and Morris 1997. Default: auto.
        max_p: The probability with which a packet is dropped or marked when the average is `max_th`. If
            it is too small, the average grows past `max_th`; if it is too large, the link has nothing
            to send at times. Source: Lin and Morris 1997. Default: 0.02.
        weight: The weight of the newest queue length in the average, from 0 to 1; taken when packets
            arrive and leave. If it is too small, FRED reacts late; if it is too large, short bursts
            lose packets. Source: Lin and Morris 1997. Default: 0.002.
        minq: How many packets every flow may have in the queue without being hit, while the average is
            below `max_th`. If it is too small, flows with few packets lose some; if it is too large,
            nothing is dropped at random. Use 4 for large buffers. Source: Lin and Morris 1997, small
            buffers. Default: 2.
        many_flows: For many more flows than packets in the queue: whether each flow may have two
            packets in it when the average is above `max_th`. If false, none is let in. Source: Lin and
            Morris 1997, basic form. Default: false.
        rtt: The round-trip time that limits `min_th` when that is `"auto"`: it is then at most what the
            link sends in this time. If it is too small, the link has nothing to send at times. Source:
            ns-2 queue/red.cc, least round trip. Default: 100 ms.
        avpkt: The mean size of a packet. It converts bytes into packets, and says how many packets the
            link could have sent while the queue was empty. Source: tc red. Default: 1 kB.
        ecn: Whether ECN-capable packets that are chosen at random are marked instead of dropped.
            Source: Lin and Morris 1997 only drop. Default: false.
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
    """RED behind a filter that drops more packets of the flows that lose most to RED. Mahajan, Floyd and
    Wetherall, ICNP 2001.

    Args:
        limit: The most that may wait in the queue. If it is too small, packets are dropped for want of
            room instead of by the law. A larger limit only costs memory. Source: ns-2 Queue limit_.
            Default: 50 packets.
        min_th: Below this average queue length no packet is dropped or marked. If it is too small, the
            link has nothing to send at times. `"auto"`: a third of `max_th` if that is given, else what
            the link sends in half of `target_delay`, at least 5 packets. Source: ns-2 thresh_ = 0.
            Default: auto.
        max_th: The average queue length at which the signal probability is `max_p`. If it is too close
            to `min_th`, the queue swings up and down. `"auto"`: three times `min_th`. Source: ns-2
            maxthresh_ = 0. Default: auto.
        max_p: The probability with which a packet is dropped or marked when the average is `max_th`. If
            it is too small, the average grows past `max_th`; if it is too large, the link has nothing
            to send at times. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: The weight of the newest queue length in the average, from 0 to 1. If it is too small,
            RED reacts late; if it is too large, short bursts lose packets. Source: ns-2 q_weight_ = -1.
            Default: auto.
        auto_weight: How the weight is computed when `weight` is `"auto"`. `"auto"` is `"second"` where
            `max_p` adapts by a timer, otherwise `"rtt"`. Source: ns-2; ns-3 for adaptive. Default:
            auto.
        avpkt: The mean size of a packet. It converts between packets and bytes, and says how many
            packets the link could have sent while the queue was empty. Source: tc red. Default: 1 kB.
        bandwidth: While the queue is empty, the average falls as if packets were sent at this rate. If
            it is too small, the average stays high for too long. `"auto"` is the link's rate. Source:
            Floyd and Jacobson 1993. Default: auto.
        target_delay: The waiting time that thresholds set to `"auto"` aim at. If it is too small, the
            link has nothing to send at times; if it is too large, queues are long. Source: ns-2
            targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average queue length is counted in bytes rather than packets.
            `"auto"` takes the unit of `min_th`, or if that is not given of `max_th`, or else of
            `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default: auto.
        probability_in_bytes: Whether large packets are dropped or marked more often than small ones, in
            proportion to their size over `avpkt`. RFC 7141 advises against it. Source: RFC 7141.
            Default: false.
        wait: Whether at least `1/p` packets pass after a drop or mark before the next one, where `p` is
            the signal probability. Drops and marks are then fewer and more evenly spread. Source: Floyd
            and Jacobson 1993. Default: false.
        count: How the packets since the last drop or mark are counted, which spreads drops and marks
            over time. Source: Floyd and Jacobson 1993, analysis. Default: analysis.
        guard: While fewer packets than this wait, none is dropped or marked, whatever the average is.
            Source: ns-2 queue/red.cc. Default: 2.
        idle: How the average falls while the queue is empty. Source: Floyd and Jacobson 1993. Default:
            paper.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: tc, ns-2, ns-3. Default: false.
        harddrop: Whether ECN-capable packets are dropped, not marked, when the average is above the
            range in which RED signals at random. Source: ns-3 UseHardDrop. Default: true.
        gentle: Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at
            twice `max_th`. Otherwise it jumps to 1 at `max_th`. Source: authors' scripts, netAllUDP and
            netMix. Default: true.
        drop: Which packet is dropped when the queue is full, that is, at `limit`. Source: all. Default:
            tail.
        rtt: `R`, the round-trip time of the TCP flow that others are compared with. If it is too small,
            only the fastest flows are found; if it is too large, TCP flows are found, too. Source:
            Mahajan et al. 2001; helper.tcl. Default: 40 ms.
        lists: `M`, how many of the last lists count. With more, fewer flows are hit by chance, but fast
            ones are found later. Source: Mahajan et al. 2001; helper.tcl. Default: 5.
        regular: `K`, in how many of these lists a flow must be to count as fast. If it is too small,
            slow flows are hit by chance. Source: Mahajan et al. 2001; helper.tcl. Default: 3.
        list_length: How many flows of a list are kept: those that lost most bytes. If it is too small,
            fast flows are missed where many send. Source: helper.tcl MaxDropList_. Default: 50.
        start: When the first list ends. If it is too early, the start of the flows counts. `"auto"` is
            the longest interval, ten `rtt`. Source: none; helper.tcl has 10.1 s. Default: auto.
        min_wait: The shortest time between two changes of a flow's drop probability. If it is too
            small, a flow is judged before it could slow down. Source: helper.tcl minTimetoConsider_.
            Default: 400 ms.
        min_drop_rate: The drop rate of the queue up to which no flow's probability rises. If it is too
            large, nobody is held responsible for mild congestion. Source: monitoring.tcl. Default:
            0.001.
        max_decrease: By how much a flow's probability falls at most at once. If it is too small, a flow
            that has slowed down stays punished; if it is too large, probabilities swing up and down.
            Source: Mahajan et al. 2001; helper.tcl. Default: 0.05.
        release: The probability below which a quiet flow is no longer watched; half of it for an
            unresponsive flow. If it is too large, flows are released and caught again and again.
            Source: Mahajan et al. 2001; monitoring.tcl. Default: 0.005.
        unresponsive_test: Whether watched flows are tested for whether they slow down when they lose
            more packets. Source: red-pd.tcl. Default: true.
        unresponsive_penalty: A factor for the drop probability of flows that do not slow down. If it is
            too large, they get almost nothing. Source: ns-2 unresponsive_penalty_. Default: 1.0.
        noidle: Whether unresponsive flows are spared, too, when the link would otherwise have nothing
            to send. Source: ns-2 noidle_. Default: false.
        flow: Which header fields tell flows apart: packets that agree in them belong to one flow.
            Source: Mahajan et al. 2001. Default: five_tuple.
        flows: How many flows are known at once at most, in the lists and under watch. If it is too
            small, fast flows are missed in a flood with forged sources. Source: memory; ns-2 has no
            bound. Default: 4096.
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
    """RED behind a filter that drops packets of flows that send mostly while the queue is congested.
    Zhang, Cai, Chen, Luo and Yin, Computer Networks 56, 2012.

    Args:
        limit: The most that may wait in the queue. If it is too small, packets are dropped for want of
            room instead of by the law. A larger limit only costs memory. Source: ns-2 Queue limit_.
            Default: 50 packets.
        min_th: Below this average queue length no packet is dropped or marked. If it is too small, the
            link has nothing to send at times. `"auto"`: a third of `max_th` if that is given, else what
            the link sends in half of `target_delay`, at least 5 packets. Source: ns-2 thresh_ = 0.
            Default: auto.
        max_th: The average queue length at which the signal probability is `max_p`. If it is too close
            to `min_th`, the queue swings up and down. `"auto"`: three times `min_th`. Source: ns-2
            maxthresh_ = 0. Default: auto.
        max_p: The probability with which a packet is dropped or marked when the average is `max_th`. If
            it is too small, the average grows past `max_th`; if it is too large, the link has nothing
            to send at times. Source: Floyd and Jacobson 1993; tc; ns-3. Default: 0.02.
        weight: The weight of the newest queue length in the average, from 0 to 1. If it is too small,
            RED reacts late; if it is too large, short bursts lose packets. Source: ns-2 q_weight_ = -1.
            Default: auto.
        auto_weight: How the weight is computed when `weight` is `"auto"`. `"auto"` is `"second"` where
            `max_p` adapts by a timer, otherwise `"rtt"`. Source: ns-2; ns-3 for adaptive. Default:
            auto.
        avpkt: The mean size of a packet. It converts between packets and bytes, and says how many
            packets the link could have sent while the queue was empty. Source: tc red. Default: 1 kB.
        bandwidth: While the queue is empty, the average falls as if packets were sent at this rate. If
            it is too small, the average stays high for too long. `"auto"` is the link's rate. Source:
            Floyd and Jacobson 1993. Default: auto.
        target_delay: The waiting time that thresholds set to `"auto"` aim at. If it is too small, the
            link has nothing to send at times; if it is too large, queues are long. Source: ns-2
            targetdelay_. Default: 5 ms.
        queue_in_bytes: Whether the average queue length is counted in bytes rather than packets.
            `"auto"` takes the unit of `min_th`, or if that is not given of `max_th`, or else of
            `limit`. Source: tc counts bytes, Floyd and Jacobson 1993 packets. Default: auto.
        probability_in_bytes: Whether large packets are dropped or marked more often than small ones, in
            proportion to their size over `avpkt`. RFC 7141 advises against it. Source: RFC 7141.
            Default: false.
        wait: Whether at least `1/p` packets pass after a drop or mark before the next one, where `p` is
            the signal probability. Drops and marks are then fewer and more evenly spread. Source: Floyd
            and Jacobson 1993. Default: false.
        count: How the packets since the last drop or mark are counted, which spreads drops and marks
            over time. Source: Floyd and Jacobson 1993, analysis. Default: analysis.
        guard: While fewer packets than this wait, none is dropped or marked, whatever the average is.
            Source: ns-2 queue/red.cc. Default: 2.
        idle: How the average falls while the queue is empty. Source: Floyd and Jacobson 1993. Default:
            paper.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: tc, ns-2, ns-3. Default: false.
        harddrop: Whether ECN-capable packets are dropped, not marked, when the average is above the
            range in which RED signals at random. Source: ns-3 UseHardDrop. Default: true.
        gentle: Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at
            twice `max_th`. Otherwise it jumps to 1 at `max_th`. Source: ns-2 since 2001, as in the
            authors' scripts. Default: true.
        drop: Which packet is dropped when the queue is full, that is, at `limit`. Source: all. Default:
            tail.
        tau: The congestion participation rate from which a flow counts as an attacker: the share of its
            packets that it sends while packets are being dropped. If it is too small, TCP flows are
            blocked; if it is too large, attacks get through. Source: authors' scripts, d_cpr. Default:
            0.3.
        dt: The length of the intervals into which time is divided. If it is too small, attackers are
            not in the interval of the drops that they cause; if it is too large, everybody is. Source:
            authors' scripts, dt; the analysis script alone has 10 ms. Default: 1 ms.
        sample: For how long, from the start of each interval, packets are counted. If it is too small,
            few packets count. `"auto"` is the whole interval. Source: authors' scripts, s_l = dt.
            Default: auto.
        window: The time over which the participation rate is taken. If it is too small, chance decides;
            if it is too large, a flow that has stopped its attack stays blocked. Source: none; the
            authors judge whole recordings. Default: 10 s.
        min_packets: How many packets a flow must have sent within the window before it is judged. If it
            is too small, chance decides; if it is too large, an attack that is spread over many flows
            gets through. Source: none; the authors judge whole recordings. Default: 20.
        marks_count: Whether an ECN mark counts as a drop, too. Source: not in Zhang et al. 2012.
            Default: false.
        flow: Which header fields tell flows apart: packets that agree in them belong to one flow.
            Source: authors' script: addresses, ports and flow number. Default: five_tuple.
        flows: How many flows are known at once at most. If it is too small, flows get through without
            being judged. Source: memory; the authors have no bound. Default: 65536.
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
    """BLUE with a drop probability for groups of flows; flows that do not slow down share a small part of
    the link. Feng, Kandlur, Saha and Shin, INFOCOM 2001; Linux sch_sfb.

    Args:
        form: Which version of SFB this is: in which order it does its steps, and the value of every
            parameter below that is `"auto"`. Source: tc sfb. Default: linux.
        limit: The most that may wait in the queue. If it is too small, bins never fill, and no flow is
            found out. `"auto"`: 1000 packets (linux), 200 (lanl). Source: Linux txqueuelen; Bedi et al.
            2014. Default: auto.
        levels: How many levels of bins there are, each with a hash of its own. With more, fewer
            innocent flows are caught, but each packet costs more computing time. `"auto"`: 8 (linux), 2
            (lanl). Source: Linux SFB_LEVELS; Feng et al. 2001. Default: auto.
        bins: How many bins each level has. With too few, innocent flows share bins with floods at every
            level. `"auto"`: 16 (linux), 23 (lanl). Source: Linux SFB_NUMBUCKETS; Feng et al. 2001.
            Default: auto.
        flow: Which header fields tell flows apart: packets that agree in them belong to one flow. With
            fewer fields, innocent flows share the bins of a flood. Source: Linux sch_sfb. Default:
            five_tuple.
        hash: How a flow is assigned to its bins. `lanl` needs two levels; with `flow = "src_dst"` it
            gives what ns-2 does for agents whose ports are all zero. Source: Linux sch_sfb; LANL port.
            Default: salted.
        target: From how many packets in a bin on its probability rises. If it is too small, short
            bursts are hit. `"auto"`: 20 (linux), `limit` over `bins` (lanl). Source: Linux bin_size;
            LANL port. Default: auto.
        max: From how many packets on a bin is full. If it is too small, packets are dropped for that
            reason and not by the law. `"auto"`: 25 (linux), one and a half times `target` (lanl).
            Source: Linux max; LANL port. Default: auto.
        avpkt: The mean size of a packet. It converts a `limit` in bytes into the packets from which
            `target` follows. Source: Bedi et al. 2014. Default: 1 kB.
        increment: By how much the probability of a bin rises when the bin has too many packets. If it
            is too large, probabilities swing up and down. `"auto"`: 1/1000 (linux), 0.005 (lanl).
            Source: Linux increment; LANL port d1. Default: auto.
        decrement: By how much the probability of a bin falls when the bin is empty. If it is too large,
            floods are forgotten in their pauses. `"auto"`: 1/6000 (linux), 0.001 (lanl). Source: Linux
            decrement; LANL port d2. Default: auto.
        freeze: The shortest time between two changes of a bin's probability. If it is too large, floods
            are found late. `"auto"`: none (linux), 100 ms (lanl). Source: Linux; LANL port hold_time.
            Default: auto.
        penalise: If the probabilities of all bins of a flow reach this, the flow counts as
            unresponsive. `"auto"`: 1 (linux), 0.98 (lanl). Source: Linux SFB_MAX_PROB; LANL port.
            Default: auto.
        early: What happens to a packet that its bins' probability hits. `"auto"`: linux (linux),
            mark_only (lanl). Source: Linux; LANL port. Default: auto.
        overflow: When full bins drop a packet. `"auto"`: all (linux); any (lanl), which also hits flows
            that share only one bin with a flood. Source: Linux; LANL port. Default: auto.
        rehash: After which time another hash takes over; zero means never. If it is too large, flows
            that share bins with a flood do so for long. `"auto"`: 600 s (linux), 20 s (lanl). Source:
            Linux rehash_interval; LANL port hinterval. Default: auto.
        warm: From which packets the bins of the next hash learn before it takes over. `"auto"`:
            inelastic (linux), always (lanl). Source: Linux double buffering; LANL port. Default: auto.
        warmup: With `warm = "inelastic"`: for how long before the change the bins of the next hash
            learn. If it is too small, floods get through at first. Source: Linux warmup_time. Default:
            60 s.
        initial: With `warm = "always"`: the probability at which the bins of the next hash start.
            Source: LANL port. Default: 0.2.
        penalty_interval: Penalty box of `lanl`: one packet is let out in each such time, of all its
            flows together. If it is too small, floods get through. Source: LANL port pbox_time.
            Default: 50 ms.
        penalty_rate: Penalty box of `linux`: how many packets per second are let out, of all its flows
            together. Zero: none. Source: Linux penalty_rate. Default: 10.
        penalty_burst: Penalty box of `linux`: how many packets may be let out at once. Zero: none.
            Source: Linux penalty_burst. Default: 20.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: Linux. Default: true.
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
    """Drops or marks packets at the head of the queue while packets keep waiting longer than a target. RFC
    8289; Nichols and Jacobson, ACM Queue 10(5), 2012.

    Args:
        form: Which version of CoDel this is. It sets the value of every parameter below that is
            `"auto"`. A `tc` line means Linux's. Source: RFC 8289. Default: rfc.
        limit: The most that may wait in the queue. If it is too small, packets are dropped for want of
            room instead of by the law. A larger limit only costs memory. Source: Linux sch_codel.
            Default: 1000 packets.
        target: The waiting time in the queue that is acceptable: while packets wait no longer, none is
            dropped or marked. If it is shorter than one or two packets take to send, the link has
            nothing to send at times; if it is too large, packets always wait. Source: RFC 8289 §4.4.
            Default: 5 ms.
        interval: How long packets must have waited longer than `target` before the first one is dropped
            or marked. It should be about the longest usual round-trip time. If it is too small, short
            bursts lose packets; if it is too large, CoDel reacts late. Source: RFC 8289 §4.4. Allowed:
            2 us to 1000 s (the times between drops or marks are fractions of it). Default: 100 ms.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: Linux sch_codel. Default: false.
        ce_threshold: Every ECN-capable packet that has waited longer than this is marked, whatever
            CoDel decides and whether or not `ecn` is on. If it is too small, senders become too slow.
            `"auto"` turns this off. Source: Linux sch_codel (off). Default: auto.
        maxpacket: While no more bytes than this wait, nothing is dropped or marked. If it is too large,
            a queue of that size stays for ever. `"auto"` is the largest packet seen so far, at least
            512 bytes (rfc), or 1514 bytes (linux). Source: RFC 8289 §5.5; Linux: the device's MTU.
            Default: auto.
        arithmetic: How times and square roots are computed. `"auto"`: exact (rfc), linux16 (linux).
            Source: RFC 8289 §5.5; Linux. Default: auto.
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
    """Spreads flows over buckets and serves the buckets in turn. McKenney, INFOCOM 1990; ns-2
    queue/sfq.cc; Linux sch_sfq.

    Args:
        form: Which version of SFQ this is. It sets the value of every parameter below that is `"auto"`.
            Source: tc sfq. Default: linux.
        limit: The most packets that may wait in all buckets together. If it is too small, there is no
            room to be fair. `"auto"`: 40 (ns2), 127 (linux, paper). Source: ns-2 maxqueue_; Linux
            SFQ_MAX_DEPTH. Default: auto.
        depth: The most packets that may wait in one bucket. `"auto"`: 127 (linux), otherwise `limit`.
            Source: Linux SFQ_MAX_DEPTH. Default: auto.
        buckets: How many values the hash of a flow has. With too few, several flows share a bucket and
            its turn. `"auto"`: 16 (ns2), 1024 (linux, paper). Source: ns-2 buckets_; Linux
            SFQ_DEFAULT_HASH_DIVISOR. Default: auto.
        flows: How many buckets may hold packets at the same time; packets for further ones are dropped.
            `"auto"`: 128 (linux), otherwise `buckets`. Source: Linux SFQ_DEFAULT_FLOWS. Default: auto.
        service: What a bucket may send in its turn. `"auto"`: byte (linux), otherwise packet. Source:
            ns-2; Linux; McKenney 1990. Default: auto.
        quantum: With `service = "byte"`: how many bytes a bucket may send in its turn. If it is too
            small, many turns pass without a packet; if it is too large, each bucket sends in long
            bursts. Source: Linux: one Ethernet frame. Default: 1514 B.
        drop: Which packet is dropped when the buffer is full. `"auto"`: arrival_ns2 (ns2), otherwise
            longest_tail. Source: ns-2; Linux; McKenney 1990. Default: auto.
        hash: Which header fields tell flows apart. `"auto"`: ns2 (ns2), otherwise five_tuple. Source:
            ns-2; Linux; McKenney 1990. Default: auto.
        perturb: After which time the hash changes, so that flows that share a bucket do not do so for
            ever; zero means never. Waiting packets move to their new buckets. `"auto"`: 10 s (paper),
            otherwise never. Source: Linux: off; McKenney 1990: on. Default: auto.
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
    """Drops or marks arriving packets with a probability that a controller sets to hold the waiting time
    at a target. RFC 8033; Pan et al., HPSR 2013.

    Args:
        form: Which version of PIE this is, where versions differ. It sets the value of every parameter
            below that is `"auto"`. A `tc` line means Linux's. Source: RFC 8033. Default: rfc.
        limit: The most that may wait in the queue. If it is too small, packets are dropped for want of
            room instead of by the law. A larger limit only costs memory. Source: Linux sch_pie.
            Default: 1000 packets.
        target: The waiting time that the controller steers towards. If it is too small, the link has
            nothing to send at times; if it is too large, packets wait longer than they need to. Source:
            RFC 8033 Appendix A, QDELAY_REF. Default: 15 ms.
        tupdate: The time between two updates of the probability. If it is too small, the probability
            follows every short variation of the queue; if it is too large, it reacts late. Source: RFC
            8033 §4.2, T_UPDATE. Allowed: 10 us to 1000 s (each update takes computing time). Default:
            15 ms.
        alpha: How much the probability changes for each second that the delay is away from `target`,
            per update. A larger value reacts faster; if it is too large, the delay swings up and down.
            Source: RFC 8033 §4.2. Allowed: 0.0 to 1000000.0 (the controller would drive the delay
            away). Default: 0.125.
        beta: How much the probability changes for each second by which the delay has grown or shrunk
            since the last update. If it is too small, the delay overshoots; if it is too large, short
            variations are amplified. Source: RFC 8033 §4.2. Allowed: 0.0 to 1000000.0 (the controller
            would drive the delay away). Default: 1.25.
        max_burst: For how long at the start of a burst no packet is dropped or marked. If it is too
            large, floods get in at first. Source: RFC 8033 §4.4, MAX_BURST. Default: 150 ms.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: Linux sch_pie. Default: false.
        mark_ecnth: Above this probability ECN-capable packets are dropped like others, not marked. If
            it is too large, a flood of ECN-capable packets cannot be held back. Source: RFC 8033 §5.1.
            Default: 0.1.
        mean_pktsize: While no more than two packets of this size wait, nothing is dropped or marked. It
            is also the size that `bytemode` compares with. If it is too large, a queue of that size
            stays for ever. `"auto"`: 1000 bytes (rfc), 1024 (docsis), 1514 (linux). Source: ns-3
            MeanPktSize; RFC 8034; Linux: the device's MTU. Default: auto.
        bytemode: Whether large packets are dropped or marked more often than small ones, in proportion
            to their size over `mean_pktsize`. RFC 7141 advises against it. Source: RFC 7141; Linux
            sch_pie. Default: false.
        derandomize: Whether drops and marks are spread evenly. The probabilities of packets are added
            up since the last one: below a sum of 0.85 none follows, and from 8.5 on the next packet is
            hit. Source: RFC 8033 §5.4; Linux. Default: true.
        max_step: The largest step by which the probability rises in one update once it is 0.1 or more.
            1 turns this off. Source: RFC 8033 §5.5. Default: 0.02.
        burst: What starts the time in which bursts are spared (`max_burst`). With `docsis`, a short
            queue never loses a packet. `"auto"` goes by `form`. Source: RFC 8033 §4.4; RFC 8034
            Appendix A. Default: auto.
        burst_reset: With `burst = "docsis"`: after this quiet time the queue must become a third full
            again before packets are dropped. If it is too small, every burst is spared. Source: RFC
            8034 Appendix A, BURST_RESET_TIMEOUT. Default: 1 s.
        hold_in_burst: Whether the probability stays zero while bursts are spared, as in ns-2 and ns-3.
            Source: RFC 8033 Appendix A. Default: false.
        delay_from: How the waiting time in the queue is measured. Source: Linux sch_pie; RFC 8033 §4.3
            allows both. Default: timestamps.
        dq_threshold: With `delay_from = "rate"`: over how many bytes the rate is measured at which
            packets leave. If it is too small, the rate varies too much; if it is too large, it is never
            measured, and neither is the delay. Source: RFC 8033 §5.2. Default: 16384 B.
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
    """Serves flows in turn, those that send little first; each flow has a queue with CoDel. RFC 8290.

    Args:
        form: Which version of FQ-CoDel this is. It sets the value of every parameter below that is
            `"auto"`. A `tc` line means Linux's. Source: RFC 8290. Default: rfc.
        limit: The most that may wait in the queues of all flows together. If it is too small, packets
            are dropped for want of room instead of by the law. Source: RFC 8290 §5.2.1. Default: 10240
            packets.
        memory_limit: How much memory waiting packets may take, in addition to `limit`. A full packet
            counts as about 2304 bytes, as in Linux. If it is too small, packets are dropped for want of
            room; a larger limit only costs memory. Source: RFC 8290 §5.2.7 (Linux: 32 MB). Default:
            33554432 B.
        flows: How many queues there are. A hash of its flow decides in which one a packet waits. With
            too few, several flows share a queue, its turn and its CoDel. Source: RFC 8290 §5.2.4.
            Default: 1024.
        flow_by: Which header fields tell flows apart: packets that agree in them belong to one flow and
            share its queue. Source: RFC 8290 §4.1.1. Default: five_tuple.
        quantum: How many bytes a flow may send in its turn. If it is too small, many turns pass without
            a packet; if it is too large, each flow sends in long bursts, and flows of that size go
            before others as if they sent little. Source: RFC 8290 §5.2.5. Default: 1514 B.
        target: The waiting time in the queue that is acceptable: while packets wait no longer, none is
            dropped or marked (CoDel's target). If it is too small, the link has nothing to send at
            times; if it is too large, packets always wait. Source: RFC 8290 §5.2.3. Default: 5 ms.
        interval: How long packets must have waited longer than `target` before the first one is dropped
            or marked (CoDel's interval). It should be about the longest usual round-trip time. If it is
            too small, short bursts lose packets; if it is too large, CoDel reacts late. Source: RFC
            8290 §5.2.2. Allowed: 2 us to 1000 s (the times between drops or marks are fractions of it).
            Default: 100 ms.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: RFC 8290 §5.2.6. Default: true.
        ce_threshold: Every ECN-capable packet that has waited longer than this is marked, whatever
            CoDel decides. If it is too small, senders become too slow. `"auto"` turns this off. Source:
            RFC 8290 §5.2.8 (off). Default: auto.
        ce_threshold_selector: Restricts `ce_threshold` to some packets: it marks a packet only if the
            bits of its traffic class that `ce_threshold_mask` names are equal to this. The upper six
            bits are the DiffServ codepoint, the lower two ECN; 1 with a mask of 3 means ECT(1). Source:
            Linux sch_fq_codel. Default: 0.
        ce_threshold_mask: Which bits of a packet's traffic class are compared with
            `ce_threshold_selector`. With 0, `ce_threshold` marks every ECN-capable packet. Source:
            Linux sch_fq_codel. Default: 0.
        drop_batch: The most packets that are dropped at once when the buffer is full. A small number
            costs computing time in a flood; a large one makes a flow lose many packets in a row.
            Source: RFC 8290 §4.1.3. Default: 64.
        maxpacket: While no more bytes than this wait, CoDel drops or marks nothing. If it is too large,
            a queue of that size stays for ever. `"auto"` is the flow's largest packet so far, at least
            512 bytes (rfc), or 1514 bytes (linux). Source: RFC 8289 §5.5; Linux: the device's MTU.
            Default: auto.
        codel_backlog: Whether `maxpacket` is compared with what waits of the flow or of all flows.
            `"auto"`: flow (rfc), total (linux). Source: RFC 8290 §4; Linux. Default: auto.
        count_overlimit: Whether a packet that is dropped at the limit counts as one of CoDel's drops,
            so that its next ones follow faster. `"auto"`: false (rfc), true (linux). Source: RFC 8290
            §4.1.3; Linux. Default: auto.
        emptied: What happens to a new flow whose queue is found empty when its turn comes. If it may
            leave, it counts as new again with its next packet. `"auto"`: stays (rfc), stays_if_old
            (linux). Source: RFC 8290 §4.2; Linux. Default: auto.
        arithmetic: How CoDel computes times and square roots. `"auto"`: exact (rfc), linux16 (linux).
            Source: RFC 8289 §5.5; Linux. Default: auto.
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
    """Serves flows in turn, with so many bytes for each; what a flow does not use counts for its next
    turn. Shreedhar and Varghese, SIGCOMM 1995; ns-2 queue/drr.cc; Linux sch_drr.

    Args:
        form: Which version of DRR this is. It sets the value of every parameter below that is `"auto"`.
            Source: Shreedhar and Varghese, SIGCOMM 1995. Default: paper.
        limit: The most that may wait in the queues of all flows together. If it is too small, there is
            no room to be fair. `"auto"`: 1000 packets (paper), 25 kB (ns2). Source: Linux pfifo; ns-2
            blimit_. Default: auto.
        flows: How many queues there are. A hash of its flow decides in which one a packet waits. With
            too few, several flows share a queue and its turn. `"auto"`: 1024 (paper), 10 (ns2). Source:
            Linux fq_codel; ns-2 buckets_. Default: auto.
        quantum: How many bytes a flow may send in its turn, or a class that states none of its own; at
            least 1500 unless the form is ns2 or there are `classes`. If it is too small, many turns
            pass without a packet; if it is too large, each flow sends in long bursts. `"auto"`: 1514
            (paper), 250 (ns2). Source: Linux sch_drr: one Ethernet frame; ns-2 quantum_. Default: auto.
        drop: Which packet of the flow with most bytes is dropped when the buffer is full. `"auto"`:
            longest_tail (paper), longest_head (ns2). Source: Demers et al., SIGCOMM 1989; ns-2.
            Default: auto.
        flow_by: Which header fields tell flows apart: packets that agree in them belong to one flow.
            `"auto"`: five_tuple (paper), src (ns2). Source: Linux fq_codel; ns-2 mask_ 0. Default:
            auto.
        classes: Classes instead of flows, as in Linux, separated by semicolons. A class has filters,
            separated by commas; then, if it has its own, `quantum` and a size; then, if it has its own,
            a colon and a discipline. A filter is `other`, or what a packet must have: a DiffServ
            codepoint, `tcp` or `udp`, `sport` or `dport` with a number. The first filter that matches
            decides; a packet that none matches is dropped. A discipline is a name, a name with
            parameters, or a tc line:
            `EF, udp dport 53 quantum 3000 B: pie(target = 5 ms); other: codel target 5ms`. `"auto"`: no
            classes, but a queue for each flow. Source: Shreedhar and Varghese, SIGCOMM 1995; Linux
            sch_drr. Default: auto.
        leaf: The discipline in which packets of a class wait if the class names none. `"auto"`: pfifo
            limit 1000. Source: Linux pfifo. Default: auto.
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
    """CoDel, with BLUE's drop probability against flows that do not slow down. Palmei et al., LANMAN 2019;
    Høiland-Jørgensen et al., LANMAN 2018.

    Args:
        limit: The most that may wait in the queue. If it is too small, packets are dropped for want of
            room instead of by the law. A larger limit only costs memory. Source: ns-3 CobaltQueueDisc.
            Default: 1000 packets.
        target: The waiting time in the queue that is acceptable: while packets wait no longer, none is
            dropped or marked. It is also the shortest time between two changes of BLUE's probability.
            If it is too small, the link has nothing to send at times; if it is too large, packets
            always wait. Source: ns-3 CobaltQueueDisc; CAKE. Default: 5 ms.
        interval: The time between the first drops or marks. It should be about the longest usual round-
            trip time. If it is too small, short bursts lose packets; if it is too large, the law reacts
            late. Source: ns-3 CobaltQueueDisc; CAKE. Allowed: 2 us to 1000 s (the times between drops
            or marks are fractions of it). Default: 100 ms.
        ecn: Whether ECN-capable packets are marked instead of dropped when CoDel's part of the law
            signals congestion. BLUE's part always drops. Source: CAKE. Default: true.
        increment: By how much BLUE's drop probability rises when the queue overflows. If it is too
            small, a flood fills the buffer; if it is too large, more is dropped than needed. Source:
            ns-3 CobaltQueueDisc; CAKE. Default: 0.00390625.
        decrement: By how much BLUE's drop probability falls when the queue is empty. If it is too
            small, drops go on after a flood; if it is too large, the flood comes back. Source: ns-3
            CobaltQueueDisc; CAKE. Default: 0.000244140625.
        blue_threshold: If packets wait longer than this, BLUE's drop probability rises even without an
            overflow. If it is too small, BLUE acts before CoDel can. `"auto"` turns this off. Source:
            ns-3 CobaltQueueDisc. Default: 400 ms.
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
    """Serves flows in turn, those that send little first; each flow has a queue with COBALT. Høiland-
    Jørgensen et al., LANMAN 2018; ns-3 FqCobaltQueueDisc.

    Args:
        limit: The most that may wait in the queues of all flows together. If it is too small, packets
            are dropped for want of room instead of by the law. Source: ns-3 FqCobaltQueueDisc. Default:
            10240 packets.
        flows: How many queues there are. A hash of its flow decides in which one a packet waits. With
            too few, several flows share a queue, its turn and its law. Source: ns-3 FqCobaltQueueDisc;
            CAKE. Default: 1024.
        flow_by: Which header fields tell flows apart: packets that agree in them belong to one flow and
            share its queue. Source: ns-3 FqCobaltQueueDisc. Default: five_tuple.
        quantum: How many bytes a flow may send in its turn. If it is too small, many turns pass without
            a packet; if it is too large, each flow sends in long bursts. Source: CAKE: one Ethernet
            frame. Default: 1514 B.
        drop_batch: The most packets that are dropped at once when the buffer is full. A small number
            costs computing time in a flood; a large one makes a flow lose many packets in a row.
            Source: ns-3 FqCobaltQueueDisc. Default: 64.
        target: The waiting time in the queue that is acceptable: while packets wait no longer, none is
            dropped or marked. If it is too small, the link has nothing to send at times; if it is too
            large, packets always wait. Source: ns-3 FqCobaltQueueDisc; CAKE. Default: 5 ms.
        interval: The time between the first drops or marks. It should be about the longest usual round-
            trip time. If it is too small, short bursts lose packets; if it is too large, the law reacts
            late. Source: ns-3 FqCobaltQueueDisc; CAKE. Allowed: 2 us to 1000 s (the times between drops
            or marks are fractions of it). Default: 100 ms.
        ecn: Whether ECN-capable packets are marked instead of dropped when CoDel's part of the law
            signals congestion. BLUE's part always drops. Source: ns-3 FqCobaltQueueDisc; CAKE. Default:
            true.
        increment: By how much the drop probability of a flow rises when the buffer overflows and the
            flow has to lose packets. If it is too small, a flood fills the buffer; if it is too large,
            more is dropped than needed. Source: ns-3 FqCobaltQueueDisc; CAKE. Default: 0.00390625.
        decrement: By how much a flow's drop probability falls when its queue is empty. If it is too
            small, drops go on after a flood; if it is too large, the flood comes back. Source: ns-3
            FqCobaltQueueDisc; CAKE. Default: 0.000244140625.
        blue_threshold: If packets of a flow wait longer than this, its drop probability rises even
            without an overflow. If it is too small, BLUE acts before CoDel can. `"auto"` turns this
            off. Source: ns-3 FqCobaltQueueDisc. Default: 400 ms.
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
    """A shaper with classes by DiffServ codepoint, fair shares for hosts and flows, and COBALT in each
    queue. Høiland-Jørgensen et al., LANMAN 2018; Linux sch_cake.

    Args:
        bandwidth: The rate at which CAKE's shaper sends. If it is too small, part of the link is
            unused; if it is too large, packets wait in another queue that CAKE does not control.
            `"auto"` is unlimited: the link's own rate holds. Source: Linux sch_cake (unlimited).
            Default: auto.
        autorate_ingress: Whether the shaper follows the rate at which packets arrive, at 15/16 of its
            peaks. This is for a queue behind a bottleneck whose rate changes. It starts at `bandwidth`.
            Source: Linux sch_cake. Default: false.
        ingress: Whether the bottleneck lies before this queue. Dropped packets then count as sent,
            since they have already used the bottleneck. Where the queue is in front of its own
            bottleneck, this wastes rate. Source: Linux sch_cake (egress). Default: false.
        diffserv: How packets are sorted by their DiffServ codepoint into priority classes, which CAKE
            calls tins. Source: Linux sch_cake. Default: diffserv3.
        flow_mode: What counts as a flow, and whether the rate is first shared equally among hosts.
            Source: Linux sch_cake. Default: triple-isolate.
        wash: Whether the DiffServ codepoint of all packets is set to zero after they were sorted.
            Source: Linux sch_cake (nowash). Default: false.
        ack_filter: Whether TCP acknowledgments are dropped that newer ones make needless. `aggressive`
            saves more of a slow upward link, but leaves the sender fewer ACKs to time its packets by.
            Source: Linux sch_cake (no-ack-filter). Default: off.
        rtt: The longest usual round-trip time, which is the interval of the COBALT law in each flow's
            queue. If it is too small, short bursts lose packets; if it is too large, the law reacts
            late. Source: Linux sch_cake (internet). Allowed: 2 us to 1000 s (the times between drops or
            marks are fractions of it). Default: 100 ms.
        target: The waiting time in the queue that is acceptable: while packets wait no longer, none is
            dropped or marked. If it is too small, the link has nothing to send at times; if it is too
            large, packets always wait. `"auto"` is a twentieth of `rtt`. If the largest packet of a tin
            takes longer than two thirds of it, the tin has one and a half times that packet's time.
            Source: Linux sch_cake (5 ms). Allowed: 1 us to 1000 s (every packet, or none, would be
            late). Default: auto.
        overhead: How many bytes the link below adds to each packet. If it is too small, packets wait in
            that link's own queue; if it is too large, rate is wasted. Source: Linux sch_cake (raw).
            Default: 0 B.
        mpu: The smallest number of bytes that a packet takes on the link below, overhead included. If
            it is too small, packets wait there; if it is too large, rate is wasted. Source: Linux
            sch_cake. Default: 0 B.
        link_layer: Whether the link below cuts packets into cells (ATM) or encodes them (PTM), which
            adds bytes. Source: Linux sch_cake (noatm). Default: noatm.
        mtu: The size of the largest packet. Several times follow from it; if it is too small, slow
            links drop packets without need. Source: Linux: Ethernet's. Default: 1514 B.
        memory_limit: How much memory waiting packets may take. A full packet counts as 2304 bytes, as
            in Linux. If it is too small, packets are dropped for want of room instead of by the law.
            `"auto"` is four times what `bandwidth` carries in an `rtt`, at least 4 MiB and at most 10
            240 packets of `mtu`. Source: Linux sch_cake. Default: auto.
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
    """A stack (last in, first out) with CoDel, which drops only while waiting times keep growing. Felix da
    Silva, Santos, Nogueira: A New Queue Discipline for Reducing Bufferbloat Effects.

    Args:
        form: Which version of CoDel-LIFO this is: what the paper's text says, or what its authors' code
            does. Source: Felix da Silva et al.. Default: paper.
        limit: The most that may wait in the stack. If it is too small, packets are dropped for want of
            room instead of by the law; if it is too large, old packets stay for long. Source: ns-3
            CoDelQueue. Default: 1000 packets.
        overflow: Which packet is dropped when the stack is full. Source: Felix da Silva et al..
            Default: arrival.
        target: The waiting time in the queue that is acceptable: while packets wait no longer, none is
            dropped. If it is too small, every packet counts as late; if it is too large, the law never
            acts. Source: Felix da Silva et al. (tau). Default: 5 ms.
        interval: How long packets must have waited longer than `target` before the first one is
            dropped. If it is too small, short bursts lose packets; if it is too large, the law reacts
            late. Source: Felix da Silva et al. (lambda). Allowed: 2 us to 1000 s (the times between
            drops or marks are fractions of it). Default: 100 ms.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: Felix da Silva et al. (no ECN). Default: false.
        maxpacket: While no more bytes than this wait, nothing is dropped or marked. If it is too large,
            a queue of that size stays for ever. `"auto"` is the largest packet seen so far, at least
            512 bytes. Source: RFC 8289 §5.5. Default: auto.
        literal_reset: Whether the count of drops starts again from zero as soon as a packet has waited
            less than `target` (with `form = "paper"` only). Source: RFC 8289 §5.4 (the text: true).
            Default: false.
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
    """Serves flows in turn; each flow has a stack with CoDel-LIFO. Felix da Silva, Santos, Nogueira: A New
    Queue Discipline for Reducing Bufferbloat Effects.

    Args:
        form: Which version of CoDel-LIFO this is: what the paper's text says, or what its authors' code
            does. Source: Felix da Silva et al.. Default: paper.
        limit: The most that may wait in the queues of all flows together. If it is too small, packets
            are dropped for want of room instead of by the law. Source: RFC 8290 §5.2.1. Default: 10240
            packets.
        flows: How many stacks there are. A hash of its flow decides in which one a packet waits. With
            too few, several flows share a stack, its turn and its law. Source: RFC 8290 §5.2.4.
            Default: 1024.
        flow_by: Which header fields tell flows apart: packets that agree in them belong to one flow and
            share its queue. Source: RFC 8290 §4.1.1. Default: five_tuple.
        quantum: How many bytes a flow may send in its turn. If it is too small, many turns pass without
            a packet; if it is too large, each flow sends in long bursts. Source: RFC 8290 §5.2.5.
            Default: 1514 B.
        drop_batch: The most packets that are dropped at once when the buffer is full. A small number
            costs computing time in a flood; a large one makes a flow lose many packets in a row.
            Source: RFC 8290 §4.1.3. Default: 64.
        target: The waiting time in the queue that is acceptable: while packets wait no longer, none is
            dropped. If it is too small, every packet counts as late; if it is too large, the law never
            acts. Source: Felix da Silva et al. (tau). Default: 5 ms.
        interval: How long packets must have waited longer than `target` before the first one is
            dropped. If it is too small, short bursts lose packets; if it is too large, the law reacts
            late. Source: Felix da Silva et al. (lambda). Allowed: 2 us to 1000 s (the times between
            drops or marks are fractions of it). Default: 100 ms.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: Felix da Silva et al. (no ECN). Default: false.
        maxpacket: While no more bytes of the flow than this wait, nothing is dropped or marked. If it
            is too large, a queue of that size stays for ever. `"auto"` is the flow's largest packet so
            far, at least 512 bytes. Source: RFC 8289 §5.5. Default: auto.
        literal_reset: Whether the count of drops starts again from zero as soon as a packet has waited
            less than `target` (with `form = "paper"` only). Source: RFC 8289 §5.4 (the text: true).
            Default: false.
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
    """Each connection has a queue; they are served in turn, by packets or by bits. Nagle, RFC 970, 1985;
    Demers, Keshav, Shenker, SIGCOMM 1989.

    Args:
        form: Which version of FQ this is. It sets the value of every parameter below that is `"auto"`.
            A `tc` line means Linux's. Source: RFC 970. Default: rfc.
        limit: The most that may wait in the queues of all connections together; it also bounds how many
            connections are known. If it is too small, connections that come later find no room; a
            larger limit only costs memory. `"auto"`: 1000 packets (rfc), 10 000 (linux). Source: Linux
            pfifo; Linux sch_fq. Default: auto.
        flow_limit: The most that may wait in the queue of one connection. If it is too small, bursts
            are lost; if it is too large, packets wait long behind others of their own connection.
            `"auto"`: 50 packets (rfc), 100 (linux); with `bit_by_bit` no limit but `limit`. Source:
            ns-2 Queue limit_; Demers et al. 1989; Linux sch_fq. Default: auto.
        flows: How many queues there are. A hash of its connection decides in which one a packet waits;
            connections with the same hash share a queue. `"auto"`: each connection has its own queue
            (rfc), 1024 (linux). Source: RFC 970; Linux sch_fq, orphan_mask. Default: auto.
        flow_by: Which header fields tell connections apart: packets that agree in them belong to one
            connection. Source: RFC 970 (Nagle: src). Default: five_tuple.
        service: In which order connections are served. With `packet`, those with large packets get more
            bytes; `bit_by_bit` and `ns2` take more computing time. `"auto"`: packet (rfc), surplus
            (linux). Source: RFC 970; Linux sch_fq. Default: auto.
        quantum: With `surplus`: how many bytes a connection may send in its turn. If it is too small,
            many turns pass without a packet; if it is too large, each connection sends in long bursts.
            Source: Linux sch_fq: two Ethernet frames. Default: 3028 B.
        initial_quantum: With `surplus`: how many bytes a connection may send in its first turn. If it
            is too small, a new connection waits in its first round trip; if it is too large, new
            connections send long bursts. Source: Linux sch_fq: ten Ethernet frames. Default: 15140 B.
        refill_delay: With `surplus`: a connection that had no packet for this long may send a quantum
            at once again. If it is too small, connections with pauses get more than their share.
            Source: Linux sch_fq. Default: 40 ms.
        delta: With `bit_by_bit`: by how many bytes a connection that was idle may be ahead of the
            others. If it is too large, those that send in bursts go before those that send evenly.
            Source: Demers, Keshav, Shenker 1989. Default: 0 B.
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
    """Gives each flow a share of the link by its weight, as if all were served at the same time. Parekh,
    Gallager, IEEE/ACM ToN 1(3), 1993; Demers, Keshav, Shenker, SIGCOMM 1989.

    Args:
        limit: The most that may wait in the queues of all flows together. If it is too small, flows
            that come later find no room; a larger limit only costs memory. Source: Linux pfifo.
            Default: 1000 packets.
        flow_limit: The most that may wait in the queue of one flow. If it is too small, bursts are
            lost. `"auto"` turns this off. Source: Demers et al. 1989 have none. Default: auto.
        clock: How the virtual clock runs, which decides the order of packets. `scfq` and `stfq` take
            less computing time; with `scfq`, a flow that was idle may wait for one packet of every
            other flow. Source: Parekh, Gallager 1993. Default: pgps.
        overflow: Which packet is dropped when the buffer is full. With `arrival`, a flood takes the
            whole buffer. Source: Demers, Keshav, Shenker 1989. Default: longest.
        shares: Who has a share of the link: flows or classes. With `class`, all flows of a class wait
            in one queue. Source: Parekh, Gallager 1993. Default: flow.
        flow_by: Which header fields tell flows apart: packets that agree in them belong to one flow and
            share its queue. Source: Demers et al. 1989 (src_dst). Default: five_tuple.
        weight_cs0: The weight of packets with codepoints CS0 to 7, best effort among them. A flow with
            twice the weight of another gets twice its share. Source: equal. Default: 1.0.
        weight_cs1: The weight of packets with codepoints CS1 to 15. Source: equal. Default: 1.0.
        weight_cs2: The weight of packets with codepoints CS2 to 23. Source: equal. Default: 1.0.
        weight_cs3: The weight of packets with codepoints CS3 to 31. Source: equal. Default: 1.0.
        weight_cs4: The weight of packets with codepoints CS4 to 39. Source: equal. Default: 1.0.
        weight_cs5: The weight of packets with codepoints CS5 to 47, expedited forwarding among them.
            Source: equal. Default: 1.0.
        weight_cs6: The weight of packets with codepoints CS6 to 55. Source: equal. Default: 1.0.
        weight_cs7: The weight of packets with codepoints CS7 to 63. Source: equal. Default: 1.0.
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
    """Serves flows in turn, those that send little first; each flow has a queue with PIE. Ramakrishnan et
    al., LCN 2019; Linux sch_fq_pie.

    Args:
        form: Which version of PIE this is, where versions differ. It sets the value of every parameter
            below that is `"auto"`. A `tc` line means Linux's. Source: RFC 8033. Default: rfc.
        limit: The most that may wait in the queues of all flows together. If it is too small, packets
            are dropped for want of room instead of by the law. Source: Linux sch_fq_pie. Default: 10240
            packets.
        memory_limit: How much memory waiting packets may take, in addition to `limit`. A full packet
            counts as about 2304 bytes. With `form = "linux"` it has no effect, as Linux only counts it.
            If it is too small, packets are dropped for want of room. Source: Linux sch_fq_pie (32 MB).
            Default: 33554432 B.
        flows: How many queues there are. A hash of its flow decides in which one a packet waits. With
            too few, several flows share a queue, its turn and its PIE. Source: Linux sch_fq_pie.
            Default: 1024.
        flow_by: Which header fields tell flows apart: packets that agree in them belong to one flow and
            share its queue. Source: Linux sch_fq_pie. Default: five_tuple.
        quantum: How many bytes a flow may send in its turn. If it is too small, many turns pass without
            a packet; if it is too large, each flow sends in long bursts. Source: Linux sch_fq_pie: one
            Ethernet frame. Default: 1514 B.
        overflow: Which packet is dropped when the buffer is full. Source: Linux sch_fq_pie (ns-3:
            longest). Default: arrival.
        drop_batch: With `overflow = "longest"`: the most packets that are dropped at once when the
            buffer is full. A small number costs computing time in a flood; a large one makes a flow
            lose many packets in a row. Source: ns-3 FqPieQueueDisc. Default: 64.
        target: The waiting time that each flow's controller steers towards. If it is too small, the
            link has nothing to send at times; if it is too large, packets wait longer than they need
            to. Source: RFC 8033 §5.1, QDELAY_REF. Default: 15 ms.
        tupdate: The time between two updates of the probabilities. If it is too small, they follow
            every short variation of the queues; if it is too large, they react late. Source: RFC 8033
            §5.1, T_UPDATE. Allowed: 10 us to 1000 s (each update takes computing time). Default: 15 ms.
        alpha: How much the probability changes for each second that the delay is away from `target`,
            per update. A larger value reacts faster; if it is too large, the delay swings up and down.
            Source: RFC 8033 §4.2. Allowed: 0.0 to 1000000.0 (the controller would drive the delay
            away). Default: 0.125.
        beta: How much the probability changes for each second by which the delay has grown or shrunk
            since the last update. If it is too small, the delay overshoots; if it is too large, short
            variations are amplified. Source: RFC 8033 §4.2. Allowed: 0.0 to 1000000.0 (the controller
            would drive the delay away). Default: 1.25.
        max_burst: For how long at the start of a burst of a flow no packet is dropped or marked. If it
            is too large, floods get in at first. Source: RFC 8033 §5.1, MAX_BURST. Default: 150 ms.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: Linux sch_fq_pie. Default: false.
        mark_ecnth: Above this probability ECN-capable packets are dropped like others, not marked. If
            it is too large, a flood of ECN-capable packets cannot be held back. Source: Linux
            sch_fq_pie, ecn_prob. Default: 0.1.
        mean_pktsize: While no more than two packets of this size wait in the flow, nothing is dropped
            or marked. It is also the size that `bytemode` compares with. `"auto"`: 1000 bytes (rfc),
            1514 (linux). Source: ns-3 MeanPktSize; Linux: the device's MTU. Default: auto.
        bytemode: Whether large packets are dropped or marked more often than small ones, in proportion
            to their size over `mean_pktsize`. RFC 7141 advises against it. Source: RFC 7141; Linux
            sch_fq_pie. Default: false.
        derandomize: Whether drops and marks are spread evenly. The probabilities of packets are added
            up since the last one: below a sum of 0.85 none follows, and from 8.5 on the next packet is
            hit. Source: RFC 8033 §5.4; Linux. Default: true.
        delay_from: How a flow's waiting time is measured. Source: Linux sch_fq_pie. Default:
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
    """As PIE, but classic packets are dropped or marked with the square of the controller's probability.
    De Schepper et al., CoNEXT 2016.

    Args:
        limit: The most that may wait in the queue. If it is too small, packets are dropped for want of
            room instead of by the law. A larger limit only costs memory. Source: Linux sch_dualpi2.
            Default: 10000 packets.
        target: The waiting time that the controller steers towards. If it is too small, the link has
            nothing to send at times; if it is too large, packets wait longer than they need to. Source:
            RFC 9332 Appendix A; CoNEXT 2016 has 20 ms. Default: 15 ms.
        tupdate: The time between two updates of the probability. If it is too small, the probability
            follows every short variation of the queue; if it is too large, it reacts late. Source: RFC
            9332 Appendix A; CoNEXT 2016 has 32 ms. Allowed: 10 us to 1000 s (each update takes
            computing time). Default: 16 ms.
        alpha: How much the probability changes for each second that the delay is away from `target`,
            per update. A larger value reacts faster; if it is too large, the delay swings up and down.
            Source: RFC 9332 Appendix A: 0.1 T / RTT_max^2 at 100 ms. Allowed: 0.0 to 1000000.0 (the
            controller would drive the delay away). Default: 0.16.
        beta: How much the probability changes for each second by which the delay has grown or shrunk
            since the last update. If it is too small, the delay overshoots; if it is too large, short
            variations are amplified. Source: Linux sch_dualpi2: 819/256. Allowed: 0.0 to 1000000.0 (the
            controller would drive the delay away). Default: 3.2.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: CoNEXT 2016. Default: true.
        scalable: Whether packets with ECT(1) or CE belong to scalable senders (as of L4S) and are
            marked more often. If false, they are treated as classic ones. Source: CoNEXT 2016 §5; RFC
            9331. Default: true.
        k: The coupling factor: scalable packets are marked with `k` times the probability p'. If it is
            too large, scalable flows get too little beside classic ones. Source: CoNEXT 2016 §5; RFC
            9332. Allowed: 0.0 to 1000000.0 (the two probabilities would no longer belong together).
            Default: 2.0.
        mark_limit: Above this classic probability ECN-capable packets are dropped like others, not
            marked. Source: CoNEXT 2016. Default: 0.25.
        mean_pktsize: While no more than two packets of this size wait, nothing is dropped or marked.
            Source: PIE, ns-3 MeanPktSize. Default: 1 kB.
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
    """Two queues, one for low-latency (L4S) flows and one for classic ones, with coupled drops and marks.
    RFC 9332; De Schepper et al., CoNEXT 2016.

    Args:
        limit: The most that may wait in both queues together. If it is too small, packets are dropped
            for want of room instead of by the law; if it is too large, an overload is noticed late.
            `"auto"` is what the link sends in 250 ms. Source: RFC 9332 Appendix A.1 (Linux: 10 000
            packets). Default: auto.
        memory_limit: The most bytes that may wait, in addition to `limit`. If it is too small, packets
            are dropped for want of room. `"auto"` turns this off. Source: Linux sch_dualpi2, there
            twice `limit` MTUs of kernel memory. Default: auto.
        target: The waiting time that the controller steers towards. If it is too small, the link has
            nothing to send at times; if it is too large, packets wait longer than they need to. Source:
            RFC 9332 Appendix A.1. Default: 15 ms.
        tupdate: The time between two updates of the probability. If it is too small, the probability
            follows every short variation of the queue; if it is too large, it reacts late. Source: RFC
            9332 Appendix A.1: min(target, RTT_max / 3) (Linux: 16 ms). Allowed: 10 us to 1000 s (each
            update takes computing time). Default: 15 ms.
        alpha: How much the probability changes for each second that the delay is away from `target`,
            per update. A larger value reacts faster; if it is too large, the delay swings up and down.
            Source: RFC 9332 Appendix A.1: 0.1 tupdate / RTT_max^2 at 100 ms (Linux: 41/256). Allowed:
            0.0 to 1000000.0 (the controller would drive the delay away). Default: 0.15.
        beta: How much the probability changes for each second by which the delay has grown or shrunk
            since the last update. If it is too small, the delay overshoots; if it is too large, short
            variations are amplified. Source: RFC 9332 Appendix A.1: 0.3 / RTT_max (Linux: 819/256).
            Allowed: 0.0 to 1000000.0 (the controller would drive the delay away). Default: 3.0.
        k: The coupling factor: low-latency packets are marked with at least `k` times the base
            probability. If it is too large, low-latency flows get too little beside classic ones; if it
            is too small, classic flows do. Source: RFC 9332 Appendix A.1. Default: 2.0.
        delay_of: Which delay the controller follows. With `classic`, low-latency flows that ignore
            marks are held back only by the limit. Source: RFC 9332 Appendix A.1; Linux. Default:
            greatest.
        low_latency: Which packets go into the low-latency queue. With `any_ect`, classic ECN flows are
            marked as often as scalable ones and get far too little. Source: RFC 9332 §2.4; RFC 9331.
            Default: l4s_ect.
        native: Which packets the low-latency queue marks because of its own delay. Source: RFC 9332
            Appendix A.1 (Linux: step). Default: ramp.
        min_th: With `native = "ramp"`: packets that have waited less than this are not marked. If it is
            too small, scalable flows leave the link idle at times. Source: RFC 9332 Appendix A.1.
            Default: 800 us.
        range: With `native = "ramp"`: how much more delay than `min_th` it takes until all packets are
            marked. If it is too small, marking starts all at once; if it is too large, delays are
            longer. Source: RFC 9332 Appendix A.1. Default: 400 us.
        th_len: With `native = "ramp"`: nothing is marked while no more packets than this are left in
            the queue. If it is too small, all packets are marked on slow links, where one packet alone
            takes longer than `min_th`. Source: RFC 9332 Appendix A.1, Th_len. Default: 1.
        step_thresh: With `native = "step"`: packets that have waited longer than this are all marked.
            If it is too small, the link has nothing to send at times; if it is too large, delays are
            longer. Source: Linux sch_dualpi2. Default: 1 ms.
        step_packets: With `native = "step"`: packets are marked when more than this many are left in
            the queue, instead of by `step_thresh`. `"auto"`: by delay. Source: Linux sch_dualpi2,
            step_thresh in packets. Default: auto.
        min_qlen_step: With `native = "step"`: a packet that found fewer packets than this in its queue
            is not marked. If it is too large, nothing is marked. Source: Linux sch_dualpi2. Default: 0.
        min_backlog: While fewer bytes than this wait, only the step marks. If it is too large, a queue
            of that size stays for ever. Source: RFC 9332 Appendix A.1 (Linux: two MTUs). Default: 0 B.
        chance: How a probability becomes a decision about a packet. Source: RFC 9332 Appendix A.1
            (Linux: random). Default: recur.
        drop_early: Whether the controller's marks and drops are decided when a packet arrives, not when
            it leaves. The sender learns of them later, by the time in the queue, but dropped packets
            take no room. Source: RFC 9332 Appendix A.1; Linux drop_dequeue. Default: false.
        overload: What happens when marks alone can no longer hold the delay. Source: RFC 9332 §4.2.3;
            Linux drop_on_overload. Default: drop.
        p_cmax: The classic probability from which packets are dropped, ECN-capable or not. `"auto"` is
            1/k^2, at which the coupled probability is 1. Source: RFC 9332 Appendix A.1. Default: auto.
        p_lmax: The coupled probability from which low-latency packets are dropped, too, with the
            classic probability. If it is too small, packets are dropped where marks would do. Source:
            RFC 9332 Appendix A.1. Default: 1.0.
        scheduler: Which queue is served when both have packets. Source: Linux sch_dualpi2; RFC 9332
            Appendix A.1 leaves it open. Default: wrr.
        classic_protection: The classic queue's share of the bytes while both queues have packets. If it
            is too small, the classic queue gets too little in a flood of ECT(1) packets; if it is too
            large, low-latency packets wait. Source: Linux sch_dualpi2. Default: 0.1.
        mtu: The size of the largest packet, header included. The round robin starts with a credit of
            this size. Source: Ethernet. Default: 1514 B.
        t_shift: With `scheduler = "ts_fifo"`: by how much low-latency packets count as older than they
            are. If it is too small, they wait behind bursts of classic packets; if it is too large,
            they can keep classic packets waiting for so long. Source: RFC 9332 Appendix A.1 (2 target
            to 50 ms). Default: 50 ms.
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
    """Drops or marks packets with a probability that rises when the queue overflows and falls when the
    link is idle. Feng, Shin, Kandlur and Saha, ToN 10(4), 2002.

    Args:
        limit: The most that may wait in the queue. If it is too small, the queue overflows and the
            probability rises although the link is not full. Source: ALTQ blue; Bedi et al. 2014: 200 KB
            of 1 KB packets. Default: 200 packets.
        increment: By how much the probability rises when the queue overflows. If it is too small, the
            queue overflows for a long time; if it is too large, the probability swings up and down.
            Source: Feng et al. 2002; LANL ns-2 port. Default: 0.0025.
        decrement: By how much the probability falls when the link is idle. It should be much smaller
            than `increment`; if it is too large, the probability falls too soon. Source: Feng et al.
            2002; LANL ns-2 port. Default: 0.00025.
        freeze_time: The shortest time between two changes of the probability; about a round-trip time.
            If it is too small, the probability changes again before senders have answered the last
            change. Source: Feng et al. 2002; LANL ns-2 port. Allowed: 1 us to 1000 h (there must be
            some time between changes). Default: 100 ms.
        loss_at: From this many packets or bytes on, an arriving packet counts as an overflow although
            there is room. `"auto"` turns this off. Source: Feng et al. 2002, variant without a value.
            Default: auto.
        initial: The probability at the start. Source: Feng et al. 2002. Default: 0.0.
        stamps: From which earlier change the `freeze_time` counts. Source: Feng et al. 2002. Default:
            shared.
        idle: How an idle link lowers the probability. Source: no source; see the description. Default:
            state.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: Feng et al. 2002 marks and drops. Default: false.
        drop: Which packet is dropped when the queue is full, that is, at `limit`. Source: Feng et al.
            2002; ALTQ: random. Default: tail.
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
    """Drops or marks packets by a price that rises while too much arrives or waits; the probability grows
    with the price. Athuraliya, Li, Low and Yin, IEEE Network 15(3), 2001.

    Args:
        limit: The most that may wait in the queue. If it is too small, packets are dropped for want of
            room instead of by the law. Source: ns-2 Queue limit_. Default: 50 packets.
        gamma: The step by which the price changes at an update. If it is too small, REM needs minutes;
            if it is too large, the queue swings up and down. Source: Athuraliya et al. 2001; ns-2
            rgamma_. Allowed: 0.0 to 1000000.0 (the price would run away). Default: 0.001.
        phi: The base of the exponential that turns the price into a probability. A larger one makes the
            same price a larger probability. Source: Athuraliya et al. 2001; ns-2 rphi_. Default: 1.001.
        alpha: The weight of the backlog beside that of the rate. If it is too small, the backlog stays;
            if it is too large, delays are short but part of the link may be unused. Source: Athuraliya
            et al. 2001; ns-2 queue/rem.cc. Allowed: 0.0 to 1000000.0 (the price would run away).
            Default: 0.1.
        target: The backlog that REM steers towards. If it is too small, the link has nothing to send at
            times; if it is too large, packets wait longer than they need to. Source: Athuraliya et al.
            2001; ns-2 pbo_. Default: 20 packets.
        interval: The time between two updates of the price. In one second the backlog changes the price
            by `gamma` times `alpha` divided by this. Source: ns-2 pupdtime_. Allowed: 10 us to 1000 s
            (each update takes computing time). Default: 2 ms.
        weight: The weight of the newest interval in the average of arrivals, from 0 to 1; with 1 only
            the newest counts. If it is too small, REM reacts late. Source: ns-2 inw_. Default: 1.0.
        mean_pktsize: The mean size of a packet, which converts bytes into packets. Source: ns-2 pmtu,
            1000 bytes. Allowed: 1 B to 65535 B (IP packets have such sizes). Default: 1 kB.
        bytes: Whether bytes over `mean_pktsize` are counted instead of packets. The probability of a
            packet is then in proportion to its size, too. Source: ns-2 qib_. Default: false.
        price: What changes the price. Source: ns-2; Athuraliya et al. 2001 give both. Default: rate.
        signal_at: When packets are dropped or marked. Source: Athuraliya et al. 2001; ns-2 marks on
            departure. Default: arrival.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: ns-2 markpkts_. Default: false.
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
    """Drops or marks packets with a probability that a controller sets to hold the queue at a given
    length. Hollot, Misra, Towsley and Gong, INFOCOM 2001.

    Args:
        limit: The most that may wait in the queue. If it is too close to `target`, packets are dropped
            for want of room and the controller has no effect. Source: Bedi et al. 2014: 200 KB of 1 KB
            packets. Default: 200 packets.
        target: The queue length that the controller steers towards. If it is too small, the link has
            nothing to send at times; if it is too large, packets wait longer than they need to. Source:
            ns-2 qref_; Bedi et al. 2014 have 100, Hollot et al. 2001 200. Default: 50 packets.
        a: The weight of the present queue length, for each packet that it is away from `target`. It
            must be larger than `b`. If it is too large, the queue swings up and down. Source: Hollot et
            al. 2001; ns-2 a_. Default: 1.822e-05.
        b: The weight of the queue length at the last update, for each packet that it was away from
            `target`. If it is too close to `a`, a lasting distance from `target` is not removed.
            Source: Hollot et al. 2001; ns-2 b_. Default: 1.816e-05.
        frequency: How many updates there are per second. The values of `a` and `b` belong to it.
            Source: ns-2 w_. Allowed: 0.001 to 100000.0 (each update takes computing time). Default:
            170.0.
        mean_pktsize: The mean size of a packet, which converts between packets and bytes. Source: ns-2
            mean_pktsize_. Allowed: 1 B to 65535 B (IP packets have such sizes). Default: 500 B.
        queue_in_bytes: Whether the queue length is counted as its bytes over `mean_pktsize`, instead of
            packets. Source: ns-2 queue_in_bytes_. Default: false.
        probability_in_bytes: Whether large packets are dropped or marked more often than small ones, in
            proportion to their size over `mean_pktsize`. RFC 7141 advises against it. Source: ns-2
            bytes_; RFC 7141. Default: false.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: ns-2 setbit_. Default: false.
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
    """Drops or marks packets that would overflow an imagined queue on a slower link, whose rate adapts.
    Kunniyur and Srikant, SIGCOMM 2001; ToN 12(2), 2004.

    Args:
        limit: The most that may wait in the queue. If it is too small, packets are dropped for want of
            room instead of by the law. Source: ns-2 Queue limit_. Default: 50 packets.
        gamma: The share of the link's rate that arrivals settle at. If it is too small, part of the
            link is unused; at 1 the queue is not kept short. Source: Kunniyur and Srikant 2001; ns-2
            gamma_. Default: 0.98.
        alpha: How fast the virtual capacity adapts, per second. If it is too large for the round-trip
            time, the rate swings up and down; if it is too small, AVQ reacts late. Source: Kunniyur and
            Srikant 2001; ns-2 queue/vq.cc. Allowed: 0.0 to 1000000.0 (the capacity would run away).
            Default: 0.15.
        initial: The virtual capacity at the start, as a share of the link's rate. Source: Kunniyur and
            Srikant 2001; ns-2 ecnlim_ is 0.8. Default: 1.0.
        virtual_limit: The length of the virtual queue. If it is too small, short bursts lose packets.
            As in the real queue, the link's overhead takes no room. `"auto"` is `limit`. Source:
            Kunniyur and Srikant 2001; ns-2 buflim_. Default: auto.
        bytes: Whether packets are counted by their bytes, with the link's overhead. If false, each
            counts as a packet of `mean_pktsize`. Source: ns-2 queue_in_bytes_. Default: true.
        mean_pktsize: The mean size of a packet, which converts between packets and bytes. The link's
            overhead is added to it. Source: ns-2 mean_pktsize_. Allowed: 1 B to 65535 B (IP packets
            have such sizes). Default: 1 kB.
        clamp: When the virtual capacity is cut to lie between zero and the link's rate. Source:
            Kunniyur and Srikant 2001. Default: paper.
        adapt_to: Which arriving packets change the virtual capacity. Source: ns-2 queue/vq.cc. Default:
            admitted.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Source: ns-2 markpkts_; Kunniyur and Srikant 2001 mark. Default: false.
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
    """Bottlenecks write feedback into packets; access routers limit senders by the feedback that comes
    back. Liu, Yang and Xia, SIGCOMM 2010.

    Args:
        role: Whether this queue limits senders, is a bottleneck that says when they must be limited, or
            both. Limiting needs a bottleneck further along the path. A bottleneck needs all its senders
            limited; packets of others are treated as legacy traffic. Source: own choice: a single queue
            does all. Default: both.
        limit: The most that may wait in limiters and channels together. If it is too small, packets are
            lost that the channels would hold. `"auto"`: 10 000 packets, which only bounds memory, since
            limiters and channels have limits of their own. Source: own choice. Default: auto.
        interval: How often limiters change their rates (the control interval). If it is too small,
            feedback does not come back in time; if it is too large, they react late. Source: Liu et al.
            2010, I_lim. Allowed: 1 ms to 1000 h (each update takes computing time). Default: 2 s.
        validity: For how long feedback is valid, up to 5 s. If it is too small, senders have to ask
            anew by requests; if it is too large, outdated feedback counts. Source: Liu et al. 2010, w.
            Default: 4 s.
        initial_rate: The rate of a new limiter. If it is too small, senders need minutes to reach their
            share; if it is too large, floods get in for a long time. Source: recalled; the paper leaves
            it to the implementation. Default: 96 kbit/s.
        min_rate: The smallest rate of a limiter. If it is too small, a sender that was silent for long
            cannot come back. Source: own choice. Default: 1 kbit/s.
        increase: By how much the rate of a limiter rises in a control interval. If it is too small,
            senders reach their share late; if it is too large, rates swing up and down. Source: Liu et
            al. 2010, Delta. Default: 12 kbit/s.
        decrease: By which share the rate of a limiter falls in a control interval. If it is too large,
            part of the link is unused after each overload. Source: Liu et al. 2010, delta. Default:
            0.1.
        limiter_queue: How much may wait in a limiter, as the time it takes at the limiter's rate; two
            packets may always wait. If it is too small, TCP loses many packets in a row. Source: as
            Q_lim. Allowed: 0 s to 1000 s (packets wait as long). Default: 200 ms.
        limiters: How many limiters there are at most, one for each sender and link; rounded up to a
            power of two. Beyond that, of four limiters the one unused for longest is forgotten; if all
            are in use, packets are dropped. Source: own choice. Default: 16384.
        senders: For how many senders requests are counted at most; rounded up to a power of two. Beyond
            that, of four the one unused for longest is forgotten. Source: own choice. Default: 16384.
        token_interval: The time in which a sender earns a token, which pays for a request of level 1.
            If it is too small, senders can flood the link with requests. Source: Liu et al. 2010, l_1.
            Allowed: 1 us to 1000 s (tokens are counted in this time). Default: 1 ms.
        max_level: The highest level of a request, which costs 2^(level-1) tokens; at most 13. With more
            levels, a sender that waits longer goes before others. Source: own choice: half a second of
            waiting. Default: 10.
        request_share: The largest share of the link that requests get. If it is too small, new senders
            wait; if it is too large, a flood of requests gets that share. Source: Liu et al. 2010.
            Default: 0.05.
        q_lim: The length of each channel's queue, as the time it takes on the link. If it is too small,
            packets are lost; if it is too large, they wait long. Source: Liu et al. 2010, Q_lim.
            Allowed: 1 ms to 1000 s (the queue is as long). Default: 200 ms.
        min_th: The lower threshold of RED on the regular channel, as a share of the channel's length;
            from here on the link counts as overloaded. Source: Liu et al. 2010. Default: 0.5.
        max_th: The upper threshold of RED on the regular channel, as a share of the channel's length.
            Source: Liu et al. 2010. Default: 0.75.
        max_p: The probability with which RED drops a packet at the upper threshold. Source: ns-2
            linterm_ = 10. Default: 0.1.
        weight: The weight of the newest queue length in RED's average, from 0 to 1. If it is too small,
            an overload is noticed late; if it is too large, short bursts count as overload. Source: Liu
            et al. 2010, w_q. Default: 0.1.
        loss_threshold: The loss rate of the regular channel from which the link asks for senders to be
            limited. If it is too small, any TCP causes that; if it is too large, floods are let
            through. Source: Liu et al. 2010, p_th. Default: 0.02.
        loss_weight: The weight of the newest second in the average loss rate, from 0 to 1. If it is too
            small, a loss is noticed late; if it is too large, a single bad second is enough. Source:
            own choice. Default: 0.5.
        quiet: For how long all must be quiet before a link no longer asks for limits, and a limiter
            that was not told to slow down is forgotten. Source: Liu et al. 2010, T_a and T_b. Default:
            14400 s.
        ecn: Whether RED marks ECN-capable packets instead of dropping them. Feedback to the access
            router does not depend on this. Source: Liu et al. 2010 drop. Default: false.
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
    """Edge routers write the rate of its flow into each packet; core routers drop by it, so that all flows
    get the same share. Stoica, Shenker and Zhang, SIGCOMM 1998; ToN 11(1), 2003.

    Args:
        role: Whether this queue measures flows and labels their packets, or reads the labels that an
            edge router before it has written. A core without an edge before it drops packets only when
            the queue is full. Source: own choice: a single queue is fair by itself. Default: edge.
        limit: The most that may wait in the queue. If it is too small, packets are dropped for want of
            room instead of by the law, which is not fair. Source: Stoica et al. 1998 §4. Default: 64
            kB.
        k: K, the time over which each flow's rate is averaged. If it is shorter than the round-trip
            time, short bursts lose packets; if it is too large, a flow that grows fast gets too much in
            the meantime. Source: Stoica et al. 1998 §4. Allowed: 1 us to 1000 h (rates are averaged
            over this time). Default: 100 ms.
        k_alpha: K_alpha, the time over which the link's own rates are averaged. If it is too small, the
            fair share varies too much; if it is too large, the share follows late. Source: Stoica et
            al. 1998 §4. Allowed: 1 us to 1000 h (rates are averaged over this time). Default: 200 ms.
        k_c: K_c, the length of the window after which the fair share is updated. If it is too small,
            the share swings up and down; if it is too large, it reacts late. Source: as k_alpha; the
            authors' simulator. Allowed: 1 us to 1000 h (rates are averaged over this time). Default:
            200 ms.
        flow: Which header fields tell flows apart: packets that agree in them belong to one flow. Used
            at an edge only. Source: Stoica et al. 1998. Default: five_tuple.
        weight: The weight of each flow that enters here; a flow with twice the weight gets twice the
            share. Used at an edge only, and matters where flows of several edges meet. Source: Stoica
            et al. 1998 §2. Default: 1.0.
        overflow_step: By how much the fair share is lowered when the queue overflows, as a share of it.
            If it is too small, packets are dropped for want of room, which is not fair; if it is too
            large, part of the link is unused. Source: Stoica et al. 1998 §4, first amendment. Default:
            0.01.
        overflow_most: By how much overflows may lower the fair share in all between two updates, as a
            share of it. Source: Stoica et al. 1998 §4, first amendment. Default: 0.25.
        low_water: While the link is not congested and less than this share of `limit` waits, every
            packet is let in. If it is too small, packets of new flows are dropped early after each
            short dip of the queue; if it is too large, floods get in again. Source: Stoica et al. 1998
            §4, second amendment. Default: 0.5.
        flows: How many flows an edge knows at once at most, rounded up to a power of two. Beyond that,
            of four flows the one that has been silent for longest is forgotten and would start anew. In
            a flood with forged sources, packets then get the labels of first packets. Source: own
            choice. Default: 16384.
        ecn: Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
            Senders that ignore marks then get more than their share. Source: Stoica et al. 1998 drop.
            Default: false.
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
    """Signals flows that have more than a fair share of the buffer; a flow that does not slow down loses
    everything until its rate is fair. Bedi, Roy and Shiva, Computer Communications 56, 2015 (online
    2014).

    Args:
        limit: `b`, the most that may wait in the queue. If it is too small, a fair share is less than a
            packet, and every flow with a waiting packet is signalled; if it is too large, packets wait
            long, since the queue settles at a third to a half of it. Source: Bedi et al. 2014 §5.
            Default: 200 kB.
        beta: The weight of the newest value in the average of the weighted fair share, from 0 to 1;
            there is one value for each arriving packet. If it is too small, the share follows late; if
            it is too large, the share and the queue swing up and down. Source: Bedi et al. 2014, Table
            2. Default: 0.05.
        delta_i: How much a flow's unfairness p_m rises when the flow is found above its share; once the
            flow is trending, this is multiplied by its rate over the fair rate. If it is too small,
            floods are found late; if it is too large, TCP flows are caught before they can slow down.
            Source: Bedi et al. 2014, Table 2. Allowed: 0.000001 to 1000000.0 (values would not move, or
            jump). Default: 0.04.
        delta_d: How much a flow's unfairness p_m falls when nothing of the flow waits; once the flow is
            trending, this is multiplied by the fair rate over its rate. If it is too small, flows that
            have slowed down stay suspect; if it is too large, floods with pauses are never marked as
            malicious. Source: Bedi et al. 2014, Table 2. Allowed: 0.000001 to 1000000.0 (values would
            not move, or jump). Default: 0.04.
        freeze_time: The shortest time between two changes of p_m, so that a signal can take effect. If
            it is far below the round-trip times, TCP flows that are about to slow down are marked as
            malicious; if it is too large, floods are found late. Source: Bedi et al. 2014, Table 2.
            Default: 10 ms.
        tolerance_factor: How many steps of `delta_i` a flow may rise before it is trending, that is,
            before its rate decides. If it is too small, TCP flows are caught within one round trip; if
            it is too large, floods are found late. Source: Bedi et al. 2014, Table 2. Allowed: 0.0 to
            1000000.0 (the tolerance cannot be negative). Default: 3.0.
        min_th: The smallest value of p_m, which is that of an innocent flow. Only its distance to
            `max_th` matters. Source: Bedi et al. 2014, Table 2. Default: 0.0.
        max_th: The largest value of p_m, at which a flow is marked as malicious. If it is too small, a
            few signals in a row are enough for that; if it is too large, floods are found late and
            forgiven late. Source: Bedi et al. 2014, Table 2. Default: 1.0.
        prune_interval: How often the records of flows are removed that have sent nothing since the last
            time; a record lives for one to two such intervals. If it is too small, a malicious flow is
            forgotten in a pause. If it is too large, flows that are long gone still count in `n`, and
            the shares of the others are too small; 1 s to 60 s suit loads that change. Source: Bedi et
            al. 2014, Table 2. Allowed: 1 ms to 1000 h (all flows are looked at each time). Default:
            3600 s.
        bitrate_window: The time over which the rate of a suspect is measured; before the first such
            time is over, its rate does not decide. If it is too small, one burst of TCP looks like a
            flood; if it is too large, floods are found late. Source: chosen so that the published UDP
            leakage (Table 6) comes out. Allowed: 1 us to 1000 h (rates are measured over this time).
            Default: 250 ms.
        non_ect: What a signal does to packets that cannot be marked. With `pass`, flows without ECN
            notice nothing until they are marked as malicious and lose everything. The paper's runs used
            `pass`, with ECN on all TCP flows. Source: Bedi et al. 2014 §1.2, §4.3.1. Default: drop.
        ecn: Whether ECN-capable packets are marked. If false, all packets are treated as `non_ect`
            says. Source: Bedi et al. 2014 §5. Default: true.
        flow: Which header fields tell flows apart: packets that agree in them belong to one flow. With
            `src_dst`, all connections between two hosts are one flow, and so is everyone behind one
            address translator. Source: Bedi et al. 2014 §3.2. Default: src_dst.
        rate: `C`, the rate that the flows share; the fair rate is `C / n`. If it is below the link's
            rate, fair flows are marked as malicious; if it is above, floods up to that share are not.
            `"auto"`: the link's rate. Source: Bedi et al. 2014 §3.2. Default: auto.
        avpkt: The mean size of a packet. It converts a `limit` in packets into the bytes that shares
            are made of. Source: Bedi et al. 2014 §5. Default: 1 kB.
        max_flows: How many flows are remembered at once at most, at about 100 bytes each. If there are
            more, a new flow takes the place of one without waiting packets: out of sixteen first one
            that is not suspect, then one that is not marked, then the one that was silent for longest.
            If none can go, packets of the new flow are let in without being counted. If it is too
            small, records of suspects are lost. Source: Tailrace. Default: 131072.
        repository: How the record of a flow is found. Decisions are the same; the costs are in
            `docs/explanation/performance.md`. Source: Bedi et al. 2014 §1.2 leaves the choice open.
            Default: hash.
        order: With `repository = "btree"`: how many children a node of the tree has at most. With fewer
            there are more levels; with more, nodes take longer to search. Source: Tailrace. Default:
            32.
        cache: How many places the cache has: a plain list for flows at `max_th`, which is searched
            first. If it is too small, marked flows stay in the repository; if it is too large, each
            packet of an innocent flow searches all of it. `"auto"`: `order` (btree), none (hash).
            Source: Bedi et al. 2014 §4.1.1: as many as in a node. Default: auto.
        departures: How the record of a departing packet's flow is found. This changes only the cost.
            Source: Tailrace. Default: remember.
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
