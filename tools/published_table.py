#!/usr/bin/env python3
"""Turns a CSV of kernels that others measured into a table for `subcore validate published`.

    published_table.py FILE.csv -o TABLE.csv --gpu 'RTX 2080 Ti=rtx-2080-ti' --column 'cubin={name}.cubin'

Each column of the table is a template over columns of the file: `{registers}` stands for the field of that name, other
characters for themselves. --column NAME=TEMPLATE adds one or replaces it, and an empty template drops it. Without
--column the templates are those of LAYOUT, for auto-tuning results; of these only the ones that the file has columns
for are written. docs/validation.md, section "Kernels that others measured", lists the columns of the table."""
import argparse
import csv
import re
import sys

LAYOUT = {
    "set": "{set}",
    "gpu": "{gpu}",
    "cubin": "{cubin}",
    "kernel": "{kernel}",
    "parameters": "{parameters}",
    "registers": "{registers}",
    "grid": "{grid_x} {grid_y} {grid_z}",
    "block": "{block_x} {block_y}",
    "shared": "{dynamic_shared_bytes}",
    "arguments": "{arguments}",
    "clock_mhz": "{clock_mhz}",
    "time_us": "{time_us}",
    "sm_cycles_active": "{sm_cycles_active}",
    "smsp__inst_executed.sum": "{inst_executed}",
    "smsp__issue_active.avg.pct_of_peak_sustained_active": "{issue_active_pct}",
    "smsp__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active": "{fma_pipe_active_pct}",
    "smsp__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active": "{xu_pct}",
    "smsp__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active": "{lsu_pct}",
    "smsp__inst_executed_pipe_tex.avg.pct_of_peak_sustained_active": "{tex_pct}",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "{warps_active_pct}",
    "smsp__thread_inst_executed_per_inst_executed.ratio": "{lanes_per_inst}",
    "dram__sectors_read.sum": "{dram_sectors_read}",
    "dram__sectors_write.sum": "{dram_sectors_write}",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": "{dram_pct}",
    "lts__t_sectors_op_read.sum": "{l2_sectors_read}",
    "lts__t_sectors_op_write.sum": "{l2_sectors_write}",
    "lts__t_sectors.avg.pct_of_peak_sustained_elapsed": "{l2_pct}",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": "{shared_load_wavefronts}",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": "{shared_store_wavefronts}",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "{global_load_requests}",
    "source": "{source}",
}
NEEDED = ("set", "gpu", "cubin", "kernel", "grid", "block")
FIELD = re.compile(r"\{([^{}]+)\}")


def pairs(words, what):
    """NAME=VALUE words as a dictionary."""
    result = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not name or not sign:
            sys.exit(f"published_table: {what} '{word}' is not NAME=VALUE")
        result[name] = value
    return result


def templates(given, columns):
    """The columns of the table: those of LAYOUT that the file can fill, and those of the command line."""
    chosen = {name: text for name, text in LAYOUT.items() if set(FIELD.findall(text)) <= set(columns)}
    for name, text in given.items():
        missing = [field for field in FIELD.findall(text) if field not in columns]
        if missing:
            sys.exit(f"published_table: --column {name}: the file has no column {', '.join(missing)}")
        chosen[name] = text
    lacking = [name for name in NEEDED if not chosen.get(name)]
    if lacking:
        sys.exit(f"published_table: nothing fills {', '.join(lacking)}; add --column NAME=TEMPLATE")
    return {name: text for name, text in chosen.items() if text}


def convert(source, out, columns, gpus):
    """Returns how many rows were written, and how many have no time and no cycles."""
    reader = csv.DictReader(line for line in source if not line.startswith("#"))
    chosen = templates(columns, reader.fieldnames or [])
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(chosen)
    written = left_out = 0
    for row in reader:
        fields = {name: FIELD.sub(lambda match, row=row: (row[match.group(1)] or "").strip(), text).strip()
                  for name, text in chosen.items()}
        fields["gpu"] = gpus.get(fields["gpu"], fields["gpu"])
        if not any(fields.get(name) for name in ("sm_cycles_active", "cycles", "time_us")):
            left_out += 1
            continue
        writer.writerow(fields.values())
        written += 1
    return written, left_out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("-o", "--output", required=True, help="the table to write")
    parser.add_argument("--column", action="append", default=[], metavar="NAME=TEMPLATE")
    parser.add_argument("--gpu", action="append", default=[], metavar="THEIRS=OURS",
                        help="the subcore name of a GPU of the file")
    options = parser.parse_args()
    with open(options.file, encoding="utf-8", newline="") as source, \
            open(options.output, "w", encoding="utf-8", newline="") as out:
        written, left_out = convert(source, out, pairs(options.column, "--column"), pairs(options.gpu, "--gpu"))
    print(f"{written} rows" + (f"; {left_out} without a time are left out" if left_out else ""))


if __name__ == "__main__":
    main()
