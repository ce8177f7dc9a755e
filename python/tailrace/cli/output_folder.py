"""Where results go, and that they arrive: what was simulated is not lost for want of a place."""

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tailrace.cli import common
from tailrace.data import loading
from tailrace.data.comparison import Comparison
from tailrace.data.result import Result
from tailrace.errors import UsageError
from tailrace.scenario.scenario import Scenario
from tailrace.system import atomic_folder, ownership
from tailrace.text import names, value_labels

# Letters of a default name that a line of a terminal has room for; longer ones are cut to first words and a mark.
_LONGEST = 64


def default_place(scenario: Scenario, kind: str = "", options: Sequence[str] = ()) -> Path:
    """`results/<name>`, followed by what the command line sets: other settings, another folder.

    Where that is long it is said in brief, and a mark of the whole keeps different settings apart.
    """
    base = names.of_folder(scenario.name) + kind
    # More runs of a sweep are of the same one.
    sets = {path: value for path, value in scenario.overrides.items() if kind != "-sweep" or path != "runs"}
    said = [*(f"{path}={value}" for path, value in sets.items()), *options]
    plain = [names.of_folder(text) for text in said]
    exact = all(name == re.sub(r"\s+", "-", text) for name, text in zip(plain, said, strict=True))
    whole = "\0".join([base, *said])
    name = "--".join([base, *plain]) + ("" if exact else f"-{names.mark(whole)}")
    if len(name) > _LONGEST:
        short = "--".join([base, *(names.of_folder(_brief(text)) for text in said)])
        name = f"{short[:_LONGEST].rstrip('-.,=')}-{names.mark(whole)}"
    return Path("results") / names.shortened(name, whole)


def _brief(text: str) -> str:
    """An assignment by the last word of its path and the first word of each value: `queue=droptail,red`.

    >>> _brief("link.line.queue=droptail limit 500,{ kind = 'red', ecn = true },fq_codel limit 1000")
    'queue=droptail,red,fq_codel'
    """
    path, equals, values = text.partition("=")
    if not equals:
        return path.rpartition(".")[2]
    firsts = []
    for value in value_labels.split_list(values):
        kind = re.search(r"""kind\s*=\s*["']?([\w-]+)""", value)
        firsts.append(kind[1] if kind else value.strip("\"'[ ]").partition(" ")[0])
    return f"{path.rpartition('.')[2]}={','.join(firsts)}"


def look_at(target: Path, scenarios: Mapping[str, Scenario], *, asked: bool, quiet: bool) -> None:
    """Refuses a place that cannot be written, and says if something else than the same again is replaced there."""
    atomic_folder.check_writable(target)
    if not asked and not quiet and any(_other(target / sub, one) for sub, one in scenarios.items()):
        common.say(f"note: {target} holds an older form of this experiment, which is replaced; -o keeps both")


def _other(place: Path, scenario: Scenario) -> bool:
    try:
        return (place / loading.SCENARIO).read_text(encoding="utf-8") != scenario.to_toml()
    except (OSError, ValueError):
        return False


def keep(source: Result | Comparison, target: Path) -> Path | None:
    """Saves at the target, or where else there is room, and says so; None where there is none."""
    try:
        return source.save(target)
    except UsageError as error:
        failure = error
    for place in _spare_places(target):
        try:
            source.save(place)
        except UsageError:
            continue
        common.say(f"error: {failure}; the result is in {place} instead")
        return place
    common.say(f"error: {failure}, nor is there room elsewhere; what was found is only printed")
    return None


def _spare_places(target: Path) -> Iterator[Path]:
    """Beside the target, where temporary files go, and here."""
    name = f"{target.absolute().name}.kept"
    yield ownership.vacant(target.absolute().with_name(name))
    with suppress(OSError):
        yield Path(tempfile.mkdtemp(prefix="tailrace-")) / name
    yield ownership.vacant(Path.cwd() / name)
