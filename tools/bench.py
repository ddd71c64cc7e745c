#!/usr/bin/env python3
"""Runs the speed suite and compares it with the last entry of its history.

usage: bench.py PROGRAM HISTORY [--save] [--gpu NAME] [--repeat N] [WORKLOAD...]

PROGRAM is subcore_bench. It runs with one thread and with two; beside each rate stands the change against the newest
row of HISTORY for the same workload, GPU, mode and number of threads. Rates depend on the machine and on its other
work: a row says on which host it was taken, and a change against another host is marked with *. --save appends the
rows."""
import argparse
import csv
import datetime
import os
import pathlib
import subprocess
import sys

COLUMNS = ["date", "commit", "host", "workload", "gpu", "mode", "threads", "instructions", "cycles", "seconds",
           "processor_seconds", "instructions_per_second", "sm_cycles_per_second", "bytes_per_instruction"]
KEY = ["workload", "gpu", "mode", "threads"]


def host_name():
    """The processor and how many of it there are: a rate depends on these most."""
    model = "unknown processor"
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return f"{model} x {os.cpu_count()}".replace(",", " ")


def commit(folder):
    run = subprocess.run(["git", "-C", folder, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return run.stdout.strip() if run.returncode == 0 else ""


def history(path):
    """The newest row of each key."""
    last = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            last[tuple(row[k] for k in KEY)] = row
    return last


def measure(program, threads, arguments):
    command = [program, "--csv", "--gpu", arguments.gpu, "--threads", str(threads), "--repeat", str(arguments.repeat)]
    with subprocess.Popen(command + arguments.workload, stdout=subprocess.PIPE, text=True) as run:
        yield from csv.DictReader(run.stdout)
    if run.returncode:
        sys.exit(f"bench.py: {' '.join(command)} ended with status {run.returncode}")


def change(row, before):
    if not before:
        return "new"
    now, then = float(row["instructions_per_second"]), float(before["instructions_per_second"])
    text = f"{100 * (now / then - 1):+.0f} %" if then else "?"
    return text + ("" if before["host"] == row["host"] else " *")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("history")
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--gpu", default="a100")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("workload", nargs="*")
    arguments = parser.parse_args()
    last, rows, one = history(arguments.history), [], {}
    stamp = {"date": datetime.date.today().isoformat(), "commit": commit(pathlib.Path(__file__).parent),
             "host": host_name()}
    print(f"{'workload':10} {'gpu':10} {'mode':10} {'threads':>7} {'warp inst':>10} {'cycles':>9} {'seconds':>8} "
          f"{'inst/s':>11} {'change':>9} {'2 threads':>9} {'B/inst':>6}")
    for threads in (1, 2):
        for row in measure(arguments.program, threads, arguments):
            row.update(stamp)
            rows.append(row)
            pair = (row["workload"], row["mode"])
            rate = float(row["instructions_per_second"])
            one.setdefault(pair, rate)
            gain = f"x {rate / one[pair]:.2f}" if threads > 1 else ""
            print(f"{row['workload']:10} {row['gpu']:10} {row['mode']:10} {row['threads']:>7} "
                  f"{row['instructions']:>10} {row['cycles']:>9} {float(row['seconds']):8.3f} {rate:11,.0f} "
                  f"{change(row, last.get(tuple(row[k] for k in KEY))):>9} {gain:>9} {row['bytes_per_instruction']:>6}",
                  flush=True)
    if arguments.save:
        with open(arguments.history, "a", newline="") as file:
            csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n").writerows(rows)
        print(f"{len(rows)} rows added to {arguments.history}")


if __name__ == "__main__":
    main()
