#!/usr/bin/env python3
"""The commands that README.md and docs/*.md print: their options, configuration keys and GPUs exist, those that
simulate nothing run, and git ignores the files that they produce in this folder."""
import pathlib
import re
import shlex
import shutil
import subprocess

from harness import ROOT, SUBCORE, main, subcore, succeeds

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
QUICK = ("config", "gpus", "isa", "area", "help")   # they simulate nothing
OUTPUTS = ("output", "csv", "json", "html", "perfetto", "kanata", "plot", "report", "record", "write",
           "schedule-out")
PROGRAMS = ("subcore", "nvcc", "validate-gpu", "ncu", "cp")
OPTION = re.compile(r"""X\(\w+, "([\w-]+)", (?:'(\w)'|0), "([^"]*)",""")


def blocks(text):
    """The lines of code blocks, fenced or indented, with continued ones joined."""
    fenced, joined = False, ""
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            joined += line.strip()
            if joined.endswith("\\"):
                joined = joined[:-1]
                continue
            yield joined
            joined = ""


def commands_of(line):
    """The commands in a line of shell, each with the file that its output is redirected to."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|>")
    lexer.whitespace_split = True
    try:
        words = iter(lexer)
        commands = [([], [])]
        for word in words:
            if word == "|":
                commands.append(([], []))
            else:
                commands[-1][word == ">"].append(next(words, "") if word == ">" else word)
    except ValueError:   # a quotation mark of a sentence
        return []
    return commands


def printed(sentences=False):
    """(document, program, words, redirections) of each command in a block and, if wanted, in a sentence."""
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        lines = re.findall(r"`((?:build/)?subcore [a-z][^`\n]*)`", text) if sentences else []
        for line in [*blocks(text), *lines]:
            for words, files in commands_of(line):
                words = [word for word in words if not word.endswith("...")]
                program = pathlib.Path(words[0]).name if words else ""
                if program in PROGRAMS and len(words) > 1 and (program != "subcore" or words[1].islower()):
                    yield path.name, program, words[1:], files


def subcores(sentences=False):
    return [(path, words) for path, program, words, _ in printed(sentences) if program == "subcore"]


def given(words):
    """The options of a command line as (name, value or None), and its operands."""
    table = {name: (letter, value) for name, letter, value in OPTION.findall(
        (ROOT / "src/cli/options.def").read_text(encoding="utf-8"))}
    known = {}
    for name in re.findall(r"^  (?:-\w, |    )--([\w-]+)", succeeds("help", words[0]), re.M):
        known["--" + name] = known["-" + table[name][0]] = name
    options, operands, rest = [], [], iter(words[1:])
    for word in rest:
        if word == "--" or (operands and words[0] == "exec"):
            break
        if not word.startswith("-") or word == "-":
            operands.append(word)
            continue
        option, _, value = word.partition("=")
        assert option in known, f"{words}: there is no option {option}"
        name = known[option]
        options.append((name, (value or next(rest, "")) if table[name][1] else None))
    return options, operands


def test_every_option_that_the_documents_print_exists():
    seen = set()
    for path, words in subcores(sentences=True):
        try:
            given(words)
        except AssertionError as error:
            raise AssertionError(f"{path}: {error}") from error
        seen.add(words[0])
    assert len(seen) > 15, seen


def test_every_gpu_and_key_that_the_documents_print_is_accepted(folder):
    count = 0
    for path, words in subcores(sentences=True):
        options, operands = given(words)
        gpu = next((value for name, value in options if name == "gpu"), "rtx-a6000")
        gpu = operands[0] if words[0] == "config" and operands else gpu
        settings = [word for name, value in options if name == "set" for word in ("--set", value)]
        if gpu.isupper():   # stands for a name
            continue
        if gpu.endswith(".toml"):
            (folder / gpu).write_text('inherits = "rtx-a6000"\n', encoding="utf-8")
            gpu = folder / gpu
        for one in str(gpu).split(","):   # several are compared
            result = subcore("config", one, *settings)
            assert result.returncode == 0, (path, words, result.stderr)
        count += len(settings) // 2
    assert count >= 5, count


def test_commands_that_simulate_nothing_run_as_they_are_printed(folder):
    count = 0
    for name in ("my.toml", "my-gpu.toml"):
        (folder / name).write_text('inherits = "h200"\n[gpu]\nclock = 1000\n', encoding="utf-8")
    for path, words in subcores():
        if words[0] in QUICK or words[1:] == ["--list"] or words in (["experiment"], ["study"]):
            result = subprocess.run([SUBCORE, *words], capture_output=True, text=True, timeout=60, check=False,
                                    cwd=folder)
            assert result.returncode == (1 if "--diff" in words else 0), (path, words, result.stderr)
            count += 1
    assert count > 20, count


def produced():
    """Files and folders that the documents' commands write where they run."""
    for path, program, words, files in printed():
        found = list(files)
        if program == "subcore":
            options, _ = given(words)
            found += [value for name, value in options if name in OUTPUTS]
            found += [value.partition(":")[0] for name, value in options if name == "save"]
            found += [value.partition(">")[2] for name, value in options if name == "arg"]
        else:
            found += [value for name, value in zip(words, words[1:]) if name in ("-o", "--csv", "--rows", "--log-file")]
            found += words[-1:] if program == "cp" else []
        yield from ((path, name) for name in found if name and not name.startswith(("-", "/")))


def git(*words, text=None):
    return subprocess.run(["git", *words], input=text, cwd=ROOT, capture_output=True, text=True, check=False).stdout


def test_git_ignores_what_the_documents_produce():
    if not shutil.which("git") or not git("rev-parse", "--git-dir"):
        return
    names = {name for _, name in produced()}
    assert len(names) > 20, names
    names |= {"saxpy.trace", "saxpy.trace.2", "app.trace", "a.out"}              # by default
    asked = names | {name + "/x" for name in names}   # some are folders
    ignored = set(git("check-ignore", "--no-index", "--stdin", text="\n".join(sorted(asked))).splitlines())
    missing = {name for name in names if not {name, name + "/x"} & ignored}
    assert not missing, sorted(missing)
    assert git("ls-files", "-ci", "--exclude-standard") == ""


def test_the_map_names_every_document_once_and_no_other():
    named = re.findall(r"\]\(([\w.-]+\.md)\)", (ROOT / "docs" / "README.md").read_text(encoding="utf-8"))
    pages = [path.name for path in (ROOT / "docs").glob("*.md") if path.name != "README.md"]
    assert sorted(named) == sorted(pages), set(named) ^ set(pages)


def test_every_link_to_a_file_leads_to_one():
    for path in [*DOCUMENTS, *ROOT.glob("*.md")]:
        text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.S)
        for target in re.findall(r"\]\(([^)\s#]+)(?:#[^)\s]*)?(?:\s+\"[^\"]*\")?\)", text):
            assert "://" in target or (path.parent / target).exists(), (path.name, target)


def test_the_first_page_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 110


if __name__ == "__main__":
    main(globals())
