"""Saves over a result again and again, killed a step later each time: `kills.py FOLDER exchange|aside`.

Writes how many kills there were. Forks of a process that has loaded nothing big make a kill cost milliseconds.
"""

import os
import signal
import sys
from pathlib import Path

from tailrace.system import atomic_folder, ownership, staging

# Whatever changes the file system says so to an audit hook first.
STEPS = (
    "open",
    "os.mkdir",
    "os.rename",
    "os.remove",
    "os.rmdir",
    "os.chmod",
    "ctypes.dlsym",
    "shutil.rmtree",
)


def save(target, text):
    with atomic_folder.replacing(target) as fresh:
        for number in range(3):
            (fresh / f"{number}.txt").write_text(text)
        (fresh / "captures").mkdir()
        (fresh / "captures" / "a.txt").write_text(text)
        ownership.seal(fresh, ownership.RESULT, {})


def killed_at(step, target, text):
    """Whether a saver was killed, which it is before its step of that number."""
    child = os.fork()
    if child == 0:
        left = step

        def hook(event, _arguments):
            nonlocal left
            if event in STEPS:
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(hook)
        save(target, text)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, status
    return os.WIFSIGNALED(status)


def look(target, texts):
    """A whole result, of one of the savers, with what the user put there."""
    found = {(target / name).read_text() for name in ("0.txt", "1.txt", "2.txt", "captures/a.txt")}
    assert len(found) == 1, found
    assert found <= texts, found
    assert ownership.holding(target) is ownership.Holding.RESULT


def main():
    place, way = Path(sys.argv[1]), sys.argv[2]
    if way == "aside":
        staging._exchanged = lambda *_: False
    for existing in (True, False):
        step = 1
        while True:
            target = place / f"result{step}{existing}"
            if existing:
                save(target, "old")
                (target / "notes.txt").write_text("precious")
            killed = killed_at(step, target, "new")
            if existing and way == "exchange":
                look(target, {"old", "new"})
            # Whoever comes next settles what is left.
            staging.clear(place)
            if existing:
                look(target, {"old", "new"})
                assert (target / "notes.txt").read_text() == "precious"
            elif target.exists():
                look(target, {"new"})
            left = [path.name for path in place.iterdir() if path.name.startswith(".")]
            assert not left, (step, left)
            assert not list(target.rglob("*kept*")), step
            if not killed:
                break
            step += 1
        sys.stdout.write(f"{step - 1} {'kills' if existing else 'kills where nothing stood'}\n")


if __name__ == "__main__":
    main()
