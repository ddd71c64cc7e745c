#!/usr/bin/env python3
"""tools/check_core_doc.py with documents of a few lines. SUBCORE_ROOT is the repository."""
import os
import sys

sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tests", "cli"))
sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tools"))
from harness import main  # pylint: disable=wrong-import-position
from check_core_doc import places, wrong_places  # pylint: disable=wrong-import-position

GOOD = "# T\n\n- **One rule.** Paper. `a.c`; `core.k`. Used by: `b.c`,\n  `c.h`. Tests: `sm: t`.\n"


def test_the_place_stands_before_the_files_that_use_the_rule(_):
    assert list(places(GOOD)) == [("One rule.", ["a.c"])]
    assert not list(wrong_places(GOOD))


def test_a_table_of_the_instruction_set_can_be_the_place(_):
    assert list(places("\n- **One rule.** `src/isa/contract.def`. Tests: `a: b`.\n"))[0][1] == ["src/isa/contract.def"]


def test_two_places_are_wrong(_):
    error, = wrong_places(GOOD.replace("`a.c`", "`a.c`, `d.c`"))
    assert "'One rule.' names a.c, d.c" in error


def test_no_place_is_wrong(_):
    error, = wrong_places(GOOD.replace("`a.c`; ", ""))
    assert "'One rule.' names no file" in error


def test_a_heading_of_two_sentences_is_wrong(_):
    error, = wrong_places(GOOD.replace("One rule.", "One rule of c.k. Another."))
    assert "has more than one sentence" in error
    assert not list(wrong_places(GOOD.replace("One rule.", "One rule, 0.5 of b.c.")))


def test_a_file_of_the_next_item_or_paragraph_is_not_of_the_rule(_):
    for rest in ("- See `d.c`.\n", "\nSee `d.c`.\n", "## See `d.c`\n", "- **Next.** `d.c`.\n"):
        assert not list(wrong_places("\n- **One rule.** `a.c`.\n" + rest))


if __name__ == "__main__":
    main(globals())
