#!/usr/bin/env python3
"""Checks traces for Accel-Sim (text of version 3 to 6, containers) against the format's grammar and the rules that its
simulator asserts: check_traceg.py kernelslist.g [...]

Written from the description of the format in docs/accelsim.md, apart from the simulator's own reader and writer. Each
complaint names file and line. A line of totals for each kernel goes to standard output. Exit status 1 when there are
complaints, 2 when a file cannot be read."""
import argparse
import lzma
import pathlib
import re
import struct
import sys

from open_traceg import Complaint, need, open_kernel

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
    "accelsim tracer version": r"([3456])",
    "enable lineinfo": r"([01])",
}
MEMORY = {"LD": "generic", "ST": "generic", "ATOM": "generic", "LDG": "global", "STG": "global", "LDGSTS": "global",
          "ATOMG": "global", "RED": "global", "LDL": "local", "STL": "local", "LDS": "shared", "STS": "shared",
          "LDSM": "shared", "ATOMS": "shared"}
OPTIONAL = {"cluster dim": r"\((\d+),(\d+),(\d+)\)"}  # ours: Accel-Sim passes over keys that it does not know
ENGINE = ("UTMALDG", "UTMASTG", "UTMAPF", "UTMAREDG", "UBLKCP", "UBLKPF", "UBLKRED")
ARRIVALS = ("ART0", "A1T0", "A0TR", "A0TX", "A0T1")
LOCAL_WINDOW = 16 << 10
COPY_MOST = 2**32 - 32  # Accel-Sim counts the bytes of a copy in 32 bits, in steps of 32
MOST_COMPLAINTS = 50


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

    def registers(self, count, what, kinds="R"):
        for _ in range(count):
            word = self.take(what)
            match = re.fullmatch(rf"({kinds})(\d+)", word)
            need(match and int(match.group(2)) <= 255, f"{what} '{word}'")

    def values(self, what):
        """Returns the values of a register's 32 lanes."""
        count = self.decimal(f"count of {what}")
        need(count in (1, 32), f"{count} values of {what}")
        words = [number(self.take(what), r"[0-9a-f]{1,16}", 16, what) for _ in range(count)]
        return words * 32 if count == 1 else words


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
            need(key in HEADER or key in OPTIONAL, f"the header has '{key}'")
            need(key not in self.header, f"'{key}' a second time")
            match = re.fullmatch(HEADER.get(key) or OPTIONAL[key], value)
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
        self.version = int(self.header["accelsim tracer version"][0])
        self.cluster = [int(v) for v in self.header.get("cluster dim", "111")]
        need(all(g % c == 0 for g, c in zip(self.grid, self.cluster)), "a grid that is no multiple of its clusters")
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
                most = max(addresses) % (1 << 24 if self.version == 6 else 1 << 64)  # without the rank of the CTA
                need(most < max(shared, 1) + 1024, f"offset {most:#x} of {shared} bytes shared memory")
        self.addresses += len(addresses)

    def instruction(self, line, running):
        """Checks a line. Returns the lanes that run on behind it."""
        tokens = Tokens(line)
        if self.header["enable lineinfo"][0] == "1":
            tokens.count("source line", 2**31)
        pc = number(tokens.take("PC"), r"[0-9a-f]{4,8}", 16, "PC")
        need(pc % 8 == 0, f"PC {pc:x}")
        mask = number(tokens.take("mask"), r"[0-9a-f]{8}", 16, "mask")
        need(mask & ~running == 0, f"mask {mask:08x}, but only {running:08x} have not exited")
        kinds = "UR|R|UP|P" if self.version == 6 else "R"
        destinations = tokens.count("destinations", 1)
        tokens.registers(destinations, "destination", kinds)
        opcode = tokens.take("opcode")
        need(re.fullmatch(r"[A-Z][A-Z0-9_]*(\.[A-Za-z0-9_]+)*", opcode), f"opcode '{opcode}'")
        sources = tokens.count("sources", 4)
        tokens.registers(sources, "source", kinds)
        self.instructions += 1
        if self.version == 6:
            self.rest_of_6(opcode, destinations, sources, tokens, mask)
            return running & ~mask if opcode.split(".")[0] == "EXIT" else running
        width = tokens.count("bytes", 256)
        need(width == 0 or opcode.split(".")[0] not in ("EXIT", "BAR", "FFMA"), f"{opcode} with addresses")
        need(width != 0 or opcode.split(".")[0] not in MEMORY, f"{opcode} without addresses")
        if width:
            self.check_memory(opcode, width, tokens, mask)
        if tokens.at < len(tokens.words) or self.header["accelsim tracer version"][0] == "5":
            tokens.decimal("immediate")
        rest = " ".join(tokens.words[tokens.at:])
        need(not rest, f"'{rest}' behind the end of the instruction")
        return running & ~mask if opcode.split(".")[0] == "EXIT" else running

    def copy(self, tokens, mask):
        """The bytes that an engine copies. Accel-Sim adds its places up where the mask has a lane."""
        width = tokens.count("bytes of a place", 1 << 20)
        number(tokens.take("barrier object"), r"0x[0-9a-f]{1,7}", 16, "barrier object")
        if tokens.count("multicast", 1):
            targets = number(tokens.take("targets"), r"0x[0-9a-f]{1,4}", 16, "targets")
            size = self.cluster[0] * self.cluster[1] * self.cluster[2]
            need(0 < targets < 1 << size, f"targets {targets:x} in a cluster of {size}")
        copied = tokens.count("bytes of a copy", 1 << 24)
        tokens.count("bytes outside", 1 << 24)
        need(tokens.count("mode of a copy", 4) == 4, "a mode other than 4 for the places of a copy")
        place = number(tokens.take("first place"), r"0x[0-9a-f]{1,16}", 16, "first place")
        count = tokens.count("places", 1 << 17)
        for _ in range(count - 1):
            place += tokens.decimal("difference")
            need(0 <= place < 2**64, f"place {place:#x}")
        need(count == 0 or copied <= count * width, f"{copied} bytes in {count} places of {width}")
        need(mask or count == 0, "places without an active lane")

    def object(self, opcode, values, mask):
        """The form that Accel-Sim wants for operations on barrier objects: the operand is the second source."""
        need(len(values) >= 2, f"{opcode} without the values of two sources")
        parts = opcode.split(".")
        if opcode == "SYNCS.EXCH.64":
            for lane in lanes_of(mask):
                new = values[1][lane]
                need(new >> 43 & 0xfffff == new >> 1 & 0xfffff, f"the new object {new:x}")
        elif parts[1] == "ARRIVE":
            plain = opcode in ("SYNCS.ARRIVE.TRANS64", "SYNCS.ARRIVE.TRANS64.RED")
            need(plain or any(part in ARRIVALS for part in parts), f"an arrival {opcode}")
        else:
            need(opcode in ("SYNCS.PHASECHK.TRANS64", "SYNCS.PHASECHK.TRANS64.TRYWAIT"), f"{opcode}, where it stops")

    def rest_of_6(self, opcode, destinations, sources, tokens, mask):
        name = opcode.split(".")[0]
        if "GMMA" in opcode:
            tokens.count("group", 1)
            need(re.fullmatch(r"\d+x\d+x\d+", opcode.split(".")[1]), f"the shape of {opcode}")
        if name in ENGINE:
            self.copy(tokens, mask)
        else:
            width = tokens.count("bytes", 256)
            need(width != 0 or name not in MEMORY and name != "SYNCS", f"{opcode} without addresses")
            if width:
                self.check_memory(opcode, width, tokens, mask)
        immediates = [tokens.decimal("immediate")]
        values, word = [], tokens.take("NoVal or Val")
        if word not in ("NoVal", "Val"):
            tokens.at -= 1
            immediates.append(tokens.decimal("immediate"))
            word = tokens.take("NoVal or Val")
        need(word in ("NoVal", "Val"), f"'{word}', not NoVal or Val")
        if word == "Val":
            values = [tokens.values("a register") for _ in range(destinations + sources)]
        if name == "SYNCS" and not opcode.startswith(("SYNCS.CCTL", "SYNCS.LD")):
            self.object(opcode, values[destinations:], mask)
        if name == "BAR" and mask:
            by_register = destinations and values and (len(immediates) < 2 or immediates[1] == 0)
            barrier = values[0][0] if by_register else immediates[0]
            need(0 <= barrier < 16, f"barrier {barrier}")
        rest = tokens.words[tokens.at:]
        need(not rest or rest[0] == "Subcore", f"'{' '.join(rest)}' behind the end of the instruction")

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
        wanted_lines = ["#BEGIN_TB", f"thread block = {x},{y},{z}"]
        if self.version == 6:
            at = [place % size for place, size in zip((x, y, z), self.cluster)]
            cluster = [place // size for place, size in zip((x, y, z), self.cluster)]
            rank = at[0] + self.cluster[0] * (at[1] + self.cluster[1] * at[2])
            wanted_lines += [f"cluster id = {cluster[0]},{cluster[1]},{cluster[2]}",
                             f"cluster cta = {at[0]},{at[1]},{at[2]}", f"cluster rank = {rank}"]
        for wanted in wanted_lines:
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


def check_list(path):
    """Checks the files that one kernelslist.g names. Returns the number of complaints."""
    bad = ids = 0
    copy = None  # behind the last kernel
    for at, line in enumerate(path.read_text(encoding="utf-8").splitlines(keepends=True), 1):
        text = line.rstrip("\n")
        if text == "":
            continue
        known = re.fullmatch(r"MemcpyHtoD,0x[0-9a-f]{16},[1-9]\d*|kernel-\d+\.trace(g(\.xz|\.gz)?|z)", text)
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
    except (OSError, EOFError, ValueError, struct.error, lzma.LZMAError, Complaint) as error:
        print(error, file=sys.stderr)
        return 2
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
