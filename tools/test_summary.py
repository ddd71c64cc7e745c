#!/usr/bin/env python3
"""Counts test cases: test_summary.py TESTLOG.json [STAGE...].

Reads the log of `meson test` and prints "N passed, N failed, N skipped". The cases inside a test program count one by
one; each STAGE is a failure that happened outside of it. The exit status is 1 when anything failed or nothing ran."""
import json
import pathlib
import re
import sys

CASE = re.compile(r"^(not )?ok \d+ - .*?(# SKIP.*)?$", re.MULTILINE)


def count_cases(entry):
    """Passed, failed and skipped cases of one test program."""
    passed = failed = skipped = 0
    good = entry["result"] in ("OK", "EXPECTEDFAIL", "SKIP")
    for bad, skip in CASE.findall(entry.get("stdout") or ""):
        skipped += bool(skip)
        failed += bool(bad) and not skip
        passed += not bad and not skip
    if not good and not failed:
        failed = 1   # crashed, timed out, or a test without cases
    elif good and not passed + skipped:
        passed, skipped = (0, 1) if entry["result"] == "SKIP" else (1, 0)
    return passed, failed, skipped


def main(log, *stages):
    path = pathlib.Path(log)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    counts = [count_cases(json.loads(line)) for line in lines]
    passed, failed, skipped = map(sum, zip(*counts)) if counts else (0, 1, 0)
    failed += len(stages)
    for stage in stages:
        print(f"failed: {stage}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


sys.exit(main(*sys.argv[1:]))
