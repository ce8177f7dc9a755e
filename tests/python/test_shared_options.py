"""Options of commands: shared ones are the same everywhere, and `compare` and `twin` take those of a sweep."""

import json

import pytest
import typer

import tailrace
from conftest import SMALL, command_line
from tailrace.cli import compare, run, search, shared_options, sweep, twin

COMMANDS = {
    "run": run.run,
    "compare": compare.compare,
    "sweep": sweep.sweep,
    "twin": twin.twin,
    "search": search.search,
}
WITH_TABLES = ["run", "compare", "sweep", "twin"]
# Options of a search that only look like those of a sweep: its values are ranges to search.
OF_SEARCH = {"--let", "--when"}


def options(name):
    """Flags of a command, each with its help and default."""
    application = typer.Typer()
    application.command()(COMMANDS[name])
    found = {}
    for parameter in typer.main.get_command(application).params:
        if parameter.param_type_name == "option":
            found |= {
                flag: (parameter.help, parameter.default) for flag in parameter.opts if flag[:2] == "--"
            }
    return found


def flags(kind):
    """Flags of a class of shared options."""

    def command(options):
        """Nothing."""

    command.__annotations__["options"] = kind
    application = typer.Typer()
    application.command()(shared_options.spread("here")(command))
    return {
        flag for each in typer.main.get_command(application).params for flag in each.opts if flag[:2] == "--"
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_all_options_of_its_classes(name):
    there = set(options(name))
    assert flags(shared_options.RunOptions) <= there
    assert (flags(shared_options.TableOptions) <= there) == (name in WITH_TABLES)
    assert (flags(shared_options.VariationOptions) <= there) == (name in {"compare", "sweep"})


def test_an_option_of_one_name_is_one_option():
    told = {}
    for name in COMMANDS:
        for flag, said in options(name).items():
            if flag != "--output" and not (name == "search" and flag in OF_SEARCH):
                assert told.setdefault(flag, said) == said, (name, flag)


def test_each_default_folder_is_said():
    said = {name: options(name)["--output"][0] for name in COMMANDS}
    assert len(set(said.values())) == len(said)
    assert "PLACE" not in "".join(said.values())


def test_compare_varies_as_a_sweep_does(tmp_path):
    (tmp_path / "small.toml").write_text(SMALL)
    done = command_line(
        "compare", "small.toml", "--zip", "link.bottleneck.queue=red,codel; link.bottleneck.rate=2mbit,3mbit",
        "--let", "slow=1,2", "--derive", "link.bottleneck.delay=slow * '10 ms'", "--when", "slow < 2",
        "--until-ci", "goodput=90%", "--max-runs", "2", "--json", "-q", "-o", "out", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = tailrace.Comparison.load(tmp_path / "out")
    assert len(found) == 2
    assert {result.n for result in found.values()} == {2}
    assert all(result.manifest["runs_asked"] == 2 for result in found.values())
    assert json.loads(done.stdout) == json.loads((tmp_path / "out" / "comparison.json").read_text())


def test_conditions_narrow_the_sweep_of_the_file(tmp_path):
    text = SMALL + '\n[sweep]\n"link.bottleneck.rate" = ["2 Mbit/s", "3 Mbit/s", "4 Mbit/s"]\n'
    (tmp_path / "small.toml").write_text(text)
    plans = command_line(
        "compare", "small.toml", "--when", "rate < '4 Mbit/s'", "--dry-run", "--json", cwd=tmp_path
    )
    assert list(json.loads(plans.stdout)) == ["2 Mbit/s", "3 Mbit/s"]


def test_a_twin_says_what_it_would_run(tmp_path):
    (tmp_path / "small.toml").write_text(SMALL)
    done = command_line("twin", "small.toml", "--kernel", "6.99", "--dry-run", cwd=tmp_path)
    assert done.returncode == 2
    assert "6.99" in done.stderr
