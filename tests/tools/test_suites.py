#!/usr/bin/env python3
"""The target test-SUITE builds every program that the tests of a suite run, as CONTRIBUTING.md says. SUBCORE is a
program in the build folder."""
import json
import os
import pathlib
import subprocess
import sys

sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tests", "cli"))
from harness import SUBCORE, main  # pylint: disable=wrong-import-position

BUILD = pathlib.Path(SUBCORE).parent


def output(*words):
    return subprocess.run([*map(str, words)], text=True, capture_output=True, timeout=60, check=True).stdout


def introspected(name):
    return json.loads((BUILD / "meson-info" / f"intro-{name}.json").read_text(encoding="utf-8"))


def programs_of_suites():
    """Returns suite -> paths, from the build folder, of the programs and libraries that its tests run and name."""
    suites, files = {}, {target["id"]: target["filename"] for target in introspected("targets")}
    for test in introspected("tests"):
        for path in [test["cmd"][0]] + [file for name in test["depends"] for file in files[name]]:
            if pathlib.Path(path).is_relative_to(BUILD):
                for suite in test["suite"]:
                    suites.setdefault(suite.split(":")[-1], set()).add(str(pathlib.Path(path).relative_to(BUILD)))
    return suites


def test_the_target_of_a_suite_builds_all_of_its_programs():
    targets = {line.split(":")[0] for line in output("ninja", "-C", BUILD, "-t", "targets", "all").splitlines()}
    checked = 0
    for suite, programs in programs_of_suites().items():
        if f"test-{suite}" in targets and suite != "check":   # the repository's need the whole build
            lines = output("ninja", "-C", BUILD, "-t", "query", f"test-{suite}").splitlines()
            built = {line.strip(" |") for line in lines}
            assert programs <= built, (suite, sorted(programs - built))
            checked += 1
    assert checked > 20, checked


main(globals())
