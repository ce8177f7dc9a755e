"""What type checkers say of scenarios built in code: mypy reads this, and `test_scenarios_in_code.py` runs it.

Where it says `type: ignore`, mypy must have something to complain of, or it complains of that.
"""

import tailrace
from tailrace.build import (
    Flow,
    Host,
    Link,
    Record,
    Router,
    Scenario,
    app,
    cc,
    fault,
    loss,
    queue,
    transport,
    types,
)


def dumbbell(discipline: types.Queue, control: types.CongestionControl = "reno") -> Scenario:
    """Three senders behind a bottleneck."""
    return Scenario(
        "dumbbell",
        "4 s",
        runs=2,
        record=Record(interval="off"),
        hosts=[Host("src", count=3), Host("dst")],
        routers=[Router("r1"), Router("r2")],
        links=[
            Link(["src[*]", "r1"], "20 Mbit/s", "uniform(1 ms, 5 ms)"),
            Link(["r1", "r2"], "2 Mbit/s", "10 ms", name="bottleneck", queue=discipline),
            Link(["r2", "dst"], "20 Mbit/s", "1 ms", loss=loss.Periodic(every=1000)),
        ],
        flows=[
            Flow("tcp", "src[0..2]", "dst", transport.Tcp(cc=control), app.Bulk()),
            Flow(
                "cbr", from_="src[2]", to="dst", transport="udp", app=app.Cbr(rate="500 kbit/s", size="500 B")
            ),
        ],
        faults=[fault.Rate(link="bottleneck", at="2 s", until="3 s", value="1 Mbit/s")],
    )


def right() -> tailrace.Result:
    """What is used as it is meant."""
    scenario = dumbbell(queue.Codel(target="3 ms", ecn=True), cc.Cubic(beta=0.8))
    scenario.links[1].queue = "red"
    scenario.links[1].loss = 0.01
    scenario.hosts.append(Host("idle"))
    scenario.links.append(Link(["r2", "idle"], "1 Mbit/s", "1 ms"))
    again: Scenario = Scenario.from_toml(scenario.to_toml())
    return tailrace.run(again)


def wrong() -> None:
    """What a type checker has to find; nobody calls it."""
    queue.Codel(tagret="3 ms")  # type: ignore[call-arg]
    queue.Codel(target=3)  # type: ignore[arg-type]
    queue.Codel(form="windows")  # type: ignore[arg-type]
    Link(["a", "b"], "1 Mbit/s")  # type: ignore[call-arg]
    Link("ab", "1 Mbit/s", "1 ms")  # type: ignore[arg-type]
    Flow("a", "b", "c", transport=cc.Reno(), app="bulk")  # type: ignore[arg-type]
    Flow("a", "b", "c", transport="tcp", app="bulky")  # type: ignore[arg-type]
    Scenario("x", "1 s", faults=[queue.Red()])  # type: ignore[list-item]
    Scenario("x", "1 s").link = []  # type: ignore[attr-defined]
