#!/usr/bin/env python3
"""Random programs that are both C and CUDA, to compare the simulator with the host bit for bit.

    random_programs.py generate FIRST COUNT             print programs FIRST.. in the dialect of
                                                        tests/random/data/dialect.h
    random_programs.py run DRIVER ARCH FIRST COUNT      compile them for sm_ARCH, run them on the host and
                                                        with DRIVER (random_driver of a build), compare

A program's number is its seed. Needs nvcc and cc for `run`, and NVRTC of CUDA 12 before sm_75 (tools/nvrtc.py)."""
import argparse
import os
import random
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
NVRTC = os.path.join(ROOT, "tools", "nvrtc.py")    # for code that nvcc 13 does not know
DIALECT = os.path.join(ROOT, "tests", "random", "data")
NVCC_OPTIONS = ["-std=c++17", "-fmad=false", "-cubin"]
HOST_OPTIONS = ["-std=gnu17", "-O1", "-ffp-contract=off", "-frounding-math", "-fno-strict-aliasing", "-w"]
BATCH = 100

ROUNDINGS = ["rn", "rn", "rd", "ru", "rz"]
EXCHANGES = ["permute", "sum", "xor", "up", "down", "index", "ballot", "match", "all", "reduce", "count"]

# {u} {w} {f} {d} stand for operands of the type, {r} for a rounding, {k} for a small number, {c} for a 32-bit constant.
U32 = """{u}+{u} {u}-{u} {u}*{u} {u}&{u} {u}|{u} {u}^{u} ~{u} {u}<<({u}&31u) {u}>>({u}&31u) (u32)((s32){u}>>({u}&31u))
{u}/({u}|1u) {u}%({u}|1u) (u32)((s32){u}/(s32)(({u}&0x7fffu)|1u)) (u32)((s32){u}%(s32)(({u}&0x7ffffu)|1u))
{u}/{n}u {u}%{n}u {u}*{u}+{u} {u}*{n}u+{u} {u}<<{k} {u}>>{k} ({u}>>{k}&{m}u)
({u}&~({m}u<<{k}))|(({u}&{m}u)<<{k}) ({u}<{u}?{u}:{u}) ((s32){u}<(s32){u}?{u}:{u}) ({u}=={u}?{u}:{c})
((s32){u}>=(s32){c}?{u}:{u}) (u32)({u}<{u})+(u32)((s32){u}>(s32){u}) (u32)({w}<{w}) (u32)((s64){w}>=(s64){w})
(u32)({f}<{f})*{k}+(u32)({d}>={d}) ({u}&{u})|(~{u}&{u}) {u}^{u}^{u} ({u}|{u})&({u}|{u})&({u}|{u})
mul_high({u},{u}) mul_high_signed({u},{u}) rotate({u},{u}) rotate({u},{k}) funnel({u},{u},{u})
funnel_clamped({u},{u},{u}) count_bits({u}) count_bits_long({w}) leading_zeros({u}) leading_zeros_long({w})
first_bit({u}) reverse_bits({u}) pick_bytes({u},{u},{u}) pick_bytes({u},{u},{c}) absolute({u})
difference({u},{u},{u}) dot4({u},{u},{u}) dot4_signed({u},{u},{u}) dot2_low({u},{u},{u}) add4({u},{u})
add2_saturated({u},{u}) distance4({u},{u}) max2_signed({u},{u}) min4({u},{u}) equal4({u},{u})
add_max({u},{u},{u}) add_min_relu({u},{u},{u}) max3_2({u},{u},{u}) min3({u},{u},{u}) (u32){w} (u32)({w}>>32)
(u32)({w}>>{k}) bits_of({f}) (u32)bits_of_double({d}) to_signed_{r}({f}) to_unsigned_{r}({f})
double_to_signed_{r}({d}) double_to_unsigned_{r}({d}) (u32)(s32)(int8_t){u} (u32)(s32)(int16_t){u}
(u32)(uint8_t){u} in[{u}%INPUT_WORDS] byte_at(in,{u}) signed_half_at(in,{u}) half_at(in,{u})
signed_byte_at(in,{u}) {c} table[{u}%TABLE_WORDS] local[{u}%LOCAL_WORDS] called{z}({u},{u}) t*{k}+{u}""".split()
U64 = """{w}+{w} {w}-{w} {w}*{w} {w}&{w} {w}|{w} {w}^{w} ~{w} {w}<<({u}&63u) {w}>>({u}&63u) (u64)((s64){w}>>({u}&63u))
{w}/({w}|1u) {w}%({w}|1u) {w}/({u}|1u) (u64)((s64){w}/(s64)(({w}&0xffffffffffull)|1u)) {w}<<{k} {w}>>{k}
{w}+{u} {w}*{u} mul_high_long({w},{w}) mul_wide({u},{u}) mul_wide_signed({u},{u}) mul_wide({u},{u})+{w}
mul_wide_signed({u},{u})+{w} reverse_bits_long({w}) ({w}<{w}?{w}:{w}) ((s64){w}<(s64){w}?{w}:{w})
({w}=={w}?{w}:{w}) (u64){u} (u64)(s64)(s32){u} ((u64){u}<<32|{u}) bits_of_double({d}) to_signed_long_{r}({f})
to_unsigned_long_{r}({f}) double_to_signed_long_{r}({d}) double_to_unsigned_long_{r}({d}) long_at(in,{u})
pair_at(in,{u}) {w}*{n}ull {c}*{w}""".split()
F32 = """add_{r}({f},{f}) mul_{r}({f},{f}) fma32_{r}({f},{f},{f}) div_{r}({f},{f}) root_{r}({f}) {f}+{f} {f}-{f}
{f}*{f} {f}/{f} fmaf({f},{f},{f}) fmaf(-{f},{f},{f}) least({f},{f}) most({f},{f}) fabsf({f}) -{f} -fabsf({f})
with_sign({f},{f}) floorf({f}) ceilf({f}) truncf({f}) rintf({f}) roundf({f}) ({f}<{f}?{f}:{f})
({f}=={f}?{f}:{f}) (!({f}>{f})?{f}:{f}) from_signed_{r}({u}) from_unsigned_{r}({u}) from_signed_long_{r}({w})
from_unsigned_long_{r}({w}) narrow_{r}({d}) bits_float({u}) tame({f}) tame({f}) tame(bits_float({u}))
through_half({f}) through_bfloat({f}) half_sum({f},{f}) half_product({f},{f}) {f}*{x}f {f}+{x}f
fmaf({f},{x}f,{x}f) (f32)(uint8_t){u} (f32)(int16_t){u}""".split()
F64 = """add64_{r}({d},{d}) mul64_{r}({d},{d}) fma64_{r}({d},{d},{d}) div64_{r}({d},{d}) root64_{r}({d}) {d}+{d}
{d}-{d} {d}*{d} {d}/{d} fma({d},{d},{d}) fma(-{d},{d},{d}) least64({d},{d}) most64({d},{d}) fabs({d}) -{d}
with_sign_double({d},{d}) floor({d}) ceil({d}) trunc({d}) rint({d}) ({d}<{d}?{d}:{d}) ({d}=={d}?{d}:{d}) widen({f})
double_from_signed({u}) double_from_unsigned({u}) double_from_signed_long_{r}({w})
double_from_unsigned_long_{r}({w}) bits_double({w}) tame_double({d}) tame_double({d}) {d}*{x} {d}+{x}
fma({d},{x},{d})""".split()
EXPRESSIONS = {"u": U32, "w": U64, "f": F32, "d": F64}
COUNTS = {"u": 8, "w": 4, "f": 6, "d": 4}
CONDITIONS = """{u}<{u} (s32){u}<(s32){u} {u}=={u} ({u}&{m}u)==0 {f}<{f} {f}!={f} {d}>{d} {w}<{w} (s64){w}<0
({u}&1u)&&{f}<={f} {u}%3u==1||{d}<{d} !({f}>={f})""".split()


class Program:
    def __init__(self, number):
        self.number = number
        self.random = random.Random(number)
        self.called = self.random.randint(1, 3)
        self.loops = 0

    def variable(self, kind):
        return f"s->{kind}[{self.random.randrange(COUNTS[kind])}]"

    def fill(self, text):
        """Replaces {..} by operands."""
        r, out, at = self.random, [], 0
        while True:
            start = text.find("{", at)
            if start < 0:
                return "".join(out) + text[at:]
            kind = text[start + 1]
            out.append(text[at:start])
            at = start + 3
            if kind in COUNTS:
                deeper = r.random() < 0.15
                out.append("(" + self.expression(kind) + ")" if deeper else self.variable(kind))
            else:
                out.append({
                    "r": lambda: r.choice(ROUNDINGS),
                    "k": lambda: str(r.randint(1, 31)),
                    "m": lambda: str((1 << r.randint(1, 12)) - 1),
                    "n": lambda: str(r.choice([3, 5, 6, 7, 10, 13, 60, 100, 641, 1000, 65537, 1000003])),
                    "c": lambda: hex(r.choice([r.getrandbits(32), r.getrandbits(8), 0xffffffff, 0x80000000])) + "u",
                    "x": lambda: repr(r.choice([0.5, 2.0, -1.0, 3.0, 0.1, 1e-30, 123456.75, r.uniform(-8, 8)])),
                    "z": lambda: str(r.randrange(self.called)) + "_" + str(self.number),
                }[kind]())

    def expression(self, kind):
        return self.fill(self.random.choice(EXPRESSIONS[kind]))

    def assignment(self, indent):
        kind = self.random.choices("uwfd", [8, 3, 5, 3])[0]
        text = self.expression(kind).replace("table[", f"table_{self.number}[")
        if self.random.random() < 0.05:
            return [f"{indent}local[{self.variable('u')} % LOCAL_WORDS] ^= {self.variable('u')};"]
        return [f"{indent}{self.variable(kind)} = {text};"]

    def condition(self):
        return self.fill(self.random.choice(CONDITIONS)).replace("table[", f"table_{self.number}[")

    def block(self, depth, indent):
        lines = []
        for _ in range(self.random.randint(2, 4)):
            lines += self.statement(depth + 1, indent + "    ")
        return lines

    def loop(self, depth, indent):
        self.loops += 1
        i, limit = f"i{self.loops}", self.random.randint(2, 6)
        more = self.random.choice([0, 3])
        lines = [f"{indent}for (u32 {i} = 0; {i} < {limit}u + ({self.variable('u')} & {more}u) && {i} < 9u; {i}++) {{"]
        lines += self.block(depth, indent)
        if self.random.random() < 0.4:
            way_out = self.random.choice(["break", "continue"])
            lines += [f"{indent}    if ({self.condition()})", f"{indent}        {way_out};"]
        return lines + self.assignment(indent + "    ") + [indent + "}"]

    def switch(self, depth, indent):
        lines = [f"{indent}switch ({self.variable('u')} % {self.random.randint(4, 9)}u) {{"]
        for value in range(self.random.randint(4, 8)):
            lines += [f"{indent}case {value}:"] + self.assignment(indent + "    ")
            if self.random.random() < 0.8:
                lines.append(f"{indent}    break;")
        return lines + [f"{indent}default:"] + self.assignment(indent + "    ") + [indent + "}"]

    def statement(self, depth, indent):
        choice = self.random.random()
        if depth < 3 and choice < 0.10:
            lines = [f"{indent}if ({self.condition()}) {{"] + self.block(depth, indent)
            if self.random.random() < 0.6:
                lines += [indent + "} else {"] + self.block(depth, indent)
            return lines + [indent + "}"]
        if depth < 3 and choice < 0.16:
            return self.loop(depth, indent)
        if depth < 3 and choice < 0.19:
            return self.switch(depth, indent)
        return self.assignment(indent)

    def functions(self):
        for k in range(self.called):
            body = self.random.choice([
                "a % 5u == 0 ? b : called{k}_{n}(a / 2u, a ^ b * 3u) + 1u",
                "a < 2u ? a + b : called{k}_{n}(a >> 3, b + a) ^ b",
                "(a * {m}u) ^ b >> {s}"])
            body = body.format(k=k, n=self.number, m=self.random.getrandbits(16) | 1, s=self.random.randint(1, 9))
            yield f"CALLED u32 called{k}_{self.number}(u32 a, u32 b)\n{{\n    return {body};\n}}\n"

    def text(self):
        r = self.random
        out = [f"TABLE u32 table_{self.number}[TABLE_WORDS] = {{"
               + ", ".join(hex(r.getrandbits(32)) + "u" for _ in range(64)) + "};\n"]
        out += self.functions()
        steps = []
        for step in range(r.randint(2, 3)):
            lines = []
            for _ in range(r.randint(3, 8)):
                lines += self.statement(0, "    ")
            local = ["    u32 local[LOCAL_WORDS];", "    for (u32 i = 0; i < LOCAL_WORDS; i++)",
                     f"        local[i] = s->u[i % 8] + i;"] if any("local[" in line for line in lines) else []
            out.append(f"STEP void step{step}_{self.number}(struct state *s, const u32 *in, u32 t)\n{{\n"
                       + "\n".join(local + lines) + "\n    (void)in;\n    (void)t;\n}\n")
            steps.append(f"EACH(step{step}_{self.number})")
            steps.append(f"EXCHANGE({r.choice(EXCHANGES)}, {r.randint(1, 40)}u)")
        out.append(f"PROGRAM({self.number}, {' '.join(steps)})\n")
        return "\n".join(out)


def generate(first, count):
    numbers = range(first, first + count)
    parts = ['#include "dialect.h"\n'] + [Program(n).text() for n in numbers]
    parts.append("#ifndef __CUDACC__\n#include \"main.h\"\nstatic const struct program programs[] = {"
                 + ", ".join(f"{{{n}, program_{n}}}" for n in numbers)
                 + "};\n\nint main(void)\n{\n    return write_expected(programs, sizeof programs / sizeof *programs);\n"
                 + "}\n#endif\n")
    return "\n".join(parts)


GPUS = {"60": "p100", "61": "gtx-1080-ti", "70": "v100-sxm2", "75": "rtx-2080-ti", "80": "a100", "86": "rtx-a6000",
        "89": "rtx-4090", "90": "h200", "100": "b200", "120": "rtx-5080"}


def run_batch(driver, arch, first, count, folder):
    source, host = os.path.join(folder, "programs.c"), os.path.join(folder, "host")
    cubin, expected = os.path.join(folder, "programs.cubin"), os.path.join(folder, "expected")
    with open(source, "w") as file:
        file.write(generate(first, count))
    subprocess.run(["cc", *HOST_OPTIONS, "-I", DIALECT, "-o", host, source, "-lm"], check=True)
    compiler = ["nvcc"] if int(arch) >= 75 else [sys.executable, NVRTC]
    subprocess.run([*compiler, *NVCC_OPTIONS, f"-arch=sm_{arch}", "-w", "-I", DIALECT, "-x", "cu", "-o", cubin, source],
                   check=True)
    with open(expected, "wb") as file:
        subprocess.run([host], stdout=file, check=True)
    result = subprocess.run([driver, cubin, expected, GPUS[arch]], text=True, capture_output=True)
    print(result.stdout, end="")
    print(result.stderr, end="", file=sys.stderr)
    return result.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("generate")
    command.add_argument("first", type=int)
    command.add_argument("count", type=int)
    command = commands.add_parser("run")
    command.add_argument("driver")
    command.add_argument("arch", choices=GPUS)
    command.add_argument("first", type=int)
    command.add_argument("count", type=int)
    arguments = parser.parse_args()
    if arguments.command == "generate":
        print(generate(arguments.first, arguments.count), end="")
        return
    good = True
    with tempfile.TemporaryDirectory() as folder:
        end = arguments.first + arguments.count
        for first in range(arguments.first, end, BATCH):
            good &= run_batch(arguments.driver, arguments.arch, first, min(BATCH, end - first), folder)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
