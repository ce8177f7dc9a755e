"""Tailrace: a network lab for queue disciplines, TCP and Multipath TCP.

>>> import tailrace
>>> result = tailrace.run("papers/kochher/kochher.toml", runs=2)  # doctest: +SKIP
>>> result.plot_queue().savefig("queue.png")  # doctest: +SKIP
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tailrace._native import Signal, Verdict, __version__
    from tailrace.algorithms import Aqm, CongestionControl, QueueDiscipline, parameter
    from tailrace.api import list_queues, merge, run, run_variants, search, sweep
    from tailrace.comparison import Comparison, compare
    from tailrace.errors import Interrupted, RunError, ScenarioError, TailraceError, UsageError
    from tailrace.result import Result
    from tailrace.scenario import Scenario
    from tailrace.statistics import jain
    from tailrace.study.search import Search
    from tailrace.study.sweep import Sweep

__all__ = [
    "Aqm",
    "Comparison",
    "CongestionControl",
    "Interrupted",
    "QueueDiscipline",
    "Result",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Search",
    "Signal",
    "Sweep",
    "TailraceError",
    "UsageError",
    "Verdict",
    "__version__",
    "compare",
    "jain",
    "list_queues",
    "merge",
    "parameter",
    "run",
    "run_variants",
    "search",
    "sweep",
]

# Names load what they need when they are first used. So the command line can say what Ctrl-C does before anything
# large is loaded: `tailrace.cli` lies below this package.
_PLACES = {
    "Aqm": "algorithms",
    "Comparison": "comparison",
    "CongestionControl": "algorithms",
    "Interrupted": "errors",
    "QueueDiscipline": "algorithms",
    "Result": "result",
    "RunError": "errors",
    "Scenario": "scenario",
    "ScenarioError": "errors",
    "Search": "study.search",
    "Signal": "_native",
    "Sweep": "study.sweep",
    "TailraceError": "errors",
    "UsageError": "errors",
    "Verdict": "_native",
    "__version__": "_native",
    "compare": "comparison",
    "jain": "statistics",
    "list_queues": "api",
    "merge": "api",
    "parameter": "algorithms",
    "run": "api",
    "run_variants": "api",
    "search": "api",
    "sweep": "api",
}


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module 'tailrace' has no attribute {name!r}")
    found = getattr(import_module(f"tailrace.{_PLACES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*globals(), *_PLACES]
