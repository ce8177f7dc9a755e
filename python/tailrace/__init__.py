"""Tailrace: a network lab for queue disciplines, TCP and Multipath TCP.

>>> import tailrace
>>> result = tailrace.run("papers/kochher/kochher.toml", runs=2)  # doctest: +SKIP
>>> result.plot_queue().savefig("queue.png")  # doctest: +SKIP
"""

# `typing` and `importlib` take ten times as long to load as this package, time in which Ctrl-C prints a traceback.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from tailrace._native import Signal, Verdict, __version__
    from tailrace.api import list_queues, merge, run, run_variants, search, sweep
    from tailrace.data.comparison import Comparison, compare
    from tailrace.data.interrupted import Interrupted
    from tailrace.data.result import Result
    from tailrace.errors import RunError, ScenarioError, TailraceError, UsageError
    from tailrace.scenario.algorithms import Aqm, CongestionControl, QueueDiscipline, parameter
    from tailrace.scenario.scenario import Scenario
    from tailrace.stats.statistics import jain
    from tailrace.study.search_result import Search
    from tailrace.study.sweep_result import Sweep

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
    "Aqm": "scenario.algorithms",
    "Comparison": "data.comparison",
    "CongestionControl": "scenario.algorithms",
    "Interrupted": "data.interrupted",
    "QueueDiscipline": "scenario.algorithms",
    "Result": "data.result",
    "RunError": "errors",
    "Scenario": "scenario.scenario",
    "ScenarioError": "errors",
    "Search": "study.search_result",
    "Signal": "_native",
    "Sweep": "study.sweep_result",
    "TailraceError": "errors",
    "UsageError": "errors",
    "Verdict": "_native",
    "__version__": "_native",
    "compare": "data.comparison",
    "jain": "stats.statistics",
    "list_queues": "api",
    "merge": "api",
    "parameter": "scenario.algorithms",
    "run": "api",
    "run_variants": "api",
    "search": "api",
    "sweep": "api",
}


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module 'tailrace' has no attribute {name!r}")
    from importlib import import_module

    found = getattr(import_module(f"tailrace.{_PLACES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*globals(), *_PLACES]
