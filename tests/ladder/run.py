#!/usr/bin/env python3
"""Runs one program of the ladder on each GPU: run.py PROGRAM SOURCE SUBCORE.

The head of the source says how, in comment lines:

    // functional: ARGUMENTS    a run of each GPU without timing; `detailed:` one with
    // stdout: TEXT             a line that the run before prints, all of them in order; `stdout~` has an expression
    // stderr~ EXPRESSION       a line of stderr has it
    // exit: STATUS             0 unless said; 77 means skipped in any case

Prints TAP. From the environment:

    LADDER_GPUS, LADDER_MODES   those to run, with blanks between
    LADDER_WRAP                 a command before the program, such as Valgrind with options
    LADDER_OPTIONS              further options of `subcore exec`
    LADDER_TIMEOUT              seconds for one run
"""
import os
import re
import shlex
import subprocess
import sys

GPUS = os.environ.get("LADDER_GPUS", "a100 rtx-a6000 h200 rtx-5080").split()
MODES = os.environ.get("LADDER_MODES", "functional detailed").split()
WRAP = shlex.split(os.environ.get("LADDER_WRAP", ""))
OPTIONS = shlex.split(os.environ.get("LADDER_OPTIONS", ""))
TIMEOUT = int(os.environ.get("LADDER_TIMEOUT", "200"))
SKIPPED = 77
SANITIZER = re.compile(r"ERROR: (Address|Leak|Thread)Sanitizer|: runtime error: ")


class Run:
    def __init__(self, mode, arguments):
        self.mode, self.arguments = mode, arguments.split()
        self.stdout, self.stderr, self.status = [], [], 0


def runs(source):
    found = []
    with open(source, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("//"):
                break
            match = re.match(r"// (functional|detailed|stdout|stderr|exit)([:~]) ?(.*)$", line)
            if not match:
                continue
            key, form, text = match.groups()
            if key in ("functional", "detailed"):
                found.append(Run(key, text))
            elif key == "exit":
                found[-1].status = int(text)
            else:
                getattr(found[-1], key).append(re.escape(text) if form == ":" else text)
    return [run for run in found if run.mode in MODES]


def complaints(run, status, stdout, stderr):
    """Returns the mistake in an answer."""
    if status != run.status:
        yield f"exit status {status}, not {run.status}"
    if run.stdout:
        lines = stdout.splitlines()
        if len(lines) != len(run.stdout):
            yield f"{len(lines)} lines of output, not {len(run.stdout)}"
        for number, (line, want) in enumerate(zip(lines, run.stdout), 1):
            if not re.fullmatch(want, line):
                yield f"line {number} of the output: {line!r} is not {want!r}"
                break
    for want in run.stderr:
        if not re.search(want, stderr):
            yield f"nothing on stderr has {want!r}"
    if SANITIZER.search(stderr):
        yield "a sanitizer complains"


def one(program, subcore, gpu, run):
    """(exit status, stdout, stderr) of a run."""
    mode = ["--functional"] if run.mode == "functional" else []
    command = [subcore, "exec", "--gpu", gpu, *mode, "--quiet", *OPTIONS, "--", *WRAP, program, *run.arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT)
    except subprocess.TimeoutExpired as expired:
        texts = [(text or b"").decode(errors="replace") for text in (expired.stdout, expired.stderr)]
        return f"none after {TIMEOUT} seconds", *texts
    return done.returncode, done.stdout, done.stderr


def main(program, source, subcore):
    if not os.path.exists(program):
        print("1..0 # SKIP not built: ninja ladder (needs nvcc)")
        return 0
    cases = [(run, gpu) for run in runs(source) for gpu in GPUS]
    print(f"1..{len(cases)}", flush=True)
    wrong = 0
    for number, (run, gpu) in enumerate(cases, 1):
        status, stdout, stderr = one(os.path.abspath(program), subcore, gpu, run)
        bad = [] if status == SKIPPED else list(complaints(run, status, stdout, stderr))
        title = " ".join([gpu, run.mode, *run.arguments])
        print(f"{'not ' if bad else ''}ok {number} - {title}{' # SKIP' if status == SKIPPED else ''}", flush=True)
        for line in bad and [*bad, *("| " + text for text in (stdout + stderr).splitlines()[-40:])]:
            print("# " + line)
        wrong += bool(bad)
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
