"""Sampler of a search: Optuna's over the trials so far, asked anew for each batch.

Nothing is kept between batches: what is proposed follows from the trials, their places and the seed. So a search that
goes on where it was stopped proposes what it would have proposed.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from tailrace.errors import UsageError
from tailrace.study.cells import between
from tailrace.study.declaration import Range

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial

TPE, RANDOM = "tpe", "random"
SAMPLERS = (TPE, RANDOM)
_CONSTRAINT = "subject to"

# Path or name -> where on its range, from 0 to 1, or which of its values, from 0.
Point: TypeAlias = dict[str, float]


@dataclass(frozen=True)
class Told:
    """Outcome of a trial."""

    point: Point
    # None where it failed, or was not to be run.
    value: float | None
    # Whether it is what was asked for.
    allowed: bool


@dataclass(frozen=True)
class Space:
    """Search space: by path or name a range, or values."""

    axes: dict[str, Range | Sequence[str]]

    def value(self, name: str, at: float) -> str:
        """The value at a place, as a scenario takes it."""
        axis = self.axes[name]
        return between(name, axis, at) if isinstance(axis, Range) else axis[int(at)]

    def check(self) -> None:
        """Refuses ranges that are none."""
        if not self.axes:
            raise UsageError("there is nothing to search over: --over PATH=uniform(A, B), or PATH=V,V,...")
        for name in self.axes:
            self.value(name, 0.0)


def propose(
    space: Space, told: Sequence[Told], count: int, *, maximize: bool, sampler: str, seed: int
) -> list[Point]:
    """Points to try after those that were tried."""
    drawn = int.from_bytes(hashlib.blake2b(f"{seed} {len(told)}".encode(), digest_size=4).digest(), "big")
    if sampler == RANDOM:
        source = random.Random(drawn)  # noqa: S311 - nothing secret
        return [{name: _anywhere(axis, source) for name, axis in space.axes.items()} for _ in range(count)]
    return _by_tpe(space, told, count, maximize=maximize, seed=drawn)


def _anywhere(axis: Range | Sequence[str], source: random.Random) -> float:
    return source.random() if isinstance(axis, Range) else source.randrange(len(axis))


def _by_tpe(space: Space, told: Sequence[Told], count: int, *, maximize: bool, seed: int) -> list[Point]:
    optuna = _optuna()
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        distributions = {name: _distribution(axis) for name, axis in space.axes.items()}
        study = optuna.create_study(
            direction="maximize" if maximize else "minimize", sampler=optuna.samplers.TPESampler(seed=seed)
        )
        study.add_trials([_trial(one, distributions) for one in told])
        asked = [study.ask(fixed_distributions=distributions) for _ in range(count)]
        return [{name: trial.params[name] for name in space.axes} for trial in asked]
    finally:
        optuna.logging.set_verbosity(before)


def _distribution(axis: Range | Sequence[str]) -> Any:  # noqa: ANN401 - of a package that need not be there
    optuna = _optuna()
    if isinstance(axis, Range):
        return optuna.distributions.FloatDistribution(0.0, 1.0)
    return optuna.distributions.CategoricalDistribution(range(len(axis)))


def _trial(told: Told, distributions: dict[str, Any]) -> FrozenTrial:
    """Trial for Optuna: a failed one counts as pruned, so its neighbourhood is avoided."""
    optuna = _optuna()
    state = optuna.trial.TrialState.PRUNED if told.value is None else optuna.trial.TrialState.COMPLETE
    trial: FrozenTrial = optuna.trial.create_trial(
        state=state,
        value=told.value,
        params=told.point,
        distributions=distributions,
        constraints={_CONSTRAINT: -1.0 if told.allowed else 1.0},
    )
    return trial


def _optuna() -> Any:  # noqa: ANN401 - a module
    try:
        import optuna
    except ImportError:
        raise UsageError("Optuna is not installed: pip install 'tailrace[search]'") from None
    return optuna
