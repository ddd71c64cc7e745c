#!/usr/bin/env python3
"""tools/check_includes.py with tables of a few lines. SUBCORE_ROOT is the repository."""
import os
import sys

sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tests", "cli"))
sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tools"))
from harness import main  # pylint: disable=wrong-import-position
from check_includes import Layers, errors  # pylint: disable=wrong-import-position

TABLE = "# text: not a row\nbase:\nisa: base\nsm: base isa\n\nsm/low:\nsm/high: low\n"
DOCUMENT = "| `base` | a | nothing |\n| `isa` (`x/y`) | b | base |\n| `sm` | c | base, isa |\n"


def test_a_folder_includes_the_folders_of_its_row_only():
    layers = Layers(TABLE)
    assert not layers.errors
    assert layers.complaint("isa", None, "base/file.h") is None
    assert layers.complaint("isa", None, "isa/file.h") is None
    assert layers.complaint("isa", None, "sm/file.h") == "isa may not include sm"
    assert "not in" in layers.complaint("new", None, "base/file.h")


def test_a_floor_includes_the_floors_of_its_row_only():
    layers = Layers(TABLE)
    assert layers.complaint("sm", "high", "sm/low/a.h") is None
    assert layers.complaint("sm", "high", "sm/high/a.h") is None
    assert layers.complaint("sm", "low", "sm/high/a.h") == "sm/low may not include sm/high"
    assert layers.complaint("sm", None, "sm/high/a.h") is None and layers.complaint("sm", "low", "sm/a.h") is None
    assert "sm/new is not in" in layers.complaint("sm", "new", "sm/a.h")


def test_a_row_may_name_one_floor_of_another_folder():
    layers = Layers("sm:\nother: sm/low\n")
    assert layers.complaint("other", None, "sm/low/a.h") is None
    assert layers.complaint("other", None, "sm/high/a.h") == "other may not include sm"


def test_rows_name_rows_above_them():
    assert len(Layers("isa: base\nbase:\n").errors) == 1
    assert len(Layers("sm:\nsm/high: low\nsm/low:\n").errors) == 1
    assert len(Layers("sm:\nsm/low: *\n").errors) == 1
    assert len(Layers("no row\n").errors) == 1


def test_the_document_has_the_same_table():
    layers = Layers(TABLE)
    assert not list(layers.differences(DOCUMENT))
    assert list(layers.differences(DOCUMENT.replace("base, isa", "base"))) == ["sm may include base, isa, says "
                                                                               "src/layers.txt"]
    assert len(list(layers.differences(DOCUMENT.replace("| `base` | a | nothing |\n", "")))) == 1
    assert len(list(layers.differences(DOCUMENT + "| `mem` | d | base |\n"))) == 1


def errors_of(folder, files):
    """The complaints about files of src, each given by the files that it includes."""
    (folder / "src").mkdir()
    (folder / "src/layers.txt").write_text(TABLE, encoding="utf-8")
    (folder / "ARCHITECTURE.md").write_text(DOCUMENT, encoding="utf-8")
    for name, included in files.items():
        path = folder / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f'#include "{other}"\n' for other in included.split()), encoding="utf-8")
    return list(errors(folder))


def test_an_include_that_is_not_allowed_is_told_with_its_place(folder):
    found = errors_of(folder, {"sm/low/a.c": "base/a.h sm/high/a.h"})
    assert found == ["src/sm/low/a.c:2: sm/low may not include sm/high"]


def test_a_header_gets_no_higher_floor_through_a_header_of_the_folder(folder):
    found = errors_of(folder, {"sm/high/a.h": "sm/low/b.h sm/shared.h", "sm/shared.h": "sm/again.h",
                               "sm/again.h": "sm/shared.h sm/high/c.h", "sm/low/a.h": "sm/shared.h",
                               "sm/low/a.c": "sm/shared.h", "sm/low/b.h": ""})
    assert found == ["src/sm/low/a.h:1: sm/low may not include sm/high (through sm/shared.h)"]


def test_a_header_that_brings_all_floors_is_for_none(folder):
    found = errors_of(folder, {"sm/sm.h": "sm/high/a.h", "sm/high/a.h": "sm/low/a.h", "sm/sm.c": "sm/sm.h",
                               "sm/high/a.c": "sm/sm.h"})
    assert found == ["src/sm/high/a.c:1: sm/sm.h brings all floors of sm: it is for no floor"]


if __name__ == "__main__":
    main(globals())
