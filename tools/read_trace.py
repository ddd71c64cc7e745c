#!/usr/bin/env python3
"""Reads native traces of subcore. It was written from docs/trace-format.md, as a reference for other readers.

    read_trace.py FILE the contents of the trace
    read_trace.py FILE KERNEL CTA WARP   the instructions of one warp, a line each: pc, lanes on the path, active lanes,
                                         flow, next pc, barrier, warps it waits for, arrival, sleep, values that
                                         match, space, bytes,
                                         lanes that access nothing, cache policy, addresses, second addresses or
                                         operands, and the fields of a transfer if there is one

It needs a zstd: the module zstandard or compression.zstd, the library, or the program. Exits with 77 without."""
import struct
import sys

from zstd_any import decompressor

FLOW_SLOTS, ACCESS_SLOTS = 96, 192
NO_POLICY = 255
TRANSFERS, TRANSFER_FIELDS = 16, 32
MASK64 = (1 << 64) - 1
SPACES = ["none", "global", "shared", "local", "constant", "generic", "cluster"]
FLOWS = ["next", "jump", "exited", "barrier"]


class Damaged(Exception):
    pass


# ---- bytes ---------------------------------------------------------------------------------------------------------

def fnv(data):
    h = 0xcbf29ce484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001b3 & MASK64
    return h


class View:
    def __init__(self, data):
        self.data, self.at = data, 0

    def left(self):
        return len(self.data) - self.at

    def take(self, count):
        if self.left() < count:
            raise Damaged("a block ends too early")
        self.at += count
        return self.data[self.at - count:self.at]

    def fixed(self, count):
        return int.from_bytes(self.take(count), "little")

    def number(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value & MASK64

    def signed(self):
        value = self.number()
        return value >> 1 ^ -(value & 1)

    def text(self):
        return self.take(self.number()).decode("utf-8", "replace")

    def numbers(self, count):
        return [self.number() for _ in range(count)]


# ---- the file -------------------------------------------------------------------------------------------------------

class Trace:
    def __init__(self, path):
        self.unpack = None
        with open(path, "rb") as file:
            self.data = file.read()
        magic, self.version, zero = struct.unpack_from("<8sII", self.data)
        if magic != b"SUBTRACE" or self.version not in (1, 2, 3, 4) or zero:
            raise Damaged("not a trace of version 1 to 4")
        tail = self.data[-32:]
        magic, at, size, checksum = struct.unpack("<8sQQQ", tail)
        if magic != b"SUBINDEX" or size != len(self.data) or checksum != fnv(tail[:24]):
            raise Damaged("no index at its end")
        self.read_index(View(self.block(at, b"INDX", 0)))

    def block(self, at, kind, kernel):
        head = self.data[at:at + 32]
        if len(head) < 32:
            raise Damaged("a block ends too early")
        found, number, stored, raw, place, checksum = struct.unpack("<4sIIIQQ", head)
        data = self.data[at + 32:at + 32 + stored]
        if (found, number, place) != (kind, kernel, at) or checksum != fnv(head[:24] + data):
            raise Damaged(f"the block at {at} is damaged")
        if stored < raw:
            self.unpack = self.unpack or decompressor()
            data = self.unpack(data, raw)
        if len(data) != raw:
            raise Damaged(f"the block at {at} cannot be decompressed")
        return data

    def read_index(self, v):
        origin = View(self.block(v.number(), b"ORIG", 0))
        self.origin = [origin.text() for _ in range(3)]
        self.kernels = []
        for _ in range(v.number()):
            names = ("name", "at", "ctas", "warps", "instructions", "bytes", "complete")
            self.kernels.append(dict(zip(names, [v.text()] + v.numbers(6))))
        self.commands = []
        for _ in range(v.number()):
            self.commands.append(("copy", *v.numbers(3)) if v.number() else ("launch", v.number()))


class Kernel:
    def __init__(self, trace, number):
        self.trace, self.number = trace, number
        v = View(trace.block(trace.kernels[number]["at"], b"KIDX", number))
        kernel_at = v.number()
        self.read_launch(View(trace.block(kernel_at, b"KERN", number)))
        self.flow_place, self.access_place = {}, {}
        self.patterns = [[stride * lane for lane in range(32)] for stride in (4, 0, 8, 16, 2, 1)]
        self.policies = [0]
        for at in v.numbers(v.number()):
            self.read_dictionary(View(trace.block(at, b"DICT", number)))
        self.frames, at, cta = [], 0, 0
        for _ in range(v.number()):
            at += v.number()
            cta += v.signed()
            ranges = v.numbers(5)
            self.frames.append((at, cta, cta + ranges[0], ranges[1], ranges[1] + ranges[2], ranges[3],
                                ranges[3] + ranges[4]))
        self.instructions = v.numbers(len(self.frames)) if trace.version > 2 else None

    def read_launch(self, v):
        self.name = v.text()
        self.architecture = v.number()
        self.grid, self.block = v.numbers(3), v.numbers(3)
        for field in ("registers", "static_shared", "dynamic_shared", "shared_preferred", "local_bytes", "local_base",
                      "code_address"):
            setattr(self, field, v.number())
        self.bank_bytes = v.numbers(5)
        flags = v.number()
        self.cooperative, self.control_bits = bool(flags & 1), bool(flags & 2)
        self.stream, self.launch_number = v.number(), v.number()
        self.cluster = v.numbers(3) if flags & 4 else None
        self.words = [v.fixed(16) for _ in range(v.number())]
        self.described = {v.number(): v.text() for _ in range(v.number())}

    def read_dictionary(self, v):
        for places, slots in (self.flow_place, FLOW_SLOTS), (self.access_place, ACCESS_SLOTS):
            if v.number() != len(places):
                raise Damaged("a dictionary does not go on where the last one ended")
            for _ in range(v.number()):
                places[v.number()] = len(places) % slots
        if v.number() != len(self.patterns):
            raise Damaged("a dictionary does not go on where the last one ended")
        for _ in range(v.number()):
            offset, pattern = 0, []
            for _ in range(32):
                offset += v.signed()
                pattern.append(offset)
            self.patterns.append(pattern)
        if v.number() != len(self.policies):
            raise Damaged("a dictionary does not go on where the last one ended")
        for _ in range(v.number()):
            self.policies.append(v.fixed(8))

    def pieces(self, cta, warp):
        """Yields (instructions, data, (pc, path) of part 0) for each part of a stream."""
        part = 0
        while True:
            for at, first, last, low, high, begin, end in self.frames:
                if first <= cta <= last and low <= warp <= high and begin <= part <= end:
                    piece, is_last = self.find(at, cta, warp, part)
                    if piece:
                        break
            else:
                raise Damaged(f"no part {part} of CTA {cta}, warp {warp}")
            yield piece
            if is_last:
                return
            part += 1

    def find(self, at, cta, warp, part):
        v = View(self.trace.block(at, b"FRAM", self.number))
        count = v.number()

        def sums():
            total, column = 0, []
            for _ in range(count):
                total += v.signed()
                column.append(total)
            return column
        ctas, warps = sums(), sums()
        parts, instructions, sizes = v.numbers(count), v.numbers(count), v.numbers(count)
        starts = [None if p >> 1 else (v.number(), v.number() ^ 0xffffffff) for p in parts]
        offset = v.at
        for i in range(count):
            if (ctas[i], warps[i], parts[i] >> 1) == (cta, warp, part):
                return (instructions[i], v.data[offset:offset + sizes[i]], starts[i]), parts[i] & 1
            offset += sizes[i]
        return None, None


# ---- streams --------------------------------------------------------------------------------------------------------

class FlowSlot:
    def __init__(self, pc):
        self.pc, self.active, self.all = pc, 0, True
        self.last = self.other = plain(pc)


class AccessSlot:
    def __init__(self, key):
        self.key, self.base, self.delta, self.steady = key, 0, 0, False
        self.pattern, self.space, self.bytes, self.policy, self.two = 0, 0, 0, 0, False

    def learn(self, base):
        delta = base - self.base & MASK64
        right = delta == self.delta & MASK64
        if not right and not self.steady:
            signed = delta - (1 << 64) if delta >> 63 else delta
            self.delta = signed if -1 << 31 <= signed < 1 << 31 else 0
        self.steady, self.base = right, base


def plain(pc):
    return {"flow": 0, "next": pc + 1, "path": None, "barrier": 0, "warps": 0, "arrive": 0}


def lanes_of(mask):
    return [lane for lane in range(32) if mask >> lane & 1]


class Stream:
    """Iterates over the instructions of a warp."""

    def __init__(self, kernel, cta, warp):
        self.kernel, self.pieces = kernel, kernel.pieces(cta, warp)
        self.flow, self.access, self.near, self.transfers = {}, {}, [0, 0], {}

    def __iter__(self):
        for instructions, data, start in self.pieces:
            if start:
                self.pc, self.path = start
            self.v = View(data)
            self.next_run()
            for _ in range(instructions):
                yield self.instruction()

    def next_run(self):
        self.run = self.v.number() if self.v.left() else MASK64

    def slot(self, slots, places, key, kind, claim):
        place = places.get(key)
        slot = slots.get(place)
        if slot and (slot.pc if kind is FlowSlot else slot.key) == key:
            return slot
        if not claim:
            return None
        if place is None:
            raise Damaged(f"the dictionary has no place for key {key}")
        slots[place] = kind(key)
        return slots[place]

    def flow_slot(self, claim=False):
        return self.slot(self.flow, self.kernel.flow_place, self.pc, FlowSlot, claim)

    def access_slot(self, second, claim=False):
        return self.slot(self.access, self.kernel.access_place, 2 * self.pc + second, AccessSlot, claim)

    def instruction(self):
        if self.pc >= len(self.kernel.words):
            raise Damaged("it leaves the code")
        flags = self.v.fixed(1) if self.run == 0 else 0
        slot = self.flow_slot()
        outcome = slot.last if slot else plain(self.pc)
        active = self.path if not slot or slot.all else slot.active & self.path
        if flags & 1:
            slot = self.flow_slot(True)
            active = slot.active = self.v.fixed(4)
            slot.all = active == self.path
        out = {"pc": self.pc, "path": self.path, "active": active, "space": 0, "bytes": 0, "sleep": 0, "values": 0,
               "zero": 0, "policy": 0, "address": None, "second": None, "transfer": None}
        self.take_access(flags, out)
        if flags & 128:
            outcome = self.take_outcome()
        out.update(outcome, path=self.path)
        self.pc = outcome["next"]
        self.path = self.path if outcome["path"] is None else outcome["path"]
        if self.run == 0:
            self.next_run()
        else:
            self.run -= 1
        return out

    def take_outcome(self):
        flags, slot = self.v.fixed(1), self.flow_slot(True)
        outcome = plain(self.pc)
        outcome["flow"], outcome["arrive"] = flags & 3, flags >> 6 & 1
        if flags & 8:
            outcome["next"] += self.v.signed()
        if flags & 16:
            outcome["path"] = self.v.fixed(4)
        if flags & 32:
            outcome["barrier"], outcome["warps"] = self.v.number(), self.v.number()
        if flags & 4:
            outcome = slot.other
        slot.other, slot.last = slot.last, outcome
        return outcome

    def take_access(self, flags, out):
        slot = self.access_slot(0) if out["active"] else None
        if flags & 2:
            slot = self.access_slot(0, True)
            space = self.v.fixed(1)
            slot.two, slot.space, slot.bytes = space >> 7, space & 0x7f, self.v.fixed(1)
        if slot and not slot.space:
            slot = None
        if slot:
            out["policy"] = self.kernel.policies[slot.policy]
        if flags & 4:
            self.take_rest(slot, out)
        if not slot:
            return
        out["space"], out["bytes"], two = slot.space, slot.bytes, slot.two
        lanes = lanes_of(out["active"] & ~out["zero"])
        if lanes:
            out["address"] = self.take_addresses(slot, flags, lanes, 0)
        if two:
            second = self.v.fixed(1) if flags & 64 else 0
            out["second"] = self.take_addresses(self.access_slot(1, True), second, lanes_of(out["active"]), 1)

    def take_rest(self, slot, out):
        rest = self.v.fixed(1)
        if rest & 1:
            out["sleep"] = self.v.number()
        if rest & 2:
            out["zero"] = self.v.fixed(4)
        if rest & 4:
            policy = self.v.number()
            if policy == NO_POLICY:
                out["policy"] = self.v.fixed(8)
            else:
                slot.policy = policy
                out["policy"] = self.kernel.policies[policy]
        if rest & 8:
            self.take_transfer(out)
        if rest & 16:
            out["values"] = self.v.fixed(1)

    def take_transfer(self, out):
        fields = self.transfers.setdefault(self.pc % TRANSFERS, [0] * TRANSFER_FIELDS)
        changed = self.v.number()
        for i in range(TRANSFER_FIELDS):
            if changed >> i & 1:
                fields[i] = fields[i] + self.v.signed() & MASK64
        out["transfer"] = list(fields)

    def take_addresses(self, slot, flags, lanes, second):
        offsets = None
        if flags & 8:
            slot.pattern = self.v.number() - 1
        if flags & 8 and slot.pattern < 0:
            scale, sum_ = self.v.fixed(1) & 63, 0
            offsets = [0]
            for _ in lanes[1:]:
                sum_ += self.v.signed() << scale
                offsets.append(sum_)
        else:
            offsets = [self.kernel.patterns[slot.pattern][lane] for lane in lanes]
        base = slot.base + slot.delta
        if flags & 16:
            base = (self.near[second] if flags & 32 else base) + self.v.signed()
        base &= MASK64
        self.near[second] = base
        slot.learn(base)
        return [base + offset & MASK64 for offset in offsets]


# ---- printing -------------------------------------------------------------------------------------------------------

def line(i):
    def listed(addresses):
        return ",".join(f"{a:x}" for a in addresses) if addresses else "-"
    return (f"{i['pc'] * 16:04x} {i['path']:08x} {i['active']:08x} {FLOWS[i['flow']]} {i['next'] * 16:04x} "
            f"{i['barrier']} {i['warps']} {i['arrive']} {i['sleep']} {i['values']} {SPACES[i['space']]} {i['bytes']} "
            f"{i['zero']:08x} {i['policy']:x} {listed(i['address'])} {listed(i['second'])}"
            + (f" {listed(i['transfer'])}" if i["transfer"] else ""))


def summary(trace):
    print(f"program: {trace.origin[0]}\ngpu: {trace.origin[1]}\nsource: {trace.origin[2]}")
    for command in trace.commands:
        if command[0] == "copy":
            print(f"copy {command[2]} bytes to 0x{command[1]:x}, stream {command[3]}")
            continue
        k, kernel = trace.kernels[command[1]], Kernel(trace, command[1])
        whole = "" if k["complete"] else ", not complete"
        print(f"launch {command[1]}: {k['name']} grid {tuple(kernel.grid)} block {tuple(kernel.block)}"
              f"{f' cluster {tuple(kernel.cluster)}' if kernel.cluster else ''}, "
              f"{len(kernel.words)} instructions of sm_{kernel.architecture}: {k['instructions']} executed by "
              f"{k['warps']} warps of {k['ctas']} CTAs, {k['bytes']} bytes{whole}")


def main(arguments):
    if len(arguments) not in (1, 4):
        print(__doc__)
        return 2
    try:
        trace = Trace(arguments[0])
        if len(arguments) == 1:
            summary(trace)
            return 0
        kernel, cta, warp = map(int, arguments[1:])
        for instruction in Stream(Kernel(trace, kernel), cta, warp):
            print(line(instruction))
    except (Damaged, OSError, struct.error, IndexError) as error:
        print(f"{arguments[0]}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
