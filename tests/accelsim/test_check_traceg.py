#!/usr/bin/env python3
"""tools/check_traceg.py accepts a good trace, and names the mistake in each of many bad ones."""
import gzip
import lzma
import os
import pathlib
import subprocess
import sys
import tempfile

CHECKER = os.path.join(os.environ["SUBCORE_ROOT"], "tools/check_traceg.py")

HEADER = """-kernel name = k
-kernel id = 1
-grid dim = (2,1,1)
-block dim = (40,1,1)
-shmem = 64
-nregs = 16
-binary version = 80
-cuda stream id = 0
-shmem base_addr = 0x00007f0000000000
-local mem base_addr = 0x00007f0001000000
-nvbit version = 1.7.1
-accelsim tracer version = 5
-enable lineinfo = 0

#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] ...

"""
WARP_0 = """warp = 0
insts = 4
0000 ffffffff 1 R1 MOV 0 0 0
0010 0000000f 1 R8 LDG.E.64 1 R6 8 1 0x7f1000000000 8 0
0020 00000015 0 STS 2 R4 R8 4 2 0x0 8 16 0
0030 ffffffff 0 EXIT 0 0 0

"""
WARP_1 = """warp = 1
insts = 3
0010 00000000 1 R8 LD.E 1 R6 4 1 0x0 0 0
0010 000000f0 0 EXIT 0 0 0
0030 0000000f 0 EXIT 0 0 0

"""


def cta(x, body=WARP_0 + WARP_1):
    return f"#BEGIN_TB\n\nthread block = {x},0,0\n\n{body}#END_TB\n\n"


GOOD = HEADER + cta(0) + cta(1)
LIST = "MemcpyHtoD,0x00007f1000000000,4096\nkernel-1.traceg\n"

# The text to replace, its replacement, and the complaint that must follow.
BAD = [
    ("-nregs = 16\n", "", "without nregs"),
    ("-nregs = 16", "-nregs = many", "'many' for 'nregs'"),
    ("-nregs = 16", "-nregs = 16\n-nregs = 16", "a second time"),
    ("-shmem = 64", "-smem = 64", "the header has 'smem'"),
    ("version = 5", "version = 7", "'7' for 'accelsim tracer version'"),
    ("version = 5", "version = 6", "not 'cluster id = 0,0,0'"),
    ("0x00007f0001000000", "0x00007d0001000000", "is not behind"),
    ("thread block = 0", "thread block = 1", "'thread block = 0,0,0'"),
    ("warp = 1", "warp = 2", "'warp = 1'"),
    ("insts = 4", "insts = 5", "1 instructions of the warp are missing"),
    ("insts = 4", "insts = 3", "have not exited"),
    ("0030 ffffffff 0 EXIT", "0030 7fffffff 0 EXIT", "lanes 80000000 have not exited"),
    ("0030 0000000f 0 EXIT", "0030 000000ff 0 EXIT", "mask 000000ff, but only 0000000f"),
    ("0000 ffffffff 1 R1", "0x00 ffffffff 1 R1", "PC '0x00'"),
    ("0000 ffffffff 1 R1", "0000 ffffffff 2 R1 R2", "2 destinations"),
    ("0000 ffffffff 1 R1", "0000 ffffffff 1 UR1", "destination 'UR1'"),
    ("MOV 0 0 0", "MOV 5 R1 R2 R3 R4 R5 0 0", "5 sources"),
    ("MOV 0 0 0", "MOV 0 0", "before its immediate"),
    ("MOV 0 0 0", "MOV 0 0 0 0", "'0' behind the end"),
    ("MOV 0 0 0", "mov 0 0 0", "opcode 'mov'"),
    ("MOV 0 0 0", "MOV 1 R256 0 0", "source 'R256'"),
    ("R6 8 1", "R6 4 1", "width 4 of LDG.E.64, which says 8"),
    ("R6 8 1 0x7f1000000000 8 0", "R6 0 0", "LDG.E.64 without addresses"),
    ("0010 0000000f 1 R8", "0010 0000000d 1 R8", "not one run"),
    ("0010 0000000f 1 R8", "0010 00000001 1 R8", "one active lane with a stride"),
    ("2 0x0 8 16 0", "2 0x0 8 8 0", None),
    ("0020 00000015", "0020 00000007", None),
    ("0020 00000015 0 STS 2 R4 R8 4 2 0x0 8 16 0", "0020 00000007 0 STS 2 R4 R8 4 2 0x0 8 8 0", "one stride says it"),
    ("2 0x0 8 16 0", "2 0x0 8 0", "before its immediate"),
    ("2 0x0 8 16 0", "2 0x0 8 2000 0", "of 64 bytes shared memory"),
    ("2 0x0 8 16 0", "3 0x0 8 16 0", "3 address mode"),
    ("1 0x0 0 0", "1 0x10 0 0", "no active lane"),
    ("insts = 3\n0010 00000000 1 R8 LD.E 1 R6 4 1 0x0 0 0\n0010 000000f0 0 EXIT 0 0 0\n0030 0000000f 0 EXIT 0 0 0\n",
     "insts = 0\n", "without an instruction"),
    ("#END_TB\n\n#BEGIN_TB", "#BEGIN_TB", "not '#END_TB'"),
    (cta(1), "", "not '#BEGIN_TB'"),
    (cta(1), cta(1) + cta(2), "behind the last CTA"),
    (GOOD, GOOD.rstrip("\n"), "the line does not end"),
]


SIX = (HEADER.replace("version = 5", "version = 6").replace("(40,1,1)", "(32,1,1)")
       .replace("version = 80", "version = 90").replace("-shmem =", "-cluster dim = (2,1,1)\n-shmem ="))
SIX_LINES = """0000 ffffffff 1 UR4 S2UR 0 0 0 NoVal
0010 00000001 0 SYNCS.EXCH.64 2 R255 UR4 8 2 0x400 0 Val 1 400 1 7ffff800001ffffe
0020 00000001 0 SYNCS.ARRIVE.TRANS64 2 R14 R12 4 2 0x1000400 0 Val 1 1000400 1 8000
0030 00000001 0 UTMALDG.2D.MULTICAST 3 UR12 UR8 UR4 32 0x400 1 0x3 64 0 4 0x700000028100 2 32 0 NoVal Subcore path=1
0040 ffffffff 1 R24 HGMMA.64x8x16.F32 3 R24 UR12 UP0 1 0 0 NoVal
0050 ffffffff 1 R3 BAR.SYNC 1 R4 0 64 0 Val 1 3 1 40
0060 ffffffff 0 BAR.SYNC 0 0 2 64 NoVal
0070 ffffffff 1 P0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R14 R2 4 1 0x400 0 0 Val 1 0 1 400 1 80000000
0080 ffffffff 0 EXIT 0 0 0 NoVal
"""


def cta_6(x):
    return (f"#BEGIN_TB\n\nthread block = {x},0,0\ncluster id = 0,0,0\ncluster cta = {x},0,0\ncluster rank = {x}\n\n"
            f"warp = 0\ninsts = 9\n{SIX_LINES}\n#END_TB\n\n")


GOOD_6 = SIX + cta_6(0) + cta_6(1)
BAD_6 = [
    ("dim = (2,1,1)\n-shmem", "dim = (3,1,1)\n-shmem", "no multiple of its clusters"),
    ("cluster rank = 1", "cluster rank = 0", "not 'cluster rank = 1'"),
    ("1 UR4 S2UR", "1 X4 S2UR", "destination 'X4'"),
    ("S2UR 0 0 0 NoVal", "S2UR 0 0 0", "before its NoVal or Val"),
    ("S2UR 0 0 0 NoVal", "S2UR 0 0 0 1 2 NoVal", "'2', not NoVal or Val"),
    ("S2UR 0 0 0 NoVal", "S2UR 0 0 0 NoVal more", "'more' behind the end"),
    ("7ffff800001ffffe", "1ffffe", "the new object 1ffffe"),
    ("TRANS64 2 R14", "TRANS64.A2T0 2 R14", "an arrival SYNCS.ARRIVE.TRANS64.A2T0"),
    ("0 Val 1 1000400 1 8000", "0 NoVal", "without the values of two sources"),
    ("0 Val 1 1000400 1 8000", "0 Val 1 1000400 2 8000 1", "2 values of a register"),
    ("SYNCS.PHASECHK.TRANS64.TRYWAIT 2", "SYNCS.LD 2", None),
    ("1 0x3 64 0", "1 0x5 64 0", "targets 5 in a cluster of 2"),
    ("1 0x3 64 0", "1 0x3 65 0", "65 bytes in 2 places of 32"),
    ("0 4 0x700000028100 2 32", "0 3 2 0x700000028100 0x700000028120", "a mode other than 4"),
    ("00000001 0 UTMALDG", "00000000 0 UTMALDG", "places without an active lane"),
    ("64x8x16", "F16", "the shape of HGMMA.F16.F32"),
    ("UP0 1 0 0", "UP0 2 0 0", "2 group"),
    ("Val 1 3 1 40", "Val 1 10 1 40", "barrier 16"),
    ("0 0 2 64 NoVal", "0 0 17 64 NoVal", "barrier 17"),
]


def a_good_trace_of_version_6_is_accepted(folder):
    write(folder, GOOD_6)
    result = check(folder)
    assert (result.returncode, result.stderr) == (0, ""), result
    assert result.stdout == "kernel-1.traceg: instructions=18 addresses=68 other=6\n", result.stdout


def each_fault_of_version_6_is_named(folder):
    for old, new, wanted in BAD_6:
        assert old in GOOD_6, old
        write(folder, GOOD_6.replace(old, new, 1))
        result = check(folder)
        assert result.returncode == (1 if wanted else 0), (old, new, result)
        assert wanted is None or wanted in result.stderr, (old, new, result.stderr)


def check(folder):
    return subprocess.run([sys.executable, CHECKER, folder / "kernelslist.g"], capture_output=True, text=True,
                          check=False)


def write(folder, text, commands=LIST):
    (folder / "kernel-1.traceg").write_text(text)
    (folder / "kernelslist.g").write_text(commands)


def a_good_trace_is_accepted(folder):
    write(folder, GOOD)
    result = check(folder)
    assert (result.returncode, result.stderr) == (0, ""), result
    assert result.stdout == "kernel-1.traceg: instructions=14 addresses=14 global=2 shared=2\n", result.stdout


def packed_files_are_read(folder):
    for ending, pack in ((".xz", lzma.compress), (".gz", gzip.compress)):
        (folder / f"kernel-1.traceg{ending}").write_bytes(pack(GOOD.encode()))
        (folder / "kernelslist.g").write_text(f"kernel-1.traceg{ending}\n")
        assert check(folder).returncode == 0, ending


def each_fault_is_named(folder):
    for old, new, wanted in BAD:
        assert old in GOOD, old
        write(folder, GOOD.replace(old, new, 1))
        result = check(folder)
        assert result.returncode == (1 if wanted else 0), (old, new, result)
        assert wanted is None or wanted in result.stderr, (old, new, result.stderr)
        assert wanted is None or f"{folder}/kernel-1.traceg:" in result.stderr, result.stderr


def a_bad_list_is_named(folder):
    for commands in ("", "kernel-1.tracex\n", LIST + "MemcpyHtoD,0x10\n", LIST.rstrip("\n")):
        write(folder, GOOD, commands)
        result = check(folder)
        assert result.returncode == 1 and "kernelslist.g" in result.stderr, (commands, result)


def a_list_that_ends_with_a_copy_is_named(folder):
    copy = "MemcpyHtoD,0x00007f1000000000,4\n"
    for commands, line in ((LIST + copy, 3), (LIST + copy + copy, 4), (LIST + copy + "\n\n", 3)):
        write(folder, GOOD, commands)
        result = check(folder)
        assert result.returncode == 1, (commands, result)
        wanted = f"{folder}/kernelslist.g:{line}: the last command is a copy, at which Accel-Sim aborts\n"
        assert result.stderr == wanted, (commands, result)
    write(folder, GOOD, LIST + copy + "kernel-1.traceg\n")
    assert check(folder).returncode == 0


def a_copy_that_accelsim_never_ends_is_named(folder):
    for size, code in ((2**32 - 32, 0), (2**32 - 31, 1)):
        write(folder, GOOD, f"MemcpyHtoD,0x00007f1000000000,{size}\nkernel-1.traceg\n")
        result = check(folder)
        assert result.returncode == code, result
        assert ("kernelslist.g:1: a copy of more than 4294967264 bytes" in result.stderr) == (code == 1), result


def a_missing_file_is_an_error_of_its_own(folder):
    (folder / "kernelslist.g").write_text("kernel-9.traceg\n")
    assert check(folder).returncode == 2
    (folder / "kernel-9.traceg.xz").write_bytes(b"no xz")
    (folder / "kernelslist.g").write_text("kernel-9.traceg.xz\n")
    assert check(folder).returncode == 2


def main():
    tests = [a_good_trace_is_accepted, packed_files_are_read, each_fault_is_named, a_bad_list_is_named,
             a_good_trace_of_version_6_is_accepted,
             each_fault_of_version_6_is_named, a_list_that_ends_with_a_copy_is_named,
             a_copy_that_accelsim_never_ends_is_named, a_missing_file_is_an_error_of_its_own]
    failed = 0
    print(f"1..{len(tests)}")
    for number, test in enumerate(tests, 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(pathlib.Path(folder))
                print(f"ok {number} - {test.__name__}")
            except AssertionError as error:
                print(f"# {error}\nnot ok {number} - {test.__name__}")
                failed += 1
    return 1 if failed else 0


sys.exit(main())
