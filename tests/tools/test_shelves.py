#!/usr/bin/env python3
"""docs/README.md leads to every page, each page says its purpose first, and links lead somewhere. SUBCORE_ROOT is the
repository."""
import os
import pathlib
import re
import sys

sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tests", "cli"))
from harness import ROOT, main  # pylint: disable=wrong-import-position

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
TOP = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "NEWS.md", "SECURITY.md")]


def links_of(path):
    """The files and anchors to which a page links, without its code."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.S | re.M)
    text = re.sub(r"`[^`\n]*`", "", text)
    return [link for link in re.findall(r"\]\(([^)\s]+)", text) if not link.startswith(("http:", "https:", "mailto:"))]


def anchors_of(path):
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def opening(path):
    """The first paragraph below the title."""
    blocks = path.read_text(encoding="utf-8").split("\n\n")
    return next(block for block in blocks if not block.startswith(("#", "<!--")))


def test_every_page_is_one_step_from_the_map():
    linked = {(DOCS / link.split("#")[0]).resolve() for link in links_of(DOCS / "README.md")}
    missing = [str(page.relative_to(DOCS)) for page in PAGES if page.resolve() not in linked | {DOCS / "README.md"}]
    assert len(PAGES) > 40 and not missing, missing


def test_every_page_opens_with_its_purpose():
    first = {page: ". ".join(opening(page).replace("\n", " ").split(". ")[:2]) for page in PAGES}   # two sentences
    wrong = [str(page.relative_to(DOCS)) for page in PAGES if not re.search(r"\bThis (page|tutorial)\b", first[page])]
    assert not wrong, wrong


def test_every_link_leads_to_a_file_and_a_heading():
    wrong = []
    for page in PAGES + [path for path in TOP if path.exists()]:
        for link in links_of(page):
            name, _, anchor = link.partition("#")
            target = (page.parent / name).resolve() if name else page
            if not target.exists() or anchor and target.suffix == ".md" and anchor not in anchors_of(target):
                wrong.append(f"{page.name}: {link}")
    assert not wrong, wrong


main(globals())
