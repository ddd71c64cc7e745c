#!/usr/bin/env python3
"""Draws the diagrams of the documents: diagrams.py FOLDER [--check]. Each NAME.toml in FOLDER becomes NAME.svg.

A description has a title, a size, and tables. Lengths are units of 8 pixels, and `at` is x, y, width and height:

    [[group]]  at, text         a frame with a heading
    [[box]]    id, at, text     lines of text, with the unit's source `file` below, in the colour of `kind`
    [[arrow]]  from, to, text   between boxes: straight where they face each other, else with one corner, `both` ways
    [[note]]   at, text         text alone

--check writes nothing, and fails when a picture differs from its description. Wrong descriptions are errors: a
file that does not exist, boxes that overlap, text that is wider than its box, an arrow to an unknown box."""
import pathlib
import sys
import tomllib
from xml.sax.saxutils import escape

UNIT, LINE, FONT = 8, 15, 12
LETTER = {"text": 0.56, "file": 0.52}   # width of a letter, in heights
COLOURS = {"unit": "#dbe9f6", "cache": "#fbe5c8", "queue": "#e7e0f3", "control": "#dff0d8", "memory": "#f6d9d9",
           "time": "#ffffff"}
HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}"
     font-family="Helvetica, Arial, sans-serif" font-size="{font}" role="img" aria-label="{title}">
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0,0 L8,4 L0,8 z" fill="#444"/></marker></defs>
<rect width="{w}" height="{h}" fill="#ffffff"/>
<text x="16" y="24" font-size="16" font-weight="bold">{title}</text>
"""


class Wrong(Exception):
    """A description that cannot be drawn. The message says why."""


def pixels(at):
    return [UNIT * value for value in at]


def centred(x, y, lines, size=FONT, more=""):
    """Lines of text around a point."""
    top = y - (len(lines) - 1) * LINE / 2 + size / 3
    return [f'<text x="{x:g}" y="{top + LINE * n:g}" font-size="{size}" text-anchor="middle"{more}>' + escape(line) +
            "</text>" for n, line in enumerate(lines)]


def draw_box(box, root):
    x, y, w, h = pixels(box["at"])
    lines, file = box["text"], box.get("file")
    if file and not (root / file).exists():
        raise Wrong(f"box '{box['id']}': there is no file '{file}'")
    for line, kind, size in [(line, "text", FONT) for line in lines] + ([(file, "file", 10)] if file else []):
        if len(line) * size * LETTER[kind] > w:
            raise Wrong(f"box '{box['id']}': '{line}' is wider than the box")
    if (len(lines) + bool(file)) * LINE > h:
        raise Wrong(f"box '{box['id']}' is too low for its lines")
    yield f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="4" fill="{COLOURS[box.get("kind", "unit")]}"' \
          ' stroke="#555"/>'
    yield from centred(x + w / 2, y + h / 2 - (LINE / 2 if file else 0), lines)
    if file:
        yield from centred(x + w / 2, y + h - 8, [file], 10, ' fill="#555"')


def overlap(a, b):
    """Whether two boxes lie on each other."""
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


def between(a, length_a, b, length_b):
    """The middle of the part that two spans share, or None."""
    low, high = max(a, b), min(a + length_a, b + length_b)
    return (low + high) / 2 if low < high else None


def points(a, b):
    """The corners of an arrow from box a to box b."""
    (ax, ay, aw, ah), (bx, by, bw, bh) = a, b
    x, y = between(ax, aw, bx, bw), between(ay, ah, by, bh)
    if x is not None:
        return [(x, ay + ah), (x, by)] if by > ay else [(x, ay), (x, by + bh)]
    if y is not None:
        return [(ax + aw, y), (bx, y)] if bx > ax else [(ax, y), (bx + bw, y)]
    x, y = bx + bw / 2, ay + ah / 2
    return [(ax + aw if bx > ax else ax, y), (x, y), (x, by if by > ay else by + bh)]


def draw_arrow(arrow, boxes):
    for end in ("from", "to"):
        if arrow[end] not in boxes:
            raise Wrong(f"an arrow's '{end}' is '{arrow[end]}', which is no box")
    way = points(boxes[arrow["from"]], boxes[arrow["to"]])
    dashed = ' stroke-dasharray="4 3"' if arrow.get("dashed") else ""
    for ends in [way] + [way[::-1]] * bool(arrow.get("both")):
        path = " L".join(f"{x:g},{y:g}" for x, y in ends)
        yield f'<path d="M{path}" fill="none" stroke="#444"{dashed} marker-end="url(#head)"/>'
    if arrow.get("text"):
        (x0, y0), (x1, y1) = way[0], way[1]
        if x0 == x1:
            y = (y0 + y1) / 2 + 4
            yield f'<text x="{x0 + 6:g}" y="{y:g}" font-size="11" fill="#333">{escape(arrow["text"])}</text>'
        else:
            yield from centred((x0 + x1) / 2, y0 - 8, [arrow["text"]], 11, ' fill="#333"')


def draw(description, root):
    """The picture of a description."""
    boxes = {box["id"]: pixels(box["at"]) for box in description.get("box", [])}
    names = list(boxes)
    for number, name in enumerate(names):
        for other in names[number + 1:]:
            if overlap(boxes[name], boxes[other]):
                raise Wrong(f"the boxes '{name}' and '{other}' overlap")
    parts = []
    for group in description.get("group", []):
        x, y, w, h = pixels(group["at"])
        parts.append(f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="6" fill="#f7f7f7" stroke="#999"/>')
        parts.append(f'<text x="{x + 8:g}" y="{y + 17:g}" font-weight="bold">{escape(group["text"])}</text>')
    for arrow in description.get("arrow", []):
        parts += draw_arrow(arrow, boxes)
    for box in description.get("box", []):
        parts += draw_box(box, root)
    for note in description.get("note", []):
        x, y = pixels(note["at"])
        parts += [f'<text x="{x:g}" y="{y + LINE * n:g}" fill="#333">{escape(line)}</text>'
                  for n, line in enumerate(note["text"])]
    width, height = pixels(description["size"])
    head = HEAD.format(w=width, h=height, font=FONT, title=escape(description["title"]))
    return head + "\n".join(parts) + "\n</svg>\n"


def main(arguments):
    folder, root, failed = pathlib.Path(arguments[0]), pathlib.Path(__file__).resolve().parent.parent, 0
    for path in sorted(folder.glob("*.toml")):
        try:
            picture = draw(tomllib.loads(path.read_text(encoding="utf-8")), root)
        except Wrong as error:
            print(f"{path}: {error}")
            failed = 1
            continue
        output = path.with_suffix(".svg")
        if "--check" not in arguments:
            output.write_text(picture, encoding="utf-8")
        elif not output.is_file() or output.read_text(encoding="utf-8") != picture:
            print(f"{output} is not what {path.name} gives: run make diagrams")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
