"""The archive of a bundle: a gzipped tar file with the same bytes for the same study.

bundle.json       format, version, engine, machine, packages, and each experiment with its runs
scenarios/NNN.toml    the scenario of each experiment, every default written out
algorithms/       the Python files of algorithms of one's own
results/          the summaries, tables and manifests of the folders, and what else was asked for
README.md         what it is and how it is verified
"""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import Any

from tailrace.bundle.experiment import Experiment, RecordedRun
from tailrace.data import manifest
from tailrace.errors import UsageError
from tailrace.system import atomic_file, ownership

FORMAT, FORMAT_VERSION = "tailrace-bundle", 1
_INDEX, _README = "bundle.json", "README.md"
# Files of a result folder that a reader wants without its tables.
_SMALL = {"manifest.json", "summary.json", "scenario.toml", "comparison.json", "table.md", "table.csv"}
# An archive is read into memory; none of a sensible size comes near.
_MAX_MEMBER_BYTES = 1 << 30


@dataclass(frozen=True)
class Bundle:
    """Contents of an archive."""

    experiments: tuple[Experiment, ...]
    # Contents of the Python files with algorithms of one's own, by file name.
    algorithms: Mapping[str, bytes]
    # Version, engine, machine and packages with which it was made.
    about: Mapping[str, Any]

    @property
    def runs(self) -> int:
        """Number of runs over all experiments."""
        return sum(len(experiment.runs) for experiment in self.experiments)


def write(
    target: Path,
    experiments: Sequence[Experiment],
    folders: Sequence[Path] = (),
    algorithms: Sequence[Path] = (),
    *,
    everything: bool = False,
    force: bool = False,
) -> int:
    """Writes the archive, with the small files of the folders or `everything` that is Tailrace's in them; its bytes.

    It takes the place of an older bundle, and with `force` of any other file.
    """
    members: dict[str, bytes] = {_README: _readme(target.name, experiments).encode()}
    index = []
    for number, experiment in enumerate(experiments, 1):
        name = f"scenarios/{number:03d}.toml"
        members[name] = experiment.toml.encode()
        runs = [vars(run) for run in experiment.runs]
        index.append({"name": experiment.name, "scenario": name, "engine": experiment.engine, "runs": runs})
    for file in algorithms:
        members[f"algorithms/{file.name}"] = file.read_bytes()
    for folder in folders:
        for name in sorted(ownership.own_files(folder)):
            file = folder / name
            if file.is_file() and (everything or PurePosixPath(name).name in _SMALL):
                members[f"results/{folder.name}/{name}"] = file.read_bytes()
    about = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        **{key: value for key, value in manifest.provenance().items() if key != "command"},
        "packages": _packages(),
        "experiments": index,
    }
    members[_INDEX] = (json.dumps(about, indent=1) + "\n").encode()
    packed = _packed(members)
    atomic_file.write(target, packed, force=force or _is_bundle(target))
    return len(packed)


def _is_bundle(file: Path) -> bool:
    try:
        read(file)
    except UsageError:
        return False
    return True


def read(file: Path) -> Bundle:
    """Contents of an archive; nothing of it is unpacked to the disk.

    Raises
    ------
    UsageError
        if the file cannot be read, is no bundle, is damaged, or is of a later version
    """
    try:
        members = _unpacked(file)
        about = json.loads(members[_INDEX])
        if about["format"] != FORMAT:
            raise KeyError("format")
        if about["format_version"] > FORMAT_VERSION:
            raise UsageError(
                f"{file} was written by a later version of tailrace ({about['tailrace']}): use that version"
            )
        experiments = tuple(_experiment(entry, members) for entry in about["experiments"])
    except (OSError, EOFError, tarfile.TarError) as error:
        raise UsageError(f"{file} cannot be read: {error}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"{file} is no bundle, or is damaged ({error}): `tailrace bundle DIR` makes one"
        ) from None
    prefix = "algorithms/"
    own = {name.removeprefix(prefix): data for name, data in members.items() if name.startswith(prefix)}
    return Bundle(experiments, own, about)


def _experiment(entry: Mapping[str, Any], members: Mapping[str, bytes]) -> Experiment:
    runs = tuple(
        RecordedRun(int(run["run"]), int(run["seed"]), str(run["fingerprint"])) for run in entry["runs"]
    )
    return Experiment(str(entry["name"]), members[entry["scenario"]].decode(), runs, entry.get("engine"))


def _packed(members: Mapping[str, bytes]) -> bytes:
    """A gzipped tar without times and owners, so equal contents are equal files."""
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name, data in sorted(members.items()):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return packed.getvalue()


def _unpacked(file: Path) -> dict[str, bytes]:
    """The files of an archive by name, read into memory."""
    members = {}
    with tarfile.open(file, mode="r:gz") as tar:
        for info in tar:
            if info.isfile() and info.size <= _MAX_MEMBER_BYTES:
                data = tar.extractfile(info)
                members[info.name] = data.read() if data else b""
    return members


def _packages() -> dict[str, str]:
    """Names and versions of the Python packages that are installed."""
    return {
        name: distribution.version
        for distribution in sorted(metadata.distributions(), key=lambda d: str(d.metadata["Name"]))
        if (name := distribution.metadata["Name"])
    }


def _readme(name: str, experiments: Sequence[Experiment]) -> str:
    about = manifest.provenance()
    rows = "\n".join(f"| {one.name} | {len(one.runs)} |" for one in experiments)
    return f"""# {name}

Experiments with Tailrace {about["tailrace"]} (engine {about["engine"]}). To confirm that
another machine gets the same runs, to the bit:

    pip install tailrace=={about["tailrace"]}
    tailrace verify {name}

`scenarios/` has each experiment with every default written out, and `tailrace run` takes it; `bundle.json` has the
seeds and fingerprints of its runs and the versions of everything; `results/` has the numbers; `algorithms/`, if it is
there, has algorithms of the authors' own.

| experiment | runs |
| --- | ---: |
{rows}
"""
