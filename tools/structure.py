#!/usr/bin/env python3
"""Measures the structure of src, from the sources alone: structure.py ROOT prints a table, --help lists the rest.

A *unit* is x.c with x.h. The units in a folder of src (with its sub-folders) form a graph: an edge is a direct call by
name of a function that the other unit defines. A *cycle* is a set of units that all reach each other; the table has the
largest one of each folder. A function's address is not a call and makes no edge; --pointers lists these.

--check compares with the limits of structure.tsv. A folder without a row there has no cycle."""
import argparse
import collections
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent))
from c_source import read_tree  # pylint: disable=wrong-import-position

ISA = ("isa", "exec")   # the folders that may ask for an opcode by its name
PUBLIC = ("include/subcore/*.h", "lib/*", "src/driver/abi/*.h", "src/driver/state/entries.def", "bench/*.c",
          "src/runtime/abi/*.h", "tests/runtime/exports.txt")   # functions that they name are for others


def unit(function):
    return function.file.path.with_suffix("")


def folder(path, src):
    return path.relative_to(src).parts[0]


class Tree:
    """The functions of src, and which unit calls or names which."""

    def __init__(self, root):
        self.src = root / "src"
        self.files = read_tree(self.src)
        self.functions = [f for file in self.files for f in file.functions]
        self.shared = collections.defaultdict(list)   # name -> definitions that other files see
        self.private = collections.defaultdict(dict)  # file -> name -> definitions that only it sees
        for f in self.functions:
            if f.static and f.file.path.suffix == ".c":
                self.private[f.file][f.name] = f
            else:
                self.shared[f.name].append(f)

    def resolve(self, file, name):
        """The definition that a name in the file means, or None."""
        if name in self.private[file]:
            return self.private[file][name]
        found = [f for f in self.shared.get(name, []) if not f.static or f.file is file or f.file in file.seen]
        own = [f for f in found if f.file.path.with_suffix("") == file.path.with_suffix("")]
        return (own or sorted(found, key=lambda f: f.made) or [None])[0]   # stubs that macros make come last

    def edges(self, name, pointers=False):
        """(caller's unit, other unit) of a folder -> [(caller, function, line)]."""
        found = collections.defaultdict(list)
        for file in self.files:
            if folder(file.path, self.src) != name:
                continue
            places = [(f, f.mentions if pointers else f.calls) for f in file.functions]
            places += [(None, file.mentions)] if pointers else []
            for caller, named in places:
                for called, line in named.items():
                    f = self.resolve(file, called) if caller is None or called not in caller.declared else None
                    if f and unit(f) != file.path.with_suffix("") and folder(f.file.path, self.src) == name:
                        found[file.path.with_suffix(""), unit(f)].append((caller, f, line))
        return found


def components(edges):
    """The strongly connected components of more than one node, largest first (Tarjan, without recursion)."""
    after = collections.defaultdict(list)
    for a, b in edges:
        after[a].append(b)
    index, low, stack, waiting, out = {}, {}, [], set(), []
    for root in list(after):
        work = [(root, iter(after[root]))] if root not in index else []
        while work:
            node, rest = work[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                stack.append(node)
                waiting.add(node)
            for other in rest:
                if other not in index:
                    work.append((other, iter(after[other])))
                    break
                if other in waiting:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    out.append(stack[at:])
                    waiting.difference_update(stack[at:])
                    del stack[at:]
    return sorted((sorted(c) for c in out if len(c) > 1), key=len, reverse=True)


def count_opcodes(tree):
    """folder -> uses of ISA_OP_ names in code."""
    counts = collections.Counter()
    for file in tree.files:
        counts[folder(file.path, tree.src)] += file.text.count("ISA_OP_")
    return counts


def takes_sm(tree):
    return [f for f in tree.functions
            if folder(f.file.path, tree.src) == "sm" and "struct sm *" in f.parameters]


def measure(tree):
    """Rows of (measure, value, subject)."""
    code = [f for f in tree.files if f.path.suffix == ".c"]
    largest = max(code, key=lambda f: f.lines)
    longest = max((f for f in tree.functions if not f.made), key=lambda f: f.lines)
    for name in sorted({folder(f.path, tree.src) for f in code}):
        knots = components(tree.edges(name))
        yield f"cycle {name}", len(knots[0]) if knots else 0, " ".join(u.name for u in knots[0][:12]) if knots else ""
    yield "functions with struct sm *", len(takes_sm(tree)), "in src/sm"
    opcodes = {k: v for k, v in count_opcodes(tree).items() if v and k not in ISA}
    where = " ".join(f"{k} {v}" for k, v in sorted(opcodes.items()))
    yield "ISA_OP_ outside isa and exec", sum(opcodes.values()), where
    yield "median lines of a .c file", sorted(f.lines for f in code)[len(code) // 2], f"{len(code)} files"
    yield "lines of the largest .c file", largest.lines, str(largest.path.relative_to(tree.src))
    yield "lines of the longest function", longest.lines, f"{longest.file.path.relative_to(tree.src)}: {longest.name}"
    yield "functions", len(tree.functions), ""


def unused(tree, root):
    """Functions for other files that nothing in src names and no file outside declares."""
    named = set()
    for file in tree.files:
        named.update(file.mentions)
        for f in file.functions:
            named.update(f.calls)
            named.update(f.mentions)
    outside = "".join(path.read_text(encoding="utf-8", errors="replace") for pattern in PUBLIC
                      for path in sorted(root.glob(pattern)))
    public = set(re.findall(r"\w+", outside))
    return [f for f in tree.functions if f.name not in named and f.name not in public and not f.made
            and f.name != "main" and not (f.static and f.file.path.suffix == ".c")]


def limits():
    """measure -> the most it may be."""
    table = pathlib.Path(__file__).with_suffix(".tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in table.splitlines() if line and not line.startswith("#")]
    return {measure: int(limit) for measure, limit in rows}


def check(rows):
    """Prints the measures that are above their limits, or have none. Returns how many."""
    bad, known = 0, limits()
    for name, value, about in rows:
        limit = known.pop(name, 0 if name.startswith("cycle ") else None)
        if limit is not None and value > limit:
            print(f"{name}: {value}, and the limit is {limit} ({about})")
            bad += 1
    for name in known:
        print(f"{name}: a limit for something that is not measured")
    return bad + len(known)


def show(tree, name, pointers):
    """Prints the cycles of a folder with the calls that make them, or the functions whose address units take."""
    edges = tree.edges(name, pointers)
    knots = [list({u for edge in edges for u in edge})] if pointers else components(edges)
    for knot in knots:
        if not pointers:
            print(f"{len(knot)} units:", " ".join(u.name for u in knot))
        for (a, b), calls in sorted(edges.items()):
            if a in knot and b in knot:
                named = ", ".join(sorted({f"{f.name} (line {line})" for _, f, line in calls}))
                print(f"  {a.name} -> {b.name}: {named}")


def main():
    parser = argparse.ArgumentParser(description="Measures the structure of src.")
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--check", action="store_true", help="compare with the limits of structure.tsv")
    parser.add_argument("--show", metavar="FOLDER", help="the folder's cycles, and the calls that make them")
    parser.add_argument("--pointers", metavar="FOLDER", help="the functions of other units whose address a unit takes")
    parser.add_argument("--takes-sm", action="store_true", help="the functions with a parameter struct sm *")
    parser.add_argument("--unused", action="store_true", help="the functions that nothing in src names")
    args = parser.parse_args()
    root = args.root.resolve()
    tree = Tree(root)
    if args.check:
        return 1 if check(measure(tree)) else 0
    if args.show or args.pointers:
        show(tree, args.show or args.pointers, bool(args.pointers))
    elif args.unused or args.takes_sm:
        for f in unused(tree, root) if args.unused else takes_sm(tree):
            print(f"{f.file.path.relative_to(root)}:{f.line}: {f.name}")
    else:
        for name, value, about in measure(tree):
            print(f"{name:32} {value:6}  {about}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
