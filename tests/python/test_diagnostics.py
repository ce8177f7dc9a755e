"""Codes of errors and warnings, and warnings that are allowed."""

import json
import pickle

import pytest

import tailrace
from conftest import SMALL, command_line

# One warning of its own, and one more in a variant.
TINY = SMALL.replace("20 packets", "1 packet")
SWEEP = '\n[sweep]\n"link.bottleneck.rate" = ["2 Mbit/s", "1 bit/s"]\n'


@pytest.fixture
def tiny_file(small_file):
    small_file.write_text(TINY, encoding="utf-8")
    return small_file


def codes(warnings):
    return [warning["code"] for warning in warnings]


def test_text_and_data_carry_the_code(tiny_file, tmp_path):
    done = command_line("check", tiny_file, cwd=tmp_path)
    assert "warning[tiny-limit]: the queue of link bottleneck" in done.stderr
    report = json.loads(command_line("check", tiny_file, "--json", cwd=tmp_path).stdout)
    assert codes(report["warnings"]) == ["tiny-limit"]
    with pytest.raises(tailrace.ScenarioError, match=r"error\[unknown-kind\]") as caught:
        tailrace.Scenario(SMALL.replace('kind = "droptail"', 'kind = "dropptail"'))
    assert codes(caught.value.diagnostics) == ["unknown-kind"]
    missing = json.loads(command_line("check", "nowhere.toml", "--json", cwd=tmp_path).stdout)
    assert codes(missing["errors"]) == [None]


@pytest.mark.parametrize(
    "arguments", [["check"], ["run", "--dry-run"], ["compare", "--dry-run", "--set-each", "seed=1,2"]]
)
def test_a_warning_that_is_allowed_is_not_told(tiny_file, tmp_path, arguments):
    command, *options = arguments
    told = command_line(command, tiny_file, *options, cwd=tmp_path)
    assert "tiny-limit" in told.stderr
    for allow in (["--allow", "tiny-limit"], ["--allow", "above-mtu,tiny-limit"]):
        done = command_line(command, tiny_file, *options, *allow, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == told.stdout


def test_what_is_allowed_is_allowed_in_variants(tiny_file, tmp_path):
    tiny_file.write_text('allow = ["tiny-limit"]\n' + TINY + SWEEP, encoding="utf-8")
    report = json.loads(command_line("check", tiny_file, "--json", cwd=tmp_path).stdout)
    found = codes(report["warnings"])
    assert "unusual-rate" in found
    assert "tiny-limit" not in found
    allow = ["--allow", ",".join(sorted(set(found)))]
    report = json.loads(command_line("check", tiny_file, "--json", *allow, cwd=tmp_path).stdout)
    assert report["warnings"] == []


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("tiny-limt", ["error[unknown-code]", "--> --allow tiny-limt", "did you mean `tiny-limit`?"]),
        ("no-route", ["error[allowed-error]", "only warnings can be allowed"]),
    ],
)
def test_only_warnings_that_there_are_can_be_allowed(tiny_file, tmp_path, code, words):
    for command in ("check", "run", "compare"):
        done = command_line(command, tiny_file, "--allow", code, cwd=tmp_path)
        assert done.returncode == 2
        assert all(word in done.stderr for word in words), done.stderr


def test_python_allows_as_the_command_line_does():
    assert codes(tailrace.Scenario.of(TINY).outline["warnings"]) == ["tiny-limit"]
    scenario = tailrace.Scenario.of(TINY, allow="tiny-limit")
    assert scenario.warnings == []
    assert scenario.replaced({"seed": 3}).warnings == []
    assert scenario.variant("slow", {"seed": "3"}).warnings == []
    assert pickle.loads(pickle.dumps(scenario)).warnings == []
    assert tailrace.Scenario.of(tailrace.Scenario.of(TINY), allow=["tiny-limit"]).warnings == []
    assert tailrace.Scenario.of(scenario.to_toml()).warnings == []
    result = tailrace.run(TINY, allow=["tiny-limit"], runs=1, set={"duration": "1 s"})
    assert result.manifest["warnings"] == []
    with pytest.raises(tailrace.ScenarioError, match="did you mean `tiny-limit`"):
        tailrace.run(TINY, allow=["tiny-limits"])


def test_the_codes_are_listed(tmp_path):
    listed = command_line("list", "diagnostics", cwd=tmp_path).stdout
    assert "tiny-limit" in listed
    assert "[warning]" in listed
    assert "parameters:" not in listed
    one = command_line("list", "diagnostics", "no-route", cwd=tmp_path).stdout
    assert one.startswith("no-route: There is no path")
    data = json.loads(command_line("list", "diagnostics", "--json", cwd=tmp_path).stdout)["diagnostics"]
    assert {entry["severity"] for entry in data} == {"error", "warning"}
