#!/usr/bin/env python3
"""tools/digests.py with a simulator of a few lines. SUBCORE_ROOT is the repository."""
import json
import os
import subprocess
import sys

sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tests", "cli"))
from harness import ROOT, main  # pylint: disable=wrong-import-position

FAKE = """#!/usr/bin/env python3
import pathlib, sys
out = sys.argv[sys.argv.index("--json") + 1]
pathlib.Path(out).write_text(pathlib.Path(__file__).with_suffix(".json").read_text())
"""


def simulator(folder, name, *rows, **top):
    """A program that writes these experiments, whatever it is asked."""
    path = folder / name
    path.write_text(FAKE, encoding="utf-8")
    path.chmod(0o755)
    experiments = [{"gpu": "a100", "experiment": f"e{at}", **row} for at, row in enumerate(rows)]
    path.with_suffix(".json").write_text(json.dumps({"experiments": experiments, **top}), encoding="utf-8")
    return path


def digests(folder, action, program, *words):
    command = [sys.executable, ROOT / "tools" / "digests.py", action, "experiment", "--subcore", program,
               "--record", folder / "digests.tsv", *map(str, words)]
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False)


def test_an_item_that_changes_is_named_and_is_the_status(folder):
    assert digests(folder, "record", simulator(folder, "old", {"cycles": 4}, {"cycles": 5})).returncode == 0
    result = digests(folder, "check", simulator(folder, "new", {"cycles": 4}, {"cycles": 6}))
    assert result.returncode == 1 and "experiment/a100/e1: differs" in result.stdout, result
    assert "e0" not in result.stdout and "1 of 2 digests equal" in result.stdout, result.stdout


def test_times_of_the_host_and_names_of_builds_are_no_results(folder):
    digests(folder, "record", simulator(folder, "old", {"cycles": 4, "host": {"seconds": 1}}, tool="one"))
    result = digests(folder, "check", simulator(folder, "new", {"cycles": 4, "host": {"seconds": 2}}, tool="two"))
    assert result.returncode == 0 and "1 of 1 digests equal" in result.stdout, result


def test_items_that_come_and_go_are_named(folder):
    digests(folder, "record", simulator(folder, "old", {"cycles": 4}, {"cycles": 5}))
    result = digests(folder, "check", simulator(folder, "fewer", {"cycles": 4}))
    assert result.returncode == 1 and "e1: is recorded, and nothing computes it" in result.stdout, result
    result = digests(folder, "check", simulator(folder, "more", {"cycles": 4}, {"cycles": 5}, {"cycles": 6}))
    assert result.returncode == 1 and "e2: is not recorded" in result.stdout, result


def test_a_comparison_of_builds_names_the_number(folder):
    result = digests(folder, "diff", simulator(folder, "new", {"a": [{"cycles": 4}, {"cycles": 6}]}), "--other",
                     simulator(folder, "old", {"a": [{"cycles": 4}, {"cycles": 5}]}))
    assert result.returncode == 1 and "experiment/a100/e0.a[1].cycles: 5 -> 6" in result.stdout, result


def test_a_simulator_that_fails_is_an_error_with_its_words(folder):
    path = folder / "broken"
    path.write_text("#!/bin/sh\necho no such GPU >&2\nexit 2\n", encoding="utf-8")
    path.chmod(0o755)
    result = digests(folder, "check", path)
    assert result.returncode == 2 and "no such GPU" in result.stdout, result


main(globals())
