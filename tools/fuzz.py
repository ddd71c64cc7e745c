#!/usr/bin/env python3
"""Runs the fuzz targets of a build one after another: fuzz.py FOLDER (--each SECONDS | --total SECONDS) [TARGET...].

FOLDER is a build folder with -Dfuzz=true. A target begins with its inputs in tests/fuzz/corpus and with those that
earlier runs have found, which FOLDER/fuzz keeps beside logs and failing inputs. The random numbers are the same in
every run. The exit status is 1 when an input fails. The other targets run all the same."""
import argparse
import pathlib
import re
import subprocess
import sys

CORPUS = pathlib.Path(__file__).parent.parent / "tests/fuzz/corpus"
OPTIONS = ["-seed=1", "-max_len=65536", "-timeout=10", "-rss_limit_mb=2560", "-print_final_stats=1"]


def fuzz(program, seconds, out):
    """Whether no input failed."""
    name = program.name.removeprefix("fuzz_")
    found, log, seeds = out / name, out / f"{name}.log", CORPUS / name
    found.mkdir(parents=True, exist_ok=True)
    command = [program, f"-max_total_time={seconds}", f"-artifact_prefix={out}/{name}-", *OPTIONS, found, *[seeds] *
               seeds.is_dir()]
    with open(log, "w", encoding="utf-8") as file:
        status = subprocess.call(list(map(str, command)), stdout=file, stderr=subprocess.STDOUT)
    text = log.read_text(encoding="utf-8", errors="replace")
    runs = re.search(r"stat::number_of_executed_units:\s*(\d+)", text)
    if status == 0 and runs and int(runs[1]) > 0:
        print(f"{program.name}: {int(runs[1]):,} inputs in {seconds} s, none fails", flush=True)
        return True
    print(text, end="")
    print(f"{program.name}: FAILED, exit status {status}; the log is {log}, the input beside it", flush=True)
    return False


def main():
    parser = argparse.ArgumentParser(description="Runs the fuzz targets of a build.")
    parser.add_argument("folder", type=pathlib.Path)
    time = parser.add_mutually_exclusive_group(required=True)
    time.add_argument("--each", type=int, help="seconds for each target")
    time.add_argument("--total", type=int, help="seconds for all targets together")
    parser.add_argument("target", nargs="*")
    words = parser.parse_intermixed_args()
    programs = sorted(path for path in (words.folder / "tests/fuzz").glob("fuzz_*") if path.is_file())
    programs = [path for path in programs if not words.target or path.name.removeprefix("fuzz_") in words.target]
    if not programs:
        print(f"{words.folder}/tests/fuzz has no such fuzz target: 'make fuzz' builds them", file=sys.stderr)
        return 1
    seconds = words.each or max(1, words.total // len(programs))
    return 0 if all([fuzz(path, seconds, words.folder / "fuzz") for path in programs]) else 1


sys.exit(main())
