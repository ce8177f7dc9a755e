"""Tailrace: a network lab for queue disciplines, TCP and Multipath TCP.

>>> import tailrace
>>> result = tailrace.run("papers/kochher/kochher.toml", runs=2)  # doctest: +SKIP
>>> result.plot_queue().savefig("queue.png")  # doctest: +SKIP
"""

from tailrace._native import __version__
from tailrace.api import list_queues, run, run_variants
from tailrace.compare import Comparison, compare
from tailrace.errors import Interrupted, RunError, ScenarioError, TailraceError, UsageError
from tailrace.result import Result
from tailrace.scenario import Scenario
from tailrace.statistics import jain

__all__ = [
    "Comparison",
    "Interrupted",
    "Result",
    "RunError",
    "Scenario",
    "ScenarioError",
    "TailraceError",
    "UsageError",
    "__version__",
    "compare",
    "jain",
    "list_queues",
    "run",
    "run_variants",
]
