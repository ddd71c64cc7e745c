#!/usr/bin/env python3
"""tools/diagrams.py with descriptions of a few boxes. SUBCORE_ROOT is the repository."""
import os
import pathlib
import sys

sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tests", "cli"))
sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tools"))
from harness import main  # pylint: disable=wrong-import-position
import diagrams  # pylint: disable=wrong-import-position

ROOT = pathlib.Path(os.environ["SUBCORE_ROOT"])


def picture(boxes, arrows=()):
    return diagrams.draw({"title": "T", "size": [40, 20], "box": boxes, "arrow": list(arrows)}, ROOT)


def box(name, at, text="text", **more):
    return {"id": name, "at": at, "text": [text], **more}


def fails(part, *arguments):
    try:
        picture(*arguments)
    except diagrams.Wrong as error:
        assert part in str(error), error
        return
    assert False, "it was drawn"


def test_boxes_that_touch_are_drawn_and_boxes_that_overlap_by_one_are_not(_):
    assert picture([box("a", [0, 0, 10, 5]), box("b", [10, 0, 10, 5])]).count("<rect") == 3
    fails("'a' and 'b' overlap", [box("a", [0, 0, 10, 5]), box("b", [9, 0, 10, 5])])


def test_text_has_to_fit_its_box(_):
    fails("wider than the box", [box("a", [0, 0, 10, 5], "a text of more than eighty pixels")])
    fails("too low", [box("a", [0, 0, 10, 1])])


def test_the_file_of_a_box_has_to_exist(_):
    picture([box("a", [0, 0, 20, 5], file="src/sm/sm.h")])
    fails("no file 'src/sm/none.h'", [box("a", [0, 0, 20, 5], file="src/sm/none.h")])


def test_an_arrow_is_straight_between_boxes_that_face_each_other_and_has_a_corner_otherwise(_):
    below, aside, away = [0, 80, 80, 40], [160, 0, 80, 40], [160, 80, 80, 40]
    assert diagrams.points([0, 0, 80, 40], below) == [(40, 40), (40, 80)]
    assert diagrams.points([0, 0, 80, 40], aside) == [(80, 20), (160, 20)]
    assert diagrams.points([0, 0, 80, 40], away) == [(80, 20), (200, 20), (200, 80)]


def test_an_arrow_to_an_unknown_box_is_an_error(_):
    fails("'to' is 'b'", [box("a", [0, 0, 10, 5])], [{"from": "a", "to": "b"}])


if __name__ == "__main__":
    main(globals())
