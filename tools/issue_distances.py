#!/usr/bin/env python3
"""Finds how close compilers let an instruction of fixed latency and a reader of its result issue.

    issue_distances.py [--markdown] [--examples] CUBIN...

Hardware does not check such a dependence: the sum of the stall counts from the writer to the reader is the distance
that the compiler takes for enough. The smallest sum over much code is an upper bound of the latency, and most likely
the latency. Only pairs inside of a basic block count between which nothing waits for a dependence counter. Behind each
distance stand the number of pairs that have it and the number of all. --markdown leaves these out, and rows of less
than 24 pairs; --examples prints one pair for each smallest distance.

The program `subcore` is taken from the environment variable SUBCORE or from build/; registers, predicates and control
bits come from `subcore disasm --json`, units from `subcore isa --json`."""
import collections
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SUBCORE = os.environ.get("SUBCORE", os.path.join(ROOT, "build", "subcore"))
CONTROL = re.compile(r"\[B([0-5-]{6}):R([0-5-]):W([0-5-]):([Y-]):S(\d\d)\]")
NAME = re.compile(r"^(?:@(!?)(U?P\d) )?([A-Z0-9_]+)((?:\.[A-Za-z0-9_]+)*)")
QUEUES = ("lsu", "adu", "xu", "tex", "fe")

# Instructions whose results do not come when others of their pipe have theirs.
OWN = {name: name for name in ("CS2R", "R2UR", "VOTE", "R2P", "P2R", "F2FP", "I2FP", "ELECT", "CREDUX", "REDUX", "LEPC",
                               "VIADD")}
OWN |= dict.fromkeys(("ULDC", "UMOV", "VOTEU"), "UMOV, ULDC, VOTEU")
OWN |= dict.fromkeys(("UPOPC", "UFLO", "UBREV"), "UPOPC, UFLO, UBREV")


def subcore(*arguments):
    run = subprocess.run([SUBCORE, *arguments, "--json", "-"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


PIPES = {op["mnemonic"]: op["pipe"] for op in subcore("isa")["opcodes"]}


class Instruction:
    def __init__(self, fields):
        self.text, self.reads, self.writes = fields["text"], fields["reads"].split(), fields["writes"].split()
        self.mask, _, write, yields, stall = CONTROL.match(fields["control"]).groups()
        self.negated, self.guard, self.name, self.modifiers = NAME.match(self.text).groups()
        self.pipe = PIPES.get(self.name, "?")
        self.fixed = write == "-" and self.pipe not in (*QUEUES, "cbu")
        self.cycles = max(int(stall), 2 if yields == "Y" else 1)
        if self.pipe == "lsu" and "desc[" not in self.text and ".64" not in self.text:
            # a uniform address of 32 bits: the disassembler may name the register behind it, too
            self.reads = [r for r in self.reads if not r.startswith("UR") or re.search(rf"\b{r}\b", self.text)]

    def wide(self):
        return self.name in ("IMAD", "UIMAD") and re.search(r"WIDE|HI", self.modifiers)

    def unit(self):
        """Whose latency the instruction has."""
        if self.name in OWN:
            return OWN[self.name]
        if self.pipe == "tensor":
            shape = re.match(r"\.(?:SP\.)?(\d+)", self.modifiers)
            kind = ".F16" if re.search(r"\.F16(?!\.)", self.modifiers) else ".F32" if ".F32" in self.modifiers else ""
            return self.name + ("." + shape.group(1) if shape else "") + kind
        if self.name.startswith("IMAD"):
            return "IMAD.WIDE, .HI" if self.wide() else "IMAD"
        return "HFMA2.MMA" if "MMA" in self.modifiers else self.pipe

    def result(self, resource):
        kind = re.sub(r"\d", "", resource)
        if kind in ("R", "UR") and self.wide() and "WIDE" in self.modifiers:
            return kind + (" low" if resource == self.writes[0] else " high")
        return kind

    def reader(self, resource):
        """The use that the instruction makes of the resource."""
        if resource == self.guard:
            return "guard of " + ("branch" if self.pipe == "cbu" else "queue" if self.pipe in QUEUES else
                                  "uniform" if self.pipe == "uniform" else "math")
        if self.name in ("LDC", "VOTE", "P2R", "R2P", "R2UR", "VOTEU"):
            return self.name
        if self.pipe in ("lsu", "adu"):
            inside = re.findall(r"\bU?R\d+", " ".join(re.findall(r"\[([^]]*)\]", self.text)))
            number = int(re.sub(r"\D", "", resource))
            return "address" if {resource, re.sub(r"\d+", "", resource) + str(number - 1)} & set(inside) else "data"
        if self.pipe == "cbu":
            return "branch"
        if self.pipe == "tensor":
            accumulator = re.search(r"R\d+(?=[^R]*$)", self.text)
            first = int(accumulator.group()[1:]) if accumulator else -9
            return "accumulator" if resource[0] == "R" and 0 <= int(resource[1:]) - first < 4 else "matrix"
        addend = re.search(r"(U?R)(\d+)[^UR]*$", self.text)
        if self.wide() and addend and resource in (addend.group(), *(addend.group(1) + str(int(addend.group(2)) + i)
                                                                     for i in (0, 1))):
            return self.pipe + ", addend of IMAD.WIDE, .HI"
        return "queue" if self.pipe in QUEUES else self.pipe


class Block:
    """The straight line at hand: the last writer of each register, and its time."""

    def __init__(self):
        self.time, self.waited, self.writers = 0, 0, {}

    def step(self, inst, found):
        if inst.mask != "------":
            self.waited = self.time
        for resource in inst.reads + ([inst.guard] if inst.guard else []):
            self.read(resource, inst, found)
        for resource in inst.writes:
            self.writers[resource] = (self.time, inst) if inst.fixed else None
        self.time += inst.cycles

    def read(self, resource, inst, found):
        time, writer = self.writers.get(resource) or (None, None)
        if writer is None or self.waited > time:
            return
        opposite = writer.guard and writer.guard == inst.guard and writer.negated != inst.negated
        if not opposite:
            key = (writer.unit(), writer.result(resource), inst.reader(resource))
            found[key].append((self.time - time, writer.text + "  ->  " + inst.text))


def measure(path, found):
    for image in subcore("disasm", path)["images"]:
        for kernel in image.get("kernels", []):
            block = Block()
            for fields in kernel["instructions"]:
                known = "reads" in fields and NAME.match(fields["text"])
                if "label" in fields or not known:
                    block = Block()
                if not known:
                    continue
                inst = Instruction(fields)
                block.step(inst, found[image["architecture"]])
                if inst.pipe == "cbu":
                    block = Block()


def main(arguments):
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for path in arguments:
        if not path.startswith("--"):
            measure(path, found)
    archs = sorted(found)
    if "--markdown" in arguments:
        return print_markdown(found, archs)
    print("writer", "result", "reader", *(f"sm_{arch}" for arch in archs), sep="\t")
    for key in sorted({key for arch in archs for key in found[arch]}):
        row = []
        for arch in archs:
            distances = [distance for distance, _ in found[arch].get(key, [])]
            row.append(f"{min(distances)} ({distances.count(min(distances))}/{len(distances)})" if distances else "")
        print(*key, *row, sep="\t")
        for arch in archs if "--examples" in arguments else []:
            if found[arch].get(key):
                print("", f"sm_{arch}", *min(found[arch][key]), sep="\t")
    return None


def print_markdown(found, archs):
    print("| writer | result | reader | " + " | ".join(f"sm_{arch}" for arch in archs) + " |")
    print("|---|---|---|" + "---|" * len(archs))
    for key in sorted({key for arch in archs for key in found[arch]}):
        pairs = [found[arch].get(key, []) for arch in archs]
        if sum(map(len, pairs)) >= 24 and "?" not in key:
            print("| " + " | ".join([*key, *(str(min(p)[0]) if p else "" for p in pairs)]) + " |")


main(sys.argv[1:])
