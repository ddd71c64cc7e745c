#!/usr/bin/env python3
"""Checks traces for Accel-Sim (text of version 3 to 5) against the format's grammar and the rules that its simulator
asserts: check_traceg.py kernelslist.g [...]

Written from the description of the format in docs/accelsim.md, apart from the simulator's own reader and writer. Each
complaint names file and line; a line of totals for each kernel goes to standard output. Exit status 1 when there are
complaints, 2 when a file cannot be read."""
import argparse
import gzip
import lzma
import pathlib
import re
import sys

HEADER = {
    "kernel name": r"(.+)",
    "kernel id": r"(\d+)",
    "grid dim": r"\((\d+),(\d+),(\d+)\)",
    "block dim": r"\((\d+),(\d+),(\d+)\)",
    "shmem": r"(\d+)",
    "nregs": r"(\d+)",
    "binary version": r"(\d+)",
    "cuda stream id": r"(\d+)",
    "shmem base_addr": r"0x([0-9a-f]+)",
    "local mem base_addr": r"0x([0-9a-f]+)",
    "nvbit version": r"(.+)",
    "accelsim tracer version": r"([345])",
    "enable lineinfo": r"([01])",
}
MEMORY = {"LD": "generic", "ST": "generic", "ATOM": "generic", "LDG": "global", "STG": "global", "LDGSTS": "global",
          "ATOMG": "global", "RED": "global", "LDL": "local", "STL": "local", "LDS": "shared", "STS": "shared",
          "LDSM": "shared", "ATOMS": "shared"}
LOCAL_WINDOW = 16 << 10
COPY_MOST = 2**32 - 32  # Accel-Sim counts the bytes of a copy in 32 bits, in steps of 32
MOST_COMPLAINTS = 50


class Complaint(Exception):
    pass


def need(condition, text):
    if not condition:
        raise Complaint(text)


def width_of(opcode):
    for token in opcode.split(".")[1:]:
        digits = token[1:] if token.startswith("U") else token
        if digits.isdigit():
            return int(digits) // 8
    return 4


def number(token, pattern, base, what):
    need(re.fullmatch(pattern, token), f"{what} '{token}'")
    return int(token, base)


class Tokens:
    """The words of a line, taken one by one."""

    def __init__(self, line):
        self.words = line.split()
        self.at = 0

    def take(self, what):
        need(self.at < len(self.words), f"the line ends before its {what}")
        self.at += 1
        return self.words[self.at - 1]

    def decimal(self, what):
        return number(self.take(what), r"-?\d+", 10, what)

    def count(self, what, most):
        value = number(self.take(what), r"\d+", 10, what)
        need(value <= most, f"{value} {what}, more than {most}")
        return value

    def registers(self, count, what):
        for _ in range(count):
            word = self.take(what)
            match = re.fullmatch(r"R(\d+)", word)
            need(match and int(match.group(1)) <= 255, f"{what} '{word}'")


def lanes_of(mask):
    return [lane for lane in range(32) if mask >> lane & 1]


def one_stride(addresses, lanes):
    """The stride with which mode 1 can say these addresses, or None."""
    if len(lanes) < 2 or lanes[-1] - lanes[0] != len(lanes) - 1:
        return None
    strides = {b - a for a, b in zip(addresses, addresses[1:])}
    stride = strides.pop()
    return stride if not strides and -2**31 <= stride < 2**31 else None


def addresses_of(tokens, mask):
    """Addresses of the active lanes; mode and stride are those that the format wants for them."""
    lanes = lanes_of(mask)
    mode = tokens.count("address mode", 2)
    if mode == 0:
        return [number(tokens.take("address"), r"0x[0-9a-f]{16}", 16, "address") for _ in lanes]
    base = number(tokens.take("base address"), r"0x[0-9a-f]{1,16}", 16, "base address")
    if mode == 1:
        stride = tokens.decimal("stride")
        if not lanes:
            need(base == 0, "a base address, but no active lane")
            return []
        need(len(lanes) > 1, "one active lane with a stride")
        need(lanes[-1] - lanes[0] == len(lanes) - 1, "a stride for lanes that are not one run")
        need(-2**31 <= stride < 2**31, "a stride of more than 32 bits")
        return [base + i * stride for i in range(len(lanes))]
    need(lanes, "differences of no lane")
    addresses = [base]
    for _ in lanes[1:]:
        addresses.append(addresses[-1] + tokens.decimal("difference"))
    need(one_stride(addresses, lanes) is None, "differences where one stride says it")
    return addresses


class Kernel:
    def __init__(self, path, text):
        self.path, self.text = path, text
        self.lines = self.instructions = self.addresses = self.offsets = 0
        self.header, self.complaints, self.number = {}, 0, 0
        self.spaces = {}

    def complain(self, reason):
        self.complaints += 1
        if self.complaints <= MOST_COMPLAINTS:
            print(f"{self.path}:{self.number}: {reason}", file=sys.stderr)

    def next(self):
        """The next line that is not blank, without its end; None behind the last."""
        for line in self.text:
            self.number += 1
            need(line.endswith("\n"), "the line does not end")
            if line.strip():
                return line[:-1]
        return None

    def read_header(self):
        while (line := self.next()) is not None:
            if line.startswith("#"):
                break
            need(line.startswith("-") and " = " in line, f"'{line}' in the header")
            key, value = line[1:].split(" = ", 1)
            need(key in HEADER, f"the header has '{key}'")
            need(key not in self.header, f"'{key}' a second time")
            match = re.fullmatch(HEADER[key], value)
            need(match, f"'{value}' for '{key}'")
            self.header[key] = match.groups()
        missing = [key for key in HEADER if key not in self.header]
        need(not missing, f"the header ends without {', '.join(missing)}")
        self.grid = [int(v) for v in self.header["grid dim"]]
        self.block = [int(v) for v in self.header["block dim"]]
        self.threads = self.block[0] * self.block[1] * self.block[2]
        self.shared_base = int(self.header["shmem base_addr"][0], 16)
        self.local_base = int(self.header["local mem base_addr"][0], 16)
        need(self.shared_base < self.local_base, "the window of local memory is not behind that of shared memory")
        need(1 <= self.threads <= 1024, f"{self.threads} threads a CTA")

    def space(self, opcode, address):
        space = MEMORY.get(opcode.split(".")[0], "other")
        if space != "generic":
            return space
        if self.shared_base <= address < self.local_base:
            return "generic shared"
        return "generic local" if self.local_base <= address < self.local_base + LOCAL_WINDOW else "generic global"

    def check_memory(self, opcode, width, tokens, mask):
        need(width == width_of(opcode), f"width {width} of {opcode}, which says {width_of(opcode)}")
        addresses = addresses_of(tokens, mask)
        for address in addresses:
            need(0 <= address < 2**64, f"address {address:#x}")
        if addresses:
            space = self.space(opcode, addresses[0])
            self.spaces[space] = self.spaces.get(space, 0) + 1
            shared = int(self.header["shmem"][0])
            if space == "shared":
                most = max(addresses)
                need(most < max(shared, 1) + 1024, f"offset {most:#x} of {shared} bytes shared memory")
        self.addresses += len(addresses)

    def instruction(self, line, running):
        """Checks a line; returns the lanes that run on behind it."""
        tokens = Tokens(line)
        if self.header["enable lineinfo"][0] == "1":
            tokens.count("source line", 2**31)
        pc = number(tokens.take("PC"), r"[0-9a-f]{4,8}", 16, "PC")
        need(pc % 8 == 0, f"PC {pc:x}")
        mask = number(tokens.take("mask"), r"[0-9a-f]{8}", 16, "mask")
        need(mask & ~running == 0, f"mask {mask:08x}, but only {running:08x} have not exited")
        tokens.registers(tokens.count("destinations", 1), "destination")
        opcode = tokens.take("opcode")
        need(re.fullmatch(r"[A-Z][A-Z0-9_]*(\.[A-Za-z0-9_]+)*", opcode), f"opcode '{opcode}'")
        tokens.registers(tokens.count("sources", 4), "source")
        width = tokens.count("bytes", 256)
        need(width == 0 or opcode.split(".")[0] not in ("EXIT", "BAR", "FFMA"), f"{opcode} with addresses")
        need(width != 0 or opcode.split(".")[0] not in MEMORY, f"{opcode} without addresses")
        if width:
            self.check_memory(opcode, width, tokens, mask)
        if tokens.at < len(tokens.words) or self.header["accelsim tracer version"][0] == "5":
            tokens.decimal("immediate")
        rest = " ".join(tokens.words[tokens.at:])
        need(not rest, f"'{rest}' behind the end of the instruction")
        self.instructions += 1
        return running & ~mask if opcode.split(".")[0] == "EXIT" else running

    def warp(self, warp):
        line = self.next()
        need(line == f"warp = {warp}", f"'{line}', not 'warp = {warp}'")
        line = self.next()
        match = re.fullmatch(r"insts = (\d+)", line or "")
        need(match, f"'{line}', not 'insts = N'")
        count = int(match.group(1))
        need(count > 0, "a warp without an instruction")
        running = (1 << min(self.threads - 32 * warp, 32)) - 1
        for left in range(count, 0, -1):
            line = self.next()
            need(line is not None and line[0] not in "#wi", f"{left} instructions of the warp are missing")
            before = running
            try:
                running = self.instruction(line, running)
            except Complaint as complaint:
                self.complain(complaint)
        need(running == 0, f"the warp ends and lanes {running:08x} have not exited")
        need(before != running, "an instruction behind the warp's last EXIT")

    def cta(self, x, y, z):
        for wanted in ("#BEGIN_TB", f"thread block = {x},{y},{z}"):
            line = self.next()
            need(line == wanted, f"'{line}', not '{wanted}'")
        for warp in range((self.threads + 31) // 32):
            self.warp(warp)
        line = self.next()
        need(line == "#END_TB", f"'{line}', not '#END_TB'")

    def check(self):
        try:
            self.read_header()
            for z in range(self.grid[2]):
                for y in range(self.grid[1]):
                    for x in range(self.grid[0]):
                        self.cta(x, y, z)
            line = self.next()
            need(line is None, f"'{line}' behind the last CTA")
        except Complaint as complaint:
            self.complain(complaint)


def open_kernel(path):
    openers = {".traceg": open, ".xz": lzma.open, ".gz": gzip.open}
    need(path.suffix in openers, f"{path}: neither .traceg nor .traceg.xz nor .traceg.gz")
    return openers[path.suffix](path, "rt", encoding="utf-8", newline="")


def check_list(path):
    """Checks what one kernelslist.g names; the number of complaints."""
    bad = ids = 0
    copy = None  # behind the last kernel
    for at, line in enumerate(path.read_text(encoding="utf-8").splitlines(keepends=True), 1):
        text = line.rstrip("\n")
        if text == "":
            continue
        known = re.fullmatch(r"MemcpyHtoD,0x[0-9a-f]{16},[1-9]\d*|kernel-\d+\.traceg(\.xz|\.gz)?", text)
        if not known or not line.endswith("\n"):
            print(f"{path}:{at}: '{text}'", file=sys.stderr)
            bad += 1
            continue
        if text.startswith("Memcpy"):
            copy = at
            if int(text.rsplit(",", 1)[1]) > COPY_MOST:
                print(f"{path}:{at}: a copy of more than {COPY_MOST} bytes: Accel-Sim never ends it", file=sys.stderr)
                bad += 1
            continue
        copy = None
        with open_kernel(path.parent / text) as opened:
            kernel = Kernel(path.parent / text, opened)
            kernel.check()
        ids += 1
        bad += kernel.complaints
        spaces = "".join(f" {name.replace(' ', '-')}={kernel.spaces[name]}" for name in sorted(kernel.spaces))
        print(f"{text}: instructions={kernel.instructions} addresses={kernel.addresses}{spaces}")
    if copy is not None and ids > 0:
        print(f"{path}:{copy}: the last command is a copy, at which Accel-Sim aborts", file=sys.stderr)
        bad += 1
    if ids == 0:
        print(f"{path}: no kernel", file=sys.stderr)
        bad += 1
    return bad


def main():
    parser = argparse.ArgumentParser(description="Checks traces for Accel-Sim against the format's grammar.")
    parser.add_argument("lists", nargs="+", metavar="kernelslist.g", type=pathlib.Path)
    try:
        bad = sum(check_list(path) for path in parser.parse_args().lists)
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError, Complaint) as error:
        print(error, file=sys.stderr)
        return 2
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
