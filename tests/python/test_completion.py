"""What the Tab key offers, asked as shells ask."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tailrace
from tailrace.cli import app, completion

PROGRAM = Path(sys.executable).with_name("tailrace")

SCENARIO = """
name = "two"
duration = "10 s"
[[host]]
name = "src"
count = 2
[[host]]
name = "dst"
[[router]]
name = "r1"
[[link]]
between = ["src[*]", "r1"]
rate = "10 Mbit/s"
delay = "1 ms"
[[link]]
name = "v1.2"
between = ["r1", "dst"]
rate = "1 Mbit/s"
delay = "1 ms"
queue = "red limit 200kb min 15kb max 45kb"
[[flow]]
name = "web"
from = "src[0]"
to = "dst"
transport = { kind = "mptcp", scheduler = "blest" }
app = "bulk"
[[fault]]
kind = "down"
link = "v1.2"
at = "5 s"
"""


@pytest.fixture
def place(tmp_path):
    (tmp_path / "two.toml").write_text(SCENARIO, encoding="utf-8")
    return tmp_path


def asked(place, *words):
    """The answer to bash, whose last word is not finished."""
    environment = {
        **os.environ,
        "_TAILRACE_COMPLETE": "complete_bash",
        "COMP_WORDS": "\n".join(["tailrace", *words]),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run([PROGRAM], cwd=place, env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


def behind_set(place, typed, *before):
    return asked(place, "run", "two.toml", *before, "--set", typed)


def test_paths_are_names_of_the_file_and_keys(place):
    assert behind_set(place, "link.") == ["link.src[*]-r1.", 'link."v1.2".']
    assert behind_set(place, "link.src[*]-r1.ra") == ["link.src[*]-r1.rate=", "link.src[*]-r1.rate."]
    assert behind_set(place, '\'link."v1.2".de') == ['link."v1.2".delay=']
    assert behind_set(place, "fault.") == ["fault.0."]
    assert "duration=" in behind_set(place, "du")
    assert behind_set(place, "record.int") == ["record.interval="]
    assert behind_set(place, "link.nowhere.there.is.") == []


def test_values_are_what_the_schema_names(place):
    queues = {queue["name"] for queue in tailrace.list_queues()}
    assert {o.partition("=")[2] for o in behind_set(place, "link.src[*]-r1.queue=")} == queues
    assert {o.partition("=")[2] for o in behind_set(place, "link.src[*]-r1.queue.kind=")} == queues
    assert behind_set(place, "flow.web.transport.scheduler=lo") == ["flow.web.transport.scheduler=lowest_rtt"]
    assert "flow.web.transport.path_manager=fullmesh" in behind_set(place, "flow.web.transport.path_manager=")
    assert "flow.web.transport.profile=linux_6_12" in behind_set(place, "flow.web.transport.profile=")
    assert {"flow.web.transport.cc=lia", "flow.web.transport.cc=cubic"} <= set(
        behind_set(place, "flow.web.transport.cc=")
    )
    assert behind_set(place, "record.events=") == ["record.events=true", "record.events=false"]
    assert behind_set(place, "flow.web.from=") == ["flow.web.from=src[*]", "flow.web.from=dst"]
    assert behind_set(place, "fault.0.link=v") == ["fault.0.link=v1.2"]


def test_keys_are_those_of_the_kind_that_is_chosen(place):
    # The file says `red` in the words of tc, an option before may say something else, and links have a default.
    assert behind_set(place, '\'link."v1.2".queue.max_p') == ['link."v1.2".queue.max_p=']
    codel = "--set", "'link.\"v1.2\".queue=codel'"
    assert behind_set(place, '\'link."v1.2".queue.ta', *codel) == ['link."v1.2".queue.target=']
    assert behind_set(place, "link.src[*]-r1.queue.dr") == ["link.src[*]-r1.queue.drop="]
    assert behind_set(place, "flow.web.transport.scheduler.") != ["flow.web.transport.scheduler.kind="]
    assert "fault.0.until=" in behind_set(place, "fault.0.")


def test_other_commands_and_options_offer_the_same(place):
    wanted = ["record.interval="]
    for command in (["compare"], ["sweep"], ["check"], ["twin"], ["search"], ["export", "tc"]):
        assert asked(place, *command, "two.toml", "--set", "record.int") == wanted
    assert asked(place, "run", "two.toml", "--set=record.int") == wanted
    assert asked(place, "sweep", "two.toml", "--derive", "record.int") == wanted
    each = "compare", "two.toml", "--set-each"
    assert asked(place, *each, "link.src[*]-r1.queue=codel,fq_co") == [
        f"link.src[*]-r1.queue=codel,{name}" for name in ("fq_codel", "fq_cobalt", "fq_codel_lifo")
    ]
    # A value that stands there is not offered again.
    assert asked(place, *each, "record.events=true,") == ["record.events=true,false"]
    assert asked(place, "list", "queu") == ["queues"]
    assert asked(place, "list", "queues", "droptai") == ["droptail"]
    assert asked(place, "ru") == ["run"]


def test_without_a_file_that_can_be_read_keys_are_still_known(place):
    (place / "broken.toml").write_text("name = ", encoding="utf-8")
    for file in ("broken.toml", "missing.toml", "-", "."):
        assert asked(place, "run", file, "--set", "record.int") == ["record.interval="]
        assert asked(place, "run", file, "--set", "link.") == []
        assert asked(place, "run", file, "--set", "link.any.queue=fq_codel_l") == [
            "link.any.queue=fq_codel_lifo"
        ]
    assert asked(place, "run", "--set", "record.int") == ["record.interval="]


def test_a_path_is_split_as_the_compiled_parser_does():
    assert completion.split("link.src[0..4]-r1.ra") == ["link", "src[0..4]-r1", "ra"]
    assert completion.split('link."v1.2".') == ["link", "v1.2", ""]
    assert completion.split('link."v1.') == ["link", "v1."]


def test_only_the_command_that_is_asked_about_is_loaded(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich", sys.modules.get("rich"))
    monkeypatch.setenv(app.COMPLETE, "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "tailrace\nlist\nqu")
    chosen = app._asked_for()
    assert [name for name in app.COMMANDS if chosen(name)] == ["list"]
    monkeypatch.delenv("COMP_WORDS")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "tailrace run two.toml --set link.")
    chosen = app._asked_for()
    assert [name for name in app.COMMANDS if chosen(name)] == ["run"]


# -- in the shells themselves ----------------------------------------------------------------------------------

# What readline does with a line: words end at blanks, and at the signs of COMP_WORDBREAKS outside of quotes.
DRIVER = r"""
source "$1"
COMP_LINE=$2 COMP_POINT=${#2}
shift 2
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
compopt() { echo compopt "$@"; }
_tailrace_completion tailrace
printf '%s\n' "${COMPREPLY[@]}"
"""


def shell(name):
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"NO {name.upper()} HERE: its completion is not tested")
    return found


def script(place, name):
    environment = {**os.environ, "_TAILRACE_COMPLETE": f"source_{name}"}
    done = subprocess.run([PROGRAM], env=environment, capture_output=True, text=True, check=True)
    path = place / f"completion.{name}"
    path.write_text(done.stdout, encoding="utf-8")
    return path


def in_shell(command, place):
    environment = {
        **os.environ,
        "PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(place),
    }
    done = subprocess.run(
        command, cwd=place, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("line", "words", "offered"),
    [
        ("tailrace ru", ["tailrace", "ru"], ["run"]),
        (
            'tailrace run two.toml --set link.\\"v1.2\\".de',
            ["tailrace", "run", "two.toml", "--set", 'link.\\"v1.2\\".de'],
            ["compopt -o nospace", 'link.\\"v1.2\\".delay='],
        ),
        (
            "tailrace run two.toml --set record.int",
            ["tailrace", "run", "two.toml", "--set", "record.int"],
            ["compopt -o nospace", "record.interval="],
        ),
        # Right behind the sign, and further on.
        (
            "tailrace run two.toml --set record.events=",
            ["tailrace", "run", "two.toml", "--set", "record.events", "="],
            ["true", "false"],
        ),
        (
            "tailrace run two.toml --set link.src[*]-r1.queue=fq_codel_l",
            ["tailrace", "run", "two.toml", "--set", "link.src[*]-r1.queue", "=", "fq_codel_l"],
            ["fq_codel_lifo"],
        ),
        (
            "tailrace run two.toml --set=record.events=t",
            ["tailrace", "run", "two.toml", "--set", "=", "record.events", "=", "t"],
            ["true"],
        ),
        (
            "tailrace compare two.toml --set-each record.events=true,",
            ["tailrace", "compare", "two.toml", "--set-each", "record.events", "=", "true,"],
            ["true,false"],
        ),
        # A quote that is open keeps bash from cutting.
        (
            "tailrace run two.toml --set 'record.events=t",
            ["tailrace", "run", "two.toml", "--set", "'record.events=t"],
            ["record.events=true"],
        ),
        # What has been set before, with its own signs.
        (
            'tailrace run two.toml --set \'link."v1.2".queue=codel\' --set \'link."v1.2".queue.ta',
            [
                "tailrace",
                "run",
                "two.toml",
                "--set",
                "'link.\"v1.2\".queue=codel'",
                "--set",
                '\'link."v1.2".queue.ta',
            ],
            ["compopt -o nospace", 'link."v1.2".queue.target='],
        ),
        (
            "tailrace run two.toml --set record.no",
            ["tailrace", "run", "two.toml", "--set", "record.no"],
            [""],
        ),
    ],
)
def test_bash_completes_words_that_it_has_cut(place, line, words, offered):
    bash = shell("bash")
    (place / "driver.sh").write_text(DRIVER, encoding="utf-8")
    command = [bash, "--norc", "driver.sh", script(place, "bash"), line, *words]
    assert in_shell(command, place) == offered


def test_fish_offers_values_with_a_sentence(place):
    fish = shell("fish")
    source = f"source {script(place, 'fish')}; complete -C "
    found = in_shell(
        [fish, "--no-config", "-c", f"{source}'tailrace run two.toml --set link.src[*]-r1.queue=fq_codel_l'"],
        place,
    )
    assert [line.split("\t")[0] for line in found] == ["link.src[*]-r1.queue=fq_codel_lifo"]
    assert "\t" in found[0]


def test_zsh_reads_its_function(place):
    zsh = shell("zsh")
    lines = f"compdef() {{ echo $1 $2; }}; source {script(place, 'zsh')}; whence -w _tailrace_completion"
    found = in_shell([zsh, "-f", "-c", lines], place)
    assert found == ["_tailrace_completion tailrace", "_tailrace_completion: function"]
