"""Algorithms written in Python: exact, repeatable, and what is wrong with them is said."""

import json
import pickle
import re
import subprocess
import sys

import pytest

import tailrace
from conftest import ROOT, command_line
from tailrace import Verdict
from tailrace.execution import identity
from tailrace.scenario import plugins
from tailrace.study import dask_workers

PAGE = (ROOT / "docs" / "guides" / "own-algorithms.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"`([\w-]+\.\w+)`:\n\n```\w+\n(.*?)```", PAGE, re.DOTALL))
LINE = FILES["line.toml"].replace('duration = "20 s"', 'duration = "5 s"')


def classes(text, tmp_path, name="own.py"):
    """The classes of a file with that text, by name."""
    (tmp_path / name).write_text(text)
    return {each.name: each for each in plugins.load(tmp_path / name)}


@pytest.fixture(scope="module")
def codel(tmp_path_factory):
    return classes(FILES["my_codel.py"], tmp_path_factory.mktemp("own"), "my_codel.py")["my_codel"]


def fingerprint(queue, *own_classes, **overrides):
    overrides = {f"link.line.{key}": value for key, value in overrides.items()}
    done = tailrace.run(LINE, set={"link.line.queue": queue, **overrides}, runs=2, algorithms=own_classes)
    return done.manifest["fingerprint"]


@pytest.mark.parametrize(
    "overrides",
    [
        {},
        {"queue.ecn": True},
        {"queue.target": "1 ms", "queue.interval": "20 ms"},
        {"queue.limit": "10 packets", "loss": 0.01},
        {"rate": "2 Mbit/s", "overhead": "38 B"},
    ],
)
def test_codel_of_the_page_has_the_fingerprints_of_the_engines(codel, overrides):
    flow = LINE.replace('transport = "tcp"', 'transport = { kind = "tcp", ecn = true }')
    found = []
    for queue in ("codel", "my_codel"):
        settings = {f"link.line.{key}": value for key, value in overrides.items()}
        result = tailrace.run(flow, set={"link.line.queue": queue, **settings}, runs=2, algorithms=[codel])
        found.append((result.manifest["fingerprint"], result.queues.drop("kind").to_dicts()))
    assert found[0][0] == found[1][0]
    assert found[0][1] == found[1][1]
    assert found[0][1]


@pytest.mark.parametrize(
    ("of_link", "of_fault"), [("red", "{}"), ("droptail", "{}"), ("{}", "red"), ("{}", "{}")]
)
def test_a_fault_may_set_it_and_take_its_place(codel, of_link, of_fault):
    fault = (
        '\n[[fault]]\nkind = "queue"\nlink = "line"\nat = "1 s"\nuntil = "3 s"\nvalue = { kind = "VALUE" }\n'
    )
    found = []
    for name in ("codel", "my_codel"):
        text = LINE + fault.replace("VALUE", of_fault.format(name))
        settings = {"link.line.queue": of_link.format(name), "fault.0.value.limit": "60 packets"}
        found.append(tailrace.run(text, set=settings, algorithms=[codel]))
    assert found[0].manifest["fingerprint"] == found[1].manifest["fingerprint"]
    if of_fault != "red":
        cells = [
            identity.of_cell(tailrace.Scenario.of(text, algorithms=own)) for own in ([codel], [twin(codel)])
        ]
        assert cells[0] != cells[1], "the file of a class that a fault names is part of the identity"


def twin(of):
    """A class of the same name from another file."""

    class Twin(tailrace.Aqm):
        name = of.name
        target = tailrace.parameter("duration", "5 ms", "Delay that is acceptable.")

    return Twin


def test_lists_and_the_schema_know_it(codel, tmp_path):
    for name in ("my_codel.py", "my_reno.py"):
        (tmp_path / name).write_text(FILES[name])

    def said(*words):
        command = [sys.executable, "-m", "tailrace", *words, "--with", "my_codel.py", "--with", "my_reno.py"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "my_codel: CoDel (RFC 8289), which keeps the delay in a queue below a target.\n" in said(
        "list", "queues", "my_codel"
    )
    (entry,) = json.loads(said("list", "cc", "my_reno", "--json"))["cc"]
    assert [p["name"] for p in entry["params"]] == ["beta"]
    assert entry["params"][0]["default"] == 0.5
    forms = json.loads(said("schema"))["$defs"]["queue"]["anyOf"]
    (own_form,) = [form for form in forms if form.get("title") == "my_codel"]
    assert {"kind", "limit", "ecn", "target", "interval"} == set(own_form["properties"])
    assert "my_codel" in forms[0]["enum"]
    assert "my_codel" not in tailrace.api.schema()
    assert "my_codel" in [entry["name"] for entry in tailrace.api.catalog([codel])["queues"]]
    assert "my_codel" not in [entry["name"] for entry in tailrace.list_queues()]


@pytest.mark.parametrize(
    "overrides",
    [
        {"link.line.queue": "droptail", "link.line.queue_limit": "30 packets"},
        {"link.line.loss": 0.02},
        {"link.line.loss": 0.3},
        {"link.line.queue.ecn": True, "flow.download.transport.ecn": True},
        {
            "flow.download.transport.profile": "linux",
            "flow.download.transport.sack": False,
            "link.line.loss": 0.01,
        },
        {"flow.download.transport.kind": "mptcp"},
        {"link.line.delay": "1 ms", "link.line.jitter": "exponential(30 ms)"},
    ],
)
def test_reno_of_the_page_has_the_fingerprints_of_the_engines(tmp_path, overrides):
    reno = classes(FILES["my_reno.py"], tmp_path)["my_reno"]
    found = [
        tailrace.run(LINE, set={**overrides, "flow.download.transport.cc": cc}, runs=2, algorithms=[reno])
        for cc in ("reno", "my_reno")
    ]
    assert found[0].manifest["fingerprint"] == found[1].manifest["fingerprint"]
    lowered = {**overrides, "flow.download.transport.cc": {"kind": "my_reno", "beta": 0.8}}
    other = tailrace.run(LINE, set=lowered, runs=2, algorithms=[reno])
    assert other.manifest["fingerprint"] != found[0].manifest["fingerprint"]


CONTROL = """
import tailrace
class Own(tailrace.CongestionControl):
    name = "own_control"
    NEEDS
    def on_ack(self, ack):
        ACK
    def on_congestion(self, event):
        self.cwnd = max(event.base // 2, self.setup.mss)
        self.ssthresh = int(self.cwnd)
"""


def control(tmp_path, ack="self.cwnd += ack.acked", needs="pass"):
    text = CONTROL.replace("NEEDS", needs.replace("\n", "\n    ")).replace("ACK", ack)
    return classes(text, tmp_path)["own_control"]


def run_control(each):
    return tailrace.run(LINE, set={"flow.download.transport.cc": "own_control"}, algorithms=[each])


@pytest.mark.parametrize(
    ("ack", "needs", "said"),
    [
        ("self.cwnd = -1", "pass", "Own.on_ack leaves cwnd as -1: a window is a number of bytes, 1 at least"),
        ("self.cwnd = 0", "pass", "Own.on_ack leaves cwnd as 0"),
        ("self.cwnd = float('nan')", "pass", "Own.on_ack leaves cwnd as NaN"),
        ("self.cwnd = None", "pass", "Own.on_ack leaves cwnd as None: it is a number of bytes"),
        ("self.ssthresh = 'low'", "pass", "Own.on_ack leaves ssthresh as 'low'"),
        ("self.pacing_rate = 0", "pass", "leaves pacing_rate as 0, at which nothing is ever sent"),
        ("self.nothing", "pass", "Own.on_ack: AttributeError"),
        ("pass", "needs = ['luck']", 'Own.needs has "luck": there are'),
        ("pass", "needs = ['deliveries']", "NotImplementedError: Own asks for deliveries"),
        ("pass", "def start(self, setup):\n    pass", "Own.start: AttributeError"),
    ],
)
def test_windows_that_cannot_be_are_said(tmp_path, ack, needs, said):
    with pytest.raises(tailrace.RunError) as failed:
        run_control(control(tmp_path, ack, needs))
    assert said in str(failed.value)


PACED = """needs = ['rates', 'pacing']
pacing_rate = 1000000
def on_delivery(self, delivery):
    assert delivery.total >= delivery.delivered"""


def test_a_control_hears_of_deliveries_and_paces(tmp_path):
    plain, slow = (run_control(control(tmp_path, needs=needs)) for needs in ("pass", PACED))
    bytes_of = [sum(run.queues["dequeued_packets"]) for run in (plain, slow)]
    assert bytes_of[1] * 5 < bytes_of[0]


def test_the_page_can_be_followed(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (commands,) = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    for command in commands.splitlines():
        words = command.split()[1:]
        done = subprocess.run(
            [sys.executable, "-m", "tailrace", *words, "--set", "duration=3s", "-q", "-o", f"out-{hash(command)}"],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


def test_a_whole_discipline_reorders_and_drops(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (newest,) = (text for text in blocks if "class Newest" in text)
    newest = classes(newest, tmp_path)["newest"]
    one = fingerprint("newest", newest, **{"queue.most": 20})
    assert one == fingerprint("newest", newest, **{"queue.most": 20})
    assert one != fingerprint("newest", newest, **{"queue.most": 2})
    done = tailrace.run(
        LINE, set={"link.line.queue": "newest", "link.line.queue.most": 2}, algorithms=[newest]
    )
    assert done.queues["dropped_overlimit_packets"].sum() > 0


FIFO = """
import tailrace
class Fifo(tailrace.QueueDiscipline):
    name = "own_fifo"
    most = tailrace.parameter("count", 50, "Most that wait.")
    def start(self, link):
        self.line = []
    def enqueue(self, packet, cx):
        if len(self.line) >= self.most:
            cx.drop(packet, "overlimit")
        else:
            self.line.append(packet)
    def dequeue(self, cx):
        return self.line.pop(0) if self.line else None
"""


def test_a_whole_discipline_is_exact(tmp_path):
    fifo = classes(FIFO, tmp_path)["own_fifo"]
    own_one = fingerprint("own_fifo", fifo)
    assert own_one == fingerprint("droptail", **{"queue.limit": "50 packets"})


def test_random_numbers_are_the_runs_on_any_number_of_threads(tmp_path):
    gentle = classes(FILES["gentle.py"], tmp_path)["gentle"]
    settings = {"link.line.queue": "gentle", "link.line.queue.share": 0.1}
    runs = [
        tailrace.run(LINE, set=settings, runs=4, jobs=jobs, algorithms=[gentle]).manifest["runs"]
        for jobs in (1, 2)
    ]
    assert runs[0] == runs[1]
    assert len({run["fingerprint"] for run in runs[0]}) == 4


LAW = """
import tailrace
class Bad(tailrace.Aqm):
    name = "bad"
    MORE
    def on_dequeue(self, size, sojourn, backlog, now, rng):
        BODY
"""


def law(body, tmp_path, more="pass"):
    text = LAW.replace("MORE", more.replace("\n", "\n    ")).replace("BODY", body)
    return classes(text, tmp_path)["bad"]


def queue(tmp_path, old, new):
    assert old in FIFO
    return classes(FIFO.replace(old, new), tmp_path)["own_fifo"]


def error_of(each):
    with pytest.raises(tailrace.RunError) as failed:
        tailrace.run(LINE, set={"link.line.queue": each.name}, algorithms=[each])
    return str(failed.value)


def test_what_a_hook_raises_ends_the_run_and_says_where(tmp_path):
    error = error_of(law("return 1 // (backlog.packets - backlog.packets)", tmp_path))
    assert "Bad.on_dequeue" in error
    assert "ZeroDivisionError" in error
    assert "own.py, line 7" in error


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return None", "Bad.on_dequeue returned None: return tailrace.Verdict.PASS"),
        ("return 7", "Bad.on_dequeue returned 7"),
        ("return tailrace.Verdict.PASS if rng.below(3) else rng.below(0)", "at least one candidate"),
    ],
)
def test_what_is_no_verdict_is_said(tmp_path, body, said):
    assert said in error_of(law(body, tmp_path))


PASS = "return tailrace.Verdict.PASS"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("def poll_timeout(self):\n    return 1000000000", "Bad.poll_timeout still says 1000000000 ns"),
        ("def poll_timeout(self):\n    return 'soon'", "returned 'soon': return a time in whole nanoseconds"),
        ("states = 'a', 'b'\ndef state(self):\n    return [1]", "Bad.state returned [1]: return 2 numbers"),
        ("def start(self, link):\n    self.none", "Bad.start: AttributeError"),
    ],
)
def test_what_other_hooks_answer_is_checked(tmp_path, more, said):
    assert said in error_of(law(PASS, tmp_path, more))


LAST = "return self.line.pop(0) if self.line else None"
FULL = 'cx.drop(packet, "overlimit")'
TAKEN = "self.line.append(packet)"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (LAST, "return self.line[0] if self.line else None", "Fifo.dequeue returned <Packet 0 of"),
        (LAST, "return None", "Fifo.dequeue returned None with 1 packets waiting"),
        (LAST, "return 3", "Fifo.dequeue returned 3: return a packet"),
        (FULL, "cx.drop(packet); cx.drop(packet)", "Fifo.enqueue dropped <Packet"),
        (FULL, 'cx.drop(packet, "boredom")', "no reason"),
        (TAKEN, f"{TAKEN}; cx.mark(packet)", "not ECN-capable"),
    ],
)
def test_what_is_done_to_packets_that_do_not_wait_is_said(tmp_path, old, new, said):
    assert said in error_of(queue(tmp_path, old, new))


def test_other_runs_go_on(tmp_path):
    more = "fine = tailrace.parameter('flag', True, 'It.')"
    each = law("return tailrace.Verdict.PASS if self.fine else 0", tmp_path, more)
    axes = {"link.line.queue.fine": [True, False]}
    swept = tailrace.sweep(LINE, axes, set={"link.line.queue": "bad"}, algorithms=[each])
    assert len(swept.runs) == 1
    assert "Bad.on_dequeue returned 0" in str(swept.failures.to_dicts())


def test_what_belongs_to_a_hook_cannot_be_used_after_it(tmp_path):
    late = FIFO.replace("self.line.append(packet)", "self.line.append(packet); self.cx = cx")
    late = late.replace("    def dequeue", "    def poll_timeout(self):\n        return USE\n    def dequeue")
    for use in ("self.cx.now", "self.cx.rng.below(5)"):
        text = late.replace("USE", f"{use} if hasattr(self, 'cx') else None")
        assert "within" in error_of(classes(text, tmp_path)["own_fifo"])


def test_declarations_that_cannot_be_are_refused():
    def refused(*own_classes):
        with pytest.raises(tailrace.UsageError) as error:
            tailrace.Scenario.of(LINE, algorithms=own_classes)
        return str(error.value)

    assert "give yours another name" in refused(type("A", (tailrace.Aqm,), {"name": "codel"}))
    assert "small letters" in refused(type("A", (tailrace.Aqm,), {"name": "No Name"}))
    assert "has no name" in refused(type("A", (tailrace.Aqm,), {}))
    assert "no class derived from" in refused(int)
    own_one = type("A", (tailrace.Aqm,), {"name": "mine"})
    assert "two queue disciplines" in refused(own_one, type("B", (tailrace.Aqm,), {"name": "mine"}))
    for kind, default, least, said in [
        ("time", "5 ms", None, "there is no kind"),
        ("duration", "5", None, "parameter x"),
        ("duration", "5 ms", "6 ms", "outside 6 ms to 9 s"),
        ("duration", "5 ms", "soon", "does not bound it"),
    ]:
        most = None if least is None else "9 s"
        x = tailrace.parameter(kind, default, "It.", least=least, most=most)
        assert said in refused(type("A", (tailrace.Aqm,), {"name": "mine", "x": x}))


def test_values_are_checked_like_all_others(codel):
    def errors(overrides):
        with pytest.raises(tailrace.ScenarioError) as error:
            tailrace.Scenario.of(LINE, {"link.line.queue": "my_codel", **overrides}, algorithms=[codel])
        return str(error.value)

    assert "did you mean `target`?" in errors({"link.line.queue.tagret": "5 ms"})
    assert "outside 2 us to 1000 s" in errors({"link.line.queue.interval": "1 us"})
    assert "did you mean `my_codel`?" in errors({"link.line.queue": "my_codle"})
    resolved = tailrace.Scenario.of(LINE, {"link.line.queue": "my_codel"}, algorithms=[codel]).to_toml()
    assert 'kind = "my_codel"' in resolved
    assert 'interval = "100 ms"' in resolved


def test_the_identity_of_a_run_has_the_text_of_its_classes(tmp_path, codel):
    def cell(queue_name, *own_classes):
        scenario = tailrace.Scenario.of(LINE, {"link.line.queue": queue_name}, algorithms=own_classes)
        return identity.of_cell(scenario)

    other = classes(FILES["my_codel.py"].replace("+ 0.5", "+ 0.25"), tmp_path)["my_codel"]
    again = classes(FILES["my_codel.py"], tmp_path)["my_codel"]
    assert cell("my_codel", codel) != cell("my_codel", other)
    assert cell("my_codel", codel) == cell("my_codel", again)
    assert cell("codel", codel) == cell("codel", other) == cell("codel")


def test_a_store_does_a_changed_class_anew(tmp_path):
    text = FILES["gentle.py"]
    (tmp_path / "line.toml").write_text(LINE)
    command = [sys.executable, "-m", "tailrace", "sweep", "line.toml", "--with", "gentle.py", "--set-each",
               "link.line.queue=codel,gentle", "--dry-run", "--json", "-o", "out"]  # fmt: skip

    def missing():
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout

    (tmp_path / "gentle.py").write_text(text)
    subprocess.run(
        [word for word in command if word != "--dry-run"], cwd=tmp_path, capture_output=True, check=True
    )
    same = missing()
    (tmp_path / "gentle.py").write_text(text.replace("sojourn >", "2 * sojourn >"))
    assert missing() != same


def test_scenarios_with_classes_of_a_file_reach_other_processes(tmp_path, codel):
    scenario = tailrace.Scenario.of(LINE, {"link.line.queue": "my_codel"}, algorithms=[codel])
    (tmp_path / "s").write_bytes(pickle.dumps(scenario))
    run = "tailrace.run(pickle.load(open(sys.argv[1], 'rb')))"
    code = f"import pickle, sys, tailrace; print({run}.manifest['fingerprint'])"
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "s"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == tailrace.run(scenario).manifest["fingerprint"]


def test_workers_get_the_classes_with_their_work(codel):
    set_queue = {"link.line.queue": "my_codel"}
    scenario = tailrace.Scenario.of(LINE, set=set_queue, algorithms=[codel])
    batch = dask_workers.Batch(identity.ENGINE, pickle.dumps(scenario), (dask_workers.Work("", {}, 0, 1),))
    (ended,) = dask_workers.perform(batch)
    here = tailrace.run(LINE, set=set_queue, runs=1, algorithms=[codel])
    assert ended.landing.fingerprint == here.manifest["runs"][0]["fingerprint"]


def test_files_that_are_none_are_said(tmp_path):
    (tmp_path / "scenario.toml").write_text(LINE)
    for text, said in [
        ("x = 1\n", "has no class with a name"),
        ("class A(:\n", "cannot be loaded: SyntaxError"),
        ("1 / 0\n", "cannot be loaded: ZeroDivisionError"),
        (None, "cannot be read"),
    ]:
        file = tmp_path / "own.py"
        file.unlink(missing_ok=True)
        if text is not None:
            file.write_text(text)
        done = subprocess.run(
            [sys.executable, "-m", "tailrace", "check", "scenario.toml", "--with", "own.py"],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 2
        assert said in done.stderr


def test_verdicts_are_four():
    assert len({Verdict.PASS, Verdict.SIGNAL, Verdict.MARK_ONLY, Verdict.DROP}) == 4


MISUSED = """
import tailrace
from tailrace import Verdict
class Own(tailrace.BASE):
    name = "own"
BODY
"""


@pytest.mark.parametrize(
    ("base", "body", "said"),
    [
        ("Aqm", "    def __init__(self):\n        self.n = 0", ["has an `__init__`, which is never called"]),
        ("Aqm", "    def on_enqeue(self, *_):\n        return Verdict.DROP", ["it passes every packet"]),
        ("QueueDiscipline", "    pass", ["has no `enqueue` and no `dequeue`: the first packet ends a run"]),
        ("CongestionControl", "    pass", ["has no `on_ack`, no `on_congestion` and no `on_delivery`"]),
        ("Aqm", "    def on_dequeue(self, *_):\n        return Verdict.PASS", []),
        ("CongestionControl", "    def on_congestion(self, event):\n        pass", []),
    ],
)
def test_methods_that_are_never_called_and_classes_without_any_are_warned_of(tmp_path, base, body, said):
    own = classes(MISUSED.replace("BASE", base).replace("BODY", body), tmp_path)["own"]
    key = "flow.download.transport.cc" if base == "CongestionControl" else "link.line.queue"
    found = tailrace.Scenario.of(LINE, set={key: "own"}, algorithms=[own]).warnings
    found = [text for text in found if "own-class" in text]
    assert all(any(word in text for text in found) for word in said), found
    if not said:
        assert found == []
    if "__init__" in body:
        assert len(found) == 2, "its law has no hook, either"
        allowed = tailrace.Scenario.of(LINE, set={key: "own"}, algorithms=[own], allow=["own-class"])
        assert not any("own-class" in text for text in allowed.warnings)
    if said:
        (tmp_path / "line.toml").write_text(LINE)
        done = command_line("check", "line.toml", "--with", "own.py", "--set", f"{key}=own", cwd=tmp_path)
        assert done.returncode == 0 and "warning[own-class]" in done.stderr
    unnamed = tailrace.Scenario.of(LINE, algorithms=[own]).warnings
    assert not any("own-class" in text for text in unnamed)
