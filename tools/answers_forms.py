"""The forms of an architecture's instructions whose results depend on registers and predicates alone, as lines of SASS.

Everything comes from the tables of the simulator: `subcore isa` names the fields of a form and their bits, `subcore
disasm` makes text of a word. Operands stand in fixed registers: A in R16.., B in R24.., C in R32.., the metadata of
sparse products in R48, the result in R40... Predicates P1 to P3 are read, P4 and P5 are written."""
import itertools
import json
import random
import subprocess

REGISTERS = {"Ra": 16, "Rb": 24, "Rc": 32, "Rd": 40, "Re": 48}
PREDICATES = {"Pp": 1, "Pq": 2, "Pr": 3, "Pu": 4, "Pv": 5,
              "UPp": 0}    # 0: the instruction has none
# Numbers of a field that stands for no name: tables of logic, shifts, masks.
NUMBERS = {"LUT": (0x96, 0xe8, 0xca, 0x1b, 0x80), "LUT2": (0x2d, 0xe8), "SHIFT": (0, 1, 5, 31), "MASK": (15, 5),
           "SIGNS": (0x1b, 0xe4), "SELECTOR": (0, 1)}
PIPES = {"alu", "fma", "fmaheavy", "fp16", "fp64", "xu", "tensor"}
ALSO = {"SHFL", "MATCH"}
# Their results depend on more than operands, or they would change the code around them.
LEFT_OUT = {"CS2R", "LEPC", "RPCMOV", "S2R", "NOP", "R2UR", "QSPC"}
BESIDE = ("imm", "c[", "cx[", "UR", "target", "address", "barrier", "SB", "name", "[R")
COMBINATIONS = 24     # of several modifiers at once, for each form


class Tables:
    """The description that `subcore` gives of one architecture."""

    def __init__(self, subcore, arch):
        self.subcore, self.arch = subcore, arch

    def ask(self, *words):
        text = subprocess.run([self.subcore, "isa", *words, "--arch", self.arch, "--json", "-"], check=True,
                              capture_output=True, text=True).stdout
        return json.loads(text)["opcodes"]

    def texts(self, words):
        """The text of each 128-bit word."""
        lines = "".join(f"{word:032x}\n" for word in words)
        done = subprocess.run([self.subcore, "disasm", "--hex", "-", "--plain", "--arch", self.arch], input=lines,
                              check=False, capture_output=True, text=True)
        return [line.strip().rstrip(";").strip() for line in done.stdout.splitlines()]


def places(bits):
    """The bits of a field, the highest first: "86,61:60" is 86, 61, 60."""
    found = []
    for part in bits.split(","):
        ends = [int(end) for end in part.split(":")]
        found += range(ends[0], ends[-1] - 1, -1)
    return found


def put(word, bits, value):
    where = places(bits)
    for n, place in enumerate(where):
        bit = value >> (len(where) - 1 - n) & 1
        word = word & ~(1 << place) | bit << place
    return word


def choices(field):
    """The values of a field that are tried, the usual one first; None: a form with such a field is left out."""
    name = field["name"]
    if name in REGISTERS:
        return (REGISTERS[name],)
    if name in PREDICATES:
        return (PREDICATES[name] if field["printed"] else 7,)
    if field["values"]:
        values = tuple(value["value"] for value in field["values"])
        return values[1:] + values[:1] if name == "CMP" else values   # the first is never true
    if name in NUMBERS:
        return NUMBERS[name]
    if name == "!UPp":
        return (0,)
    if name[0] in "-~|!":
        return (0, 1)
    if name.startswith("part of"):
        return tuple(range(1 << len(places(field["bits"]))))
    return (0,) if name == "unused" else None


def words_of(form, seed):
    """Words of a form: each value of each field once, beside the usual values of the others, then mixtures."""
    free = [field for field in form["fields"] if "fixed" not in field]
    values = [choices(field) for field in free]
    if None in values:
        return
    picked = [tuple(v[0] for v in values)]
    for n, v in enumerate(values):
        picked += [picked[0][:n] + (other,) + picked[0][n + 1:] for other in v[1:]]
    draw = random.Random(f"{form['text']} {seed}")
    picked += [tuple(draw.choice(v) for v in values) for _ in range(COMBINATIONS)]
    for values in picked:
        word = form["opcode"] & 0xfff | form["opcode"] >> 12 << 91 | 7 << 12
        for field, value in zip(free, values):
            word = put(word, field["bits"], value)
        for field in form["fields"]:
            if "fixed" in field:
                word = put(word, field["bits"], field["fixed"])
        yield word


def is_wanted(form):
    operands = form["text"].partition(" ")[2].replace("{, UPp}", "")
    return not any(word in operands for word in BESIDE)


def forms(tables, wanted=()):
    """Each instruction once: (mnemonic, line). `wanted`: mnemonics, or none for all."""
    names = {op["mnemonic"] for op in tables.ask()
             if op["executed"] and (op["pipe"] in PIPES and op["memory"] == "none" or op["mnemonic"] in ALSO)}
    seen = set()
    for name in sorted(names - LEFT_OUT):
        if wanted and name not in wanted:
            continue
        found = [form for op in tables.ask(name) if op["executed"] for form in op["forms"] if is_wanted(form)]
        words = list(itertools.chain.from_iterable(words_of(form, n) for n, form in enumerate(found)))
        for text in tables.texts(words):
            if text and text not in seen and not any(bad in text for bad in ("INVALID", "???", ".word", "UNDEF")):
                seen.add(text)
                yield name, text
