"""Operands for the kernels of answers.py: tables with rows. A row gives 32 lanes 8 words each for A, B, C and E.

The first half of the rows has every pair of edge cases in the first words of A and B, the second random bits of the
same kind. Words of a table are the same everywhere: Python's generator has not changed since 3.2."""
import random
import struct

LANES, WORDS, SOURCES = 32, 8, 4
EDGE_ROWS, RANDOM_ROWS = 32, 32
ROWS_OF_EACH = 40           # of tables with all kinds
SEED = 20261128

F32 = [0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x007ffffe, 0x00800000, 0x80800001, 0x3f800000, 0xbf800000,
       0x3f7fffff, 0x3f800001, 0x3f000000, 0xc0000000, 0x40400000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
       0x7fc00000, 0x7fffffff, 0x7f800001, 0xffc12345, 0x4b000001, 0xcb7fffff, 0x4f000000, 0xcf000000, 0x4f800000,
       0x5f000000, 0x3effffff, 0x33800000, 0x2f000001, 0x1f800000]
F64 = [0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x800fffffffffffff, 0x0010000000000000,
       0x3ff0000000000000, 0xbff0000000000000, 0x3fefffffffffffff, 0x3ff0000000000001, 0x3fe0000000000000,
       0xc000000000000000, 0x4008000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000,
       0xfff0000000000000, 0x7ff8000000000000, 0xfff8000012345678, 0x7ff0000000000001, 0xfff4000055aa1234,
       0x41dfffffffc00000, 0xc1e0000000000000, 0x41f0000000000000, 0x43e0000000000000, 0x4330000000000001,
       0x380fffffffffffff, 0x3810000000000000, 0x369fffffffffffff, 0x47efffffefffffff, 0x3f10000000000001,
       0x1ff0000000000000, 0x3ca0000000000000]
F16 = [0x0000, 0x8000, 0x0001, 0x83ff, 0x03fe, 0x0400, 0x8401, 0x3c00, 0xbc00, 0x3bff, 0x3c01, 0x3800, 0xc000, 0x4200,
       0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7fff, 0x7c01, 0xfe12, 0x6401, 0xe7ff, 0x7800, 0xf800, 0x5bff, 0x7ff7,
       0x37ff, 0x1400, 0x0c01, 0x2000]
BF16 = [0x0000, 0x8000, 0x0001, 0x807f, 0x007e, 0x0080, 0x8081, 0x3f80, 0xbf80, 0x3f7f, 0x3f81, 0x3f00, 0xc000, 0x4040,
        0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x7fff, 0x7f81, 0xffc1, 0x4301, 0xc37f, 0x4f00, 0xcf00, 0x4f80, 0x7ff7,
        0x3eff, 0x3380, 0x2f01, 0x1f80]
WHOLE = [0, 1, 2, 3, 5, 7, 8, 15, 16, 24, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000,
         0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0x55555555, 0xaaaaaaaa, 0x12345678, 0x80ff7f01,
         0xffffff80]


def word32(edges):
    return lambda _, n: [edges[(n + 7 * w) % 32] for w in range(WORDS)]


def word64(edges):
    return lambda _, n: [edges[(n + 7 * w) % 32] >> half & 0xffffffff for w in range(WORDS // 2) for half in (0, 32)]


def word16(edges):
    return lambda _, n: [edges[(n + 7 * w) % 32] | edges[(n + 7 * w + 5) % 32] << 16 for w in range(WORDS)]


def extra(draw):
    """E: metadata of a sparse product that is one for every type, then bits for predicates."""
    metadata = sum(draw.choice((0x4, 0xe)) << 4 * n for n in range(8))
    return [metadata] + any_bits(draw, 0)[1:]


def any_bits(draw, _):
    return [draw.getrandbits(32) for _ in range(WORDS)]


def near(low, high, mask, halves):
    """Floats of few exponents, so that sums meet: the sign and fraction bits of `mask` between two encodings."""
    def one(draw):
        exponent = low + draw.randrange(high)
        return exponent << mask.bit_length() | draw.getrandbits(mask.bit_length())

    def words(draw, _):
        if halves:
            return [one(draw) | draw.getrandbits(1) << 15 | one(draw) << 16 | draw.getrandbits(1) << 31
                    for _ in range(WORDS)]
        return [one(draw) | draw.getrandbits(1) << 31 for _ in range(WORDS)]
    return words


def near64(draw, _):
    values = [(1015 + draw.randrange(16)) << 52 | draw.getrandbits(52) | draw.getrandbits(1) << 63
              for _ in range(WORDS // 2)]
    return [value >> half & 0xffffffff for value in values for half in (0, 32)]


# Kinds of operands: edge cases, numbers near 1. Random rows mix both with any bits.
KINDS = {
    "int": (word32(WHOLE), any_bits),
    "f32": (word32(F32), near(119, 16, (1 << 23) - 1, False)),
    "f64": (word64(F64), near64),
    "f16": (word16(F16), near(8, 14, (1 << 10) - 1, True)),
    "bf16": (word16(BF16), near(119, 16, (1 << 7) - 1, True)),
}


def kind_of(mnemonic, text):
    """The kind of an instruction's operands. Conversions get all kinds."""
    modifiers = text.split()[0].split(".")
    if mnemonic in ("F2F", "F2I", "FRND", "MUFU", "F2FP", "I2F"):
        return "any"
    if mnemonic in ("HMMA", "HFMA2", "HFMA2.MMA", "HADD2", "HMUL2", "HMNMX2", "HSET2", "HSETP2"):
        return "bf16" if {"BF16", "BF16_V2"} & set(modifiers) else "f32" if "TF32" in modifiers else "f16"
    if mnemonic in ("DADD", "DMUL", "DFMA", "DSETP", "DMMA"):
        return "f64"
    return "f32" if mnemonic[0] == "F" and mnemonic not in ("FLO",) else "int"


def rows_of(kind, draw):
    edges, numbers = KINDS[kind]
    for row in range(EDGE_ROWS + RANDOM_ROWS):
        lanes = []
        for lane in range(LANES):
            n = row * LANES + lane
            if row < EDGE_ROWS:
                places = (n % 32, n // 32 % 32, (n * 13 + n // 32 * 5) % 32)
                lanes.append([edges(draw, place) for place in places] + [extra(draw)])
            else:
                pick = [draw.choice((edges, numbers, numbers, any_bits)) for _ in range(SOURCES - 1)]
                lanes.append([one(draw, draw.randrange(32)) for one in pick] + [extra(draw)])
        yield lanes


def pack(rows):
    """A row: words of A, B, C, E, each of all lanes, so that neighbouring lanes lie together."""
    out = bytearray()
    for lanes in rows:
        for source in range(SOURCES):
            for word in range(WORDS):
                out += struct.pack(f"<{LANES}I", *(lane[source][word] for lane in lanes))
    return bytes(out)


def table(kind):
    """(bytes, rows) of a kind; "any" has the rows of all."""
    rows = []
    for one in KINDS if kind == "any" else [kind]:
        part = list(rows_of(one, random.Random(f"{one} {SEED}")))
        rows += part[:ROWS_OF_EACH] if kind == "any" else part
    return pack(rows), len(rows)


def sweep(bits):
    """Every 2^bits-th pattern of 32 bits, each with other lower bits, so that all exponents have other fractions."""
    count = 1 << (32 - bits)
    values = (n << bits | (n * 2654435761 >> 7 & ((1 << bits) - 1)) for n in range(count))
    return struct.pack(f"<{count}I", *values), count // LANES
