#!/usr/bin/env python3
"""Counts habits that slow a reader, in documents, comments and messages: headless clauses ("what a warp waits for"),
chains of "of", semicolons, and words per sentence. Messages are the string literals of the sources: errors, warnings,
help, reports. docs/style.md has the rules, language.tsv beside this file the limits.

    tools/language.py ROOT                   # prints each group's counts beside its limits; fails above a limit
    tools/language.py ROOT --lower           # lowers the limits to the counts
    tools/language.py ROOT --show KIND PATH  # lists places; KIND is headless, chains, semicolons or long
    tools/language.py ROOT --show KIND PATH --messages   # the same in string literals; --tables: in cells of tables
    tools/language.py ROOT --files KIND      # lists the files with the most places"""
import io
import math
import pathlib
import re
import sys
import tokenize

LIMITS = pathlib.Path(__file__).with_name("language.tsv")
ROOM = 20                              # hundredths that a limit lies above a count, or 2 %
LONG = 40                              # words of a sentence that --show long lists
GENERATED = {"docs/accuracy.md", "docs/commands.md", "docs/keys.md"}   # their words are those of other files
GROUPS = {                             # name -> files it counts; Markdown is read as text, all others as comments
    "README": ("README.md",),
    "docs": ("ARCHITECTURE.md", "CONTRIBUTING.md", "NEWS.md", "docs/**/*.md"),
    "src": ("src/**/*.[ch]", "src/**/*.def", "lib/**/*.[ch]"),
    "include": ("include/**/*.h",),
    "tests": ("tests/**/*.[ch]", "tests/**/*.py", "tests/**/*.cu"),
    "validate": ("validate/**/*.[ch]", "validate/**/*.cu", "examples/**/*.[ch]", "examples/**/*.cu", "bench/**/*.[ch]"),
    "tools": ("tools/**/*.[ch]", "tools/**/*.py"),
    "python": ("python/**/*.py",),
    "messages": ("src/**/*.[ch]", "src/**/*.def", "lib/**/*.[ch]", "validate/**/*.[ch]", "python/**/*.py"),
    "tables": ("*.md", "docs/**/*.md"),
}
MESSAGES, TABLES = "messages", "tables"   # groups whose string literals or cells are read instead
NO_MESSAGES = re.compile(r"encodings_.*\.def|opcodes_.*\.def|.*_encodings\.def")   # lines of machine code
PATTERNS = {
    "headless": re.compile(r"\b(?:what|who|whom|whoever|that which|those which)\b(?![- ]ifs?\b)", re.I),
    "chains": re.compile(r"(?<!\bout )(?<!\d )\bof\b(?: [\w'-]+,?){1,4}? of\b", re.I),
    "semicolons": re.compile(r";"),
}
SUFFIXES = (".c", ".h", ".def", ".md", ".py", ".cu")
COLUMNS = ("headless", "chains", "semicolons", "sentence")


def markdown_blocks(text):
    """(line, text) of each paragraph and list item; headings, tables and code are no sentences."""
    block, start, fenced = [], 0, False
    for number, line in enumerate(text.split("\n") + [""], 1):
        bare = line.strip()
        if bare.startswith("```"):
            fenced = not fenced
        ends = fenced or not bare or bare[0] in "#|<" or bare.startswith("```") or \
            (line.startswith("    ") and not block)
        item = re.match(r"(?:[-*]|\d+\.) +", bare)
        if (ends or item) and block:
            yield start, " ".join(block)
            block = []
        if not ends:
            start = start if block else number
            block.append(bare[item.end():] if item else bare)


def c_blocks(text):
    """(line, text) of each comment; lines of // that follow one another are one comment."""
    token = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
    block, start, last = [], 0, -1
    for found in token.finditer(text):
        if found[0][0] != "/":
            continue
        line = 1 + text.count("\n", 0, found.start())
        alone = not text[text.rfind("\n", 0, found.start()) + 1:found.start()].strip()
        if block and not (found[0].startswith("//") and alone and line == last + 1):
            yield start, " ".join(block)
            block = []
        start = start if block else line
        block.append(re.sub(r"^/[/*!<]*|\*/$|\n\s*\*?", " ", found[0]).strip())
        last = line + found[0].count("\n")
    if block:
        yield start, " ".join(block)


def table_cells(text):
    """(line, text) of each table cell with words."""
    for number, line in enumerate(text.split("\n"), 1):
        for cell in line.strip().strip("|").split("|") if line.lstrip().startswith("|") else []:
            yield number, cell.strip()


def c_messages(text):
    """(line, text) of each string literal. Literals that the compiler joins, and formats between them, are one."""
    token = re.compile(r"//[^\n]*|/\*.*?\*/|\"((?:\\.|[^\"\\\n])*)\"|'(?:\\.|[^'\\\n])*'", re.S)
    block, start, last = [], 0, 0
    for found in token.finditer(text):
        if found[1] is None:
            continue
        between = text[last:found.start()]
        joined = re.fullmatch(r"(?:\s|\\\n|PRI\w+|/\*.*?\*/|//[^\n]*\n)*", between, re.S)
        if block and not joined:
            yield start, message_text("".join(block))
            block = []
        start = start if block else 1 + text.count("\n", 0, found.start())
        block.append(("u" if joined and "PRI" in between else "") + found[1])
        last = found.end()
    if block:
        yield start, message_text("".join(block))


def python_messages(text):
    """(line, text) of each string literal that is no documentation."""
    previous = tokenize.NEWLINE
    for kind, string, (line, _), _, _ in tokenize.generate_tokens(io.StringIO(text).readline):
        if kind == tokenize.STRING and previous not in (tokenize.NEWLINE, tokenize.INDENT):
            yield line, message_text(string.strip("rbf").strip("\"'"))
        if kind not in (tokenize.COMMENT, tokenize.NL):
            previous = kind


def message_text(literal):
    """The words of a literal: a format of printf and an escape are no words. Indented lines are commands or a table."""
    lines = [line for line in literal.split("\\n") if not re.match(r" {2,}|subcore ", line)]
    text = re.sub(r"%[-+ #0]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z|j)?[diouxXeEfgGcsp]", "0", "\n".join(lines))
    return text.replace('\\"', '"').replace("%%", "%")


def python_blocks(text):
    """(line, text) of each comment and documentation string."""
    block, start, last = [], 0, -1
    previous = tokenize.NEWLINE
    for kind, string, (line, _), _, _ in tokenize.generate_tokens(io.StringIO(text).readline):
        documents = kind == tokenize.STRING and previous in (tokenize.NEWLINE, tokenize.INDENT)
        if kind == tokenize.COMMENT or documents:
            if block and line != last + 1:
                yield start, " ".join(block)
                block = []
            if documents:   # an indented line is a command or a picture
                lines = string.strip("\"'").split("\n")
                yield line, " ".join(x.strip() for x in lines if not x.startswith("    " * 2) and "  #" not in x)
            elif not string.startswith("#!"):
                start = start if block else line
                block.append(string.lstrip("# "))
                last = line
        if kind not in (tokenize.COMMENT, tokenize.NL):
            previous = kind
    if block:
        yield start, " ".join(block)


def plain(text):
    """The words that a reader reads: code is one word, a link is its text."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`+[^`]*`+", "code", text)
    return re.sub(r"\s+", " ", text.replace("*", "")).strip()


def blocks_of(path, group=""):
    text = path.read_text(encoding="utf-8", errors="replace")
    if group == TABLES:
        read = table_cells
    elif group == MESSAGES:
        read = python_messages if path.suffix == ".py" else c_messages
    else:
        read = {".md": markdown_blocks, ".py": python_blocks}.get(path.suffix, c_blocks)
    for line, block in read(text):
        words = plain(block)
        if len(re.findall(r"[A-Za-z]{2,}", words)) >= 3 and "clang-format" not in words:
            yield line, words


def sentences(text):
    parts = re.split(r"(?<=[.?!])[\"')]* +(?=[A-Z0-9\"'(]|code\b)", text)
    return [part for part in parts if re.search(r"[A-Za-z]", part)]


def words_of(text):
    return len(re.findall(r"[A-Za-z0-9][\w'./-]*", text))


def count(blocks):
    """Counts per 1,000 words, and words per sentence."""
    words = total = 0
    found = dict.fromkeys(PATTERNS, 0)
    for _, text in blocks:
        words += words_of(text)
        total += len(sentences(text))
        for kind, pattern in PATTERNS.items():
            found[kind] += len(pattern.findall(text))
    rates = {kind: 1000 * number / max(words, 1) for kind, number in found.items()}
    return {**rates, "sentence": words / max(total, 1), "words": words}


def files_of(root, group):
    for pattern in GROUPS[group]:
        for path in sorted(root.glob(pattern)):
            name = path.relative_to(root)
            if "data" in name.parts or str(name) in GENERATED or group == MESSAGES and NO_MESSAGES.match(path.name):
                continue
            yield path


def places(kind, path, group=""):
    for line, text in blocks_of(path, group):
        for sentence in sentences(text):
            if words_of(sentence) > LONG if kind == "long" else PATTERNS[kind].search(sentence):
                yield line, sentence


def read_limits(text):
    """group -> column -> limit, from the lines of language.tsv."""
    rows = [line.split() for line in text.splitlines() if line and line[0] != "#"]
    return {row[0]: dict(zip(COLUMNS, map(float, row[1:]))) for row in rows}


def counts_of(root):
    return {group: count(b for path in files_of(root, group) for b in blocks_of(path, group))
            for group in GROUPS}


def above(counts, limits):
    """A complaint for each count that is above its limit."""
    for group, row in counts.items():
        for column in COLUMNS:
            limit = limits.get(group, {}).get(column)
            if limit is None:
                yield f"{group}: no limit for {column}"
            elif row[column] > limit:
                yield f"{group}: {row[column]:.2f} {column} is above the limit of {limit:.2f} (docs/style.md)"


def lower(counts, limits):
    """The limits as they are, or a little above a count that is lower still: the next change has some room."""
    for group, row in counts.items():
        near = {column: math.ceil(max(102 * row[column], 100 * row[column] + ROOM)) / 100 for column in COLUMNS}
        old = limits.get(group, near)
        yield group, {column: min(old.get(column, near[column]), near[column]) for column in COLUMNS}


def write_limits(counts, limits):
    comment = "".join(line + "\n" for line in LIMITS.read_text().splitlines() if line.startswith("#"))
    rows = ["\t".join([group] + [f"{row[c]:.2f}" for c in COLUMNS]) for group, row in lower(counts, limits)]
    LIMITS.write_text(comment + "\n".join(rows) + "\n")


def show(root, kind, name, group):
    target = root / name
    found = sorted(p for p in target.glob("**/*") if p.suffix in SUFFIXES) if target.is_dir() else [target]
    for path in found:
        for line, sentence in places(kind, path, group):
            print(f"{path.relative_to(root)}:{line}: {sentence}")


def show_files(root, kind):
    rows = [(sum(1 for _ in places(kind, path, group)), path, f" ({group})" * (group in (MESSAGES, TABLES)))
            for group in GROUPS for path in files_of(root, group)]
    for number, path, where in sorted(rows, reverse=True)[:60]:
        print(f"{number:6} {path.relative_to(root)}{where}")


def check(root):
    """0 when no count is above its limit."""
    counts, limits = counts_of(root), read_limits(LIMITS.read_text())
    print(f"{'':10}{'words':>9}" + "".join(f"{c + ', limit':>20}" for c in COLUMNS))
    for group, row in counts.items():
        numbers = "".join(f"{row[c]:12.2f}{limits.get(group, {}).get(c, 0):8.2f}" for c in COLUMNS)
        print(f"{group:10}{row['words']:9}{numbers}")
    complaints = list(above(counts, limits))
    print("\n".join(complaints))
    return 1 if complaints else 0


def main(arguments):
    root, *rest = pathlib.Path(arguments[0]).resolve(), *arguments[1:]
    if rest[:1] == ["--show"]:
        show(root, rest[1], rest[2], rest[3][2:] if rest[3:] else "")
    elif rest[:1] == ["--files"]:
        show_files(root, rest[1])
    elif rest[:1] == ["--lower"]:
        write_limits(counts_of(root), read_limits(LIMITS.read_text()))
    else:
        return check(root)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
