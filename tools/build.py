#!/usr/bin/env python3
"""Builds quietly: build.py FOLDER [OPTION...] [-- TARGET...].

Sets the folder up with Meson and the options, unless that has been done, and builds the targets, or all. On a terminal
Ninja's status is one line. Elsewhere a line stands for a tenth of the steps. The output of a command is printed
whole."""
import os
import re
import subprocess
import sys

STATUS = re.compile(r"\[(\d+)/(\d+)\] ")


def set_up(folder, options):
    if os.path.exists(os.path.join(folder, "build.ninja")):
        return 0
    print(f"Setting up {folder}", flush=True)
    result = subprocess.run(["meson", "setup", folder, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, check=False)
    if result.returncode:
        print(result.stdout, end="", flush=True)
    return result.returncode


def build(folder, targets):
    command = ["ninja", "-C", folder, *targets]
    if sys.stdout.isatty():
        return subprocess.call(command)
    environment = {**os.environ, "NINJA_STATUS": "[%f/%t] "}
    shown = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace", env=environment) as ninja:
        for line in ninja.stdout:
            match = STATUS.match(line)
            if not match:
                print(line, end="", flush=True)
                continue
            done, total = map(int, match.groups())
            if 10 * done // total > shown:
                shown = 10 * done // total
                print(f"{folder}: {10 * shown} % of {total} steps", flush=True)
    return ninja.returncode


def main(folder, *words):
    split = words.index("--") if "--" in words else len(words)
    try:
        return set_up(folder, words[:split]) or build(folder, words[split + 1 :])
    except KeyboardInterrupt:
        return 130


sys.exit(main(*sys.argv[1:]))
