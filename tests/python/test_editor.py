"""Editors complete and check scenarios by the schema: it takes what the parser takes, and files lead editors to it."""

import json
import shutil
import subprocess
import tomllib

import jsonschema
import pytest

from conftest import ROOT, SMALL, command_line
from tailrace import _native, api
from tailrace.scenario import editor

SCENARIOS = sorted(
    [*ROOT.glob("scenarios/*.toml"), *(f for f in ROOT.glob("papers/*/*.toml") if f.name != "claims.toml")]
)


@pytest.fixture(scope="module")
def validator():
    schema = json.loads(api.schema())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("file", SCENARIOS, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_the_schema_takes_every_scenario(validator, file):
    # As the parser reads it, which knows more of TOML than Python does.
    plain = _native.Source(file.read_text(encoding="utf-8"), str(file)).plain()
    assert [
        f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(tomllib.loads(plain))
    ] == []


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        (SMALL.replace('rate = "2 Mbit/s"', 'rate = "2 Mbps"'), "$.link[1].rate"),
        (SMALL.replace("runs = 3", 'runs = "three"'), "$.runs"),
        (SMALL.replace("queue = {", "qeue = {"), "$.link[1]"),
        (SMALL.replace('"droptail", limit', '"droptall", limit'), "$.link[1].queue"),
        (SMALL.replace('cc = "newreno"', 'cc = "newrino"'), "$.flow[0].transport"),
    ],
)
def test_the_schema_refuses_slips(validator, wrong, place):
    assert wrong != SMALL
    assert [error.json_path for error in validator.iter_errors(tomllib.loads(wrong))] == [place]


def test_the_schema_has_a_name_of_its_own():
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    # Absolute: Taplo refuses a schema with a relative one.
    assert json.loads(api.schema())["$id"] == f"{cargo['workspace']['package']['repository']}/{editor.SCHEMA}"


def test_an_example_comes_with_what_editors_need(tmp_path):
    done = command_line("init", "hello", "--editor", "-o", "lab/mine.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    names = ["mine.toml", "tailrace.schema.json", ".taplo.toml", ".vscode/extensions.json"]
    assert done.stdout.splitlines() == [f"lab/{name}" for name in names]
    (rule,) = tomllib.loads((tmp_path / "lab/.taplo.toml").read_text())["rule"]
    assert (tmp_path / "lab" / rule["schema"]["path"]).is_file()
    json.loads((tmp_path / "lab/.vscode/extensions.json").read_text())
    written = (tmp_path / "lab/tailrace.schema.json").read_text()
    assert json.loads(written) == json.loads(api.schema())


def test_only_the_schema_is_written_anew(tmp_path):
    (tmp_path / ".taplo.toml").write_text("mine")
    (tmp_path / "tailrace.schema.json").write_text("old")
    done = command_line("schema", "--editor", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["tailrace.schema.json", ".vscode/extensions.json"]
    assert (
        ".taplo.toml is there already and stays as it is; it should name tailrace.schema.json" in done.stderr
    )
    assert (tmp_path / ".taplo.toml").read_text() == "mine"
    assert json.loads((tmp_path / "tailrace.schema.json").read_text()) == json.loads(api.schema())


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "tailrace.schema.json").mkdir()
    refused = command_line("schema", "--editor", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "tailrace.schema.json cannot be written" in refused.stderr


def test_taplo_finds_schema_and_slips(tmp_path):
    taplo = shutil.which("taplo")
    if taplo is None:
        pytest.skip("NO TAPLO HERE (npm install @taplo/cli): whether it takes the files is not tested")
    assert command_line("init", "--editor", cwd=tmp_path).returncode == 0

    def checked():
        return subprocess.run(
            [taplo, "check"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
        )

    assert checked().returncode == 0, checked().stderr
    file = tmp_path / "hello.toml"
    file.write_text(file.read_text().replace('rate = "10 Mbit/s"', 'rate = "10 Mbps"'))
    assert checked().returncode != 0
    assert "hello.toml" in checked().stderr
