"""`tailrace import`: drafts of scenarios, the readers' table, and errors at the border."""

import json

import pytest

import tailrace
from conftest import command_line
from tailrace.errors import UsageError
from tailrace.imports.draft import FileReference, ScenarioDraft, allowed_name, assumed, taken
from tailrace.imports.input_file import InputFile, Line
from tailrace.imports.readers import READERS


def group(result, name):
    """Aggregate of the flows of a group."""
    return result.aggregate["groups"][name]


def small_draft():
    draft = ScenarioDraft("a name", "Does it run?")
    draft.set("duration", assumed("1 s", "long enough"))
    draft.host("New York")
    draft.host("New York")
    line = Line(3, "rate 5mbit", "setup")
    draft.link(
        "line",
        ("New York", "New York-2"),
        rate=taken("5 Mbit/s", line),
        delay="5 ms",
        reverse={"rate": taken("2 Mbit/s", "setup:4", "rate 2mbit"), "queue": {"kind": "codel"}},
    )
    draft.flow("up", "New York", "New York-2", "tcp", "bulk", stop=None)
    return draft


def test_a_draft_is_a_scenario_with_the_place_of_every_value():
    draft = small_draft()
    draft.omit(Line(9, "mtu 9000", "setup"), "the cards' size is not that of the line")
    draft.remark("Read from setup.\nBy a test.")
    text = draft.toml()
    assert 'rate = "5 Mbit/s"  # setup:3: rate 5mbit\n' in text
    assert 'reverse.rate = "2 Mbit/s"  # setup:4: rate 2mbit\n' in text
    assert 'duration = "1 s"  # assumed: long enough\n' in text
    assert "# By a test.\n" in text
    assert "# - setup:9: the cards' size is not that of the line\n" in text
    found = draft.scenario().said()
    assert [host["name"] for host in found["host"]] == ["New York", "New York-2"]
    assert found["link"][0]["reverse"] == {"rate": "2 Mbit/s", "queue": {"kind": "codel"}}
    assert [path for path, _ in draft.values()] == ["duration", "link.line.rate", "link.line.reverse.rate"]


def test_comments_hold_whatever_a_file_says():
    draft = small_draft()
    draft.set(
        "warmup", taken("0 s", "f:1", "bell \a, a break \n, an escape \x1b[31m, DEL \x7f " + "long " * 40)
    )
    draft.remark("\x1b]0;title\a")
    assert "\x1b" not in draft.toml()
    assert draft.scenario().duration_s == 1


def test_names_are_made_of_what_names_may_have():
    assert allowed_name("New York / Ö") == "New York / Ö"
    assert allowed_name("§ .") == "unnamed"


def test_a_file_beside_the_scenario_is_named_as_seen_from_there(tmp_path):
    (tmp_path / "t.trace").write_text("1\n5\n", "utf-8")
    draft = small_draft()
    draft.tables["link"][0]["rate"] = taken(FileReference(str(tmp_path / "t.trace"), "trace({})"), "t.trace")
    assert f'"trace({tmp_path}/t.trace)"' in draft.toml()
    draft.tables["link"][0]["rate"] = FileReference("made.trace", "trace({})")
    draft.files["more.trace"] = b"1\n7\n"
    with pytest.raises(UsageError, match="scenario that can run"):
        draft.write(tmp_path / "bad.toml")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["t.trace"]


def test_nothing_is_replaced(tmp_path):
    place = tmp_path / "new" / "a.toml"
    assert small_draft().write(place) == [place]
    with pytest.raises(UsageError, match=r"a\.toml is there already; -o names another place"):
        small_draft().write(place)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b" \n \n", "is empty"),
        (b"a\0b", "is no text (byte 1 is zero)"),
        (b"ab\xff", "is not UTF-8 text (byte 2)"),
    ],
)
def test_files_that_are_no_text_are_refused_with_the_byte(data, message):
    with pytest.raises(UsageError) as error:
        _ = InputFile("some/file", data).text
    assert str(error.value).startswith("some/file ")
    assert message in str(error.value)


def test_every_reader_is_there_and_refuses_other_files(tmp_path):
    """Holds each kind against files of no kind at all: an error with the file's name, never a traceback."""
    texts = {
        "empty": b"",
        "binary": bytes(range(256)),
        "prose": "Ein Satz, écrit here.\n".encode(),
        "digits": b"7 x 9\n",
    }
    for name, data in texts.items():
        (tmp_path / name).write_bytes(data)
    for kind, reader in READERS.items():
        assert reader.summary.endswith(".")
        for name in texts:
            file = str(tmp_path / name)
            with pytest.raises(UsageError) as error:
                reader.read([file])
            assert file in str(error.value), (kind, name)
        for missing in (str(tmp_path / "none"), str(tmp_path)):
            with pytest.raises(UsageError, match=r"there is no file|is a folder"):
                reader.read([missing])


def test_the_command_prints_or_writes_and_tells_what_was_not_taken(tmp_path):
    trace = tmp_path / "up.trace"
    trace.write_text("".join(f"{ms}\n" for ms in range(5, 300_000, 10)), "utf-8")
    printed = command_line("import", "mahimahi", str(trace), cwd=tmp_path)
    assert printed.returncode == 0
    assert "not taken over: up.trace: the trace lasts 299.995 s" in " ".join(printed.stderr.split())
    made = tailrace.Scenario.of(printed.stdout)
    assert (made.duration_s, made.warnings) == (120, [])
    place = tmp_path / "new" / "a.toml"
    written = command_line("import", "mahimahi", str(trace), "-o", str(place), cwd=tmp_path)
    assert (written.returncode, written.stdout.strip()) == (0, str(place))
    assert f"next: tailrace run {place}" in written.stderr
    assert '"trace(' in place.read_text("utf-8")
    again = command_line("import", "mahimahi", str(trace), "-o", str(place), cwd=tmp_path)
    assert (again.returncode, "is there already" in again.stderr) == (2, True)
    told = json.loads(command_line("import", "mahimahi", str(trace), "--json", cwd=tmp_path).stdout)
    assert told["scenario"] == printed.stdout
    assert {"path": "link.trace.rate", "place": "up.trace", "comment": "up.trace"} in told["values"]
    many = command_line("import", "mahimahi", *[str(trace)] * 3, cwd=tmp_path)
    assert (many.returncode, "at most 2 files" in many.stderr) == (2, True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5\n4\n", "bad.trace:2: 4 comes after 5"),
        ("5\n4.5\n", "bad.trace:2: '4.5' is no time"),
        ("0\n0\n", "all opportunities are at 0 ms"),
    ],
)
def test_traces_that_are_none_are_refused_at_their_line(tmp_path, text, message):
    file = tmp_path / "bad.trace"
    file.write_text(text, "utf-8")
    with pytest.raises(UsageError, match=message):
        READERS["mahimahi"].read([str(file)])


def test_a_trace_runs_at_its_own_rate(tmp_path):
    for name, step in (("up.trace", 10), ("down.trace", 2)):
        (tmp_path / name).write_text("".join(f"{ms}\n" for ms in range(step, 10_001, step)), "utf-8")
    draft = READERS["mahimahi"].read([str(tmp_path / "up.trace"), str(tmp_path / "down.trace")])
    # Each direction alone, as acknowledgements behind an upload wait for seconds; 1448 of 1504 bytes are payload.
    for flow, other, rate in (("download", "upload", 6.016e6), ("upload", "download", 1.2032e6)):
        result = tailrace.run(draft.scenario(), set={f"flow.{other}.enabled": False})
        found = group(result, flow)["goodput_bps"]["sum"]["mean"]
        assert found == pytest.approx(rate * 1448 / 1504, rel=0.02), flow
