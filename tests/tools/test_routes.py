#!/usr/bin/env python3
"""The parts of tools/routes.py that need no clean root. SUBCORE_ROOT is the repository."""
import os
import pathlib
import sys

sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tests", "cli"))
sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tools"))
from harness import main  # pylint: disable=wrong-import-position
import routes  # pylint: disable=wrong-import-position


def refused(lines, output):
    try:
        routes.in_order(lines, output, "demo")
    except routes.Failure:
        return True
    return False


def test_readme_has_the_report_that_the_routes_compare(_: pathlib.Path):
    lines = routes.report_of_readme()
    assert any(line.startswith("Elapsed Cycles") for line in lines), lines


def test_lines_have_to_come_in_order_and_dots_stand_for_any(_: pathlib.Path):
    assert not refused(["a", "...", "c"], "a\nb\nc\n")
    assert refused(["c", "a"], "a\nb\nc\n")
    assert refused(["a", "d"], "a\nb\nc\n")


def test_every_route_has_a_sentence_and_comes_after_the_builds_that_it_needs(_: pathlib.Path):
    assert all(route.__doc__ for route in routes.ROUTES)
    for route in routes.ROUTES:
        before = set() if route in routes.ALONE else set(routes.BUILDS)
        assert set(routes.chosen([route.__name__])) == before | {route}, route


def test_the_time_of_each_step_is_told_in_its_order(_: pathlib.Path):
    done = []
    words = routes.timed({"one": lambda: done.append(1), "two": lambda: done.append(2)})
    assert done == [1, 2]
    assert words == "one 0.0 s (0.0 s of processor time), two 0.0 s (0.0 s of processor time)"


if __name__ == "__main__":
    main(globals())
