#!/usr/bin/env python3
"""tools/reference.py: the generated pages are those of the program. SUBCORE_ROOT is the repository."""
import os
import pathlib
import sys

sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tests", "cli"))
sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tools"))
from harness import ROOT, SUBCORE, main  # pylint: disable=wrong-import-position
import reference  # pylint: disable=wrong-import-position


def test_the_pages_are_as_the_program_says(_):
    names = reference.stale(ROOT, reference.pages(SUBCORE))
    assert not names, f"{names}: make reference"


def test_every_command_and_key_has_its_row(_):
    texts = reference.pages(SUBCORE)
    assert texts["docs/commands.md"].count("\n## ") > 20 and "| `-g`, `--gpu NAME` |" in texts["docs/commands.md"]
    assert "| `core.rfc` | `true` |" in texts["docs/keys.md"] and texts["docs/keys.md"].count("\n| `") > 300


def test_a_page_that_differs_or_is_missing_is_stale(folder: pathlib.Path):
    (folder / "a").write_text("x")
    assert reference.stale(folder, {"a": "x", "b": "x"}) == ["b"]
    assert reference.stale(folder, {"a": "y"}) == ["a"]


def test_signs_of_tables_are_no_markup_and_options_are_code(_):
    assert reference.cell("a|b, * and --set") == "a\\|b, \\* and `--set`"


if __name__ == "__main__":
    main(globals())
