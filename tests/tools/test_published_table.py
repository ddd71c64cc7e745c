#!/usr/bin/env python3
"""tools/published_table.py: files of auto-tuners become tables for published kernels."""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.environ["SUBCORE_ROOT"], "tests", "cli"))
from harness import ROOT, main  # pylint: disable=wrong-import-position

LINES = """# from somewhere
set,gpu,kernel,parameters,grid_x,grid_y,grid_z,block_x,block_y,registers,time_us,inst_executed,id
conv,RTX 2080 Ti,f,"A=1 B=2",64,8,1,32,4,40,12.5,900,x1
conv,RTX 2080 Ti,f,A=2 B=2,64,8,1,32,4,40,,,x2
"""


def convert(*words):
    """The rows of the table that LINES give, and the program's output."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "in.csv").write_text(LINES, encoding="utf-8")
        result = subprocess.run([sys.executable, ROOT / "tools/published_table.py", folder / "in.csv", "-o",
                                 folder / "out.csv", *words], capture_output=True, text=True, check=False, timeout=60)
        if result.returncode:
            return None, result.stderr
        with open(folder / "out.csv", encoding="utf-8", newline="") as out:
            return list(csv.DictReader(out)), result.stdout


def test_columns_are_filled_by_templates():
    rows, said = convert("--gpu", "RTX 2080 Ti=rtx-2080-ti", "--column", "cubin={id}.cubin", "--column", "source=me")
    assert rows == [{"set": "conv", "gpu": "rtx-2080-ti", "cubin": "x1.cubin", "kernel": "f",
                     "parameters": "A=1 B=2", "registers": "40", "grid": "64 8 1", "block": "32 4",
                     "time_us": "12.5", "smsp__inst_executed.sum": "900", "source": "me"}], rows
    assert said == "1 rows; 1 without a time are left out\n", said


def test_an_empty_template_drops_a_column():
    rows, _ = convert("--column", "cubin={id}", "--column", "registers=")
    assert "registers" not in rows[0] and rows[0]["gpu"] == "RTX 2080 Ti", rows


def test_what_nothing_fills_is_named():
    assert convert() == (None, "published_table: nothing fills cubin; add --column NAME=TEMPLATE\n")
    assert convert("--column", "cubin={none}")[1] == \
        "published_table: --column cubin: the file has no column none\n"


if __name__ == "__main__":
    main(globals())
