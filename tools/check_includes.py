#!/usr/bin/env python3
"""Checks the includes between folders: check_includes.py ROOT.

src/layers.txt has the allowed edges, between the folders of src and between the floors (sub-folders) of each. The
table of folders in ARCHITECTURE.md must say the same. The timing model (sm, mem) never sees the functional one (exec);
both meet in gpu.

The headers of a folder itself are for all of its floors, with two limits. A header of a floor gets no floor through
them that its row lacks. And one that brings all floors, such as sm/sm.h, is for no floor: a unit never sees the whole
machine."""
import functools
import pathlib
import re
import sys

TABLE = "src/layers.txt"

# Libraries outside the C library, and the folders that may use them.
EXTERNAL = {"ini.h": ["config"], "cjson/cJSON.h": ["cli"], "zstd.h": ["accelsim", "base", "cubin", "trace"],
            "lzma.h": ["accelsim"], "zlib.h": ["accelsim"],
            "pthread.h": ["api", "base", "cupti", "driver", "runtime", "trace"],
            "cmocka.h": []}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
ROW = re.compile(r"\| `(\w+)`[^|]*\|[^|]*\| (.+) \|$")


class Layers:
    """The table: the folders that each folder may include, and the floors of its own folder that each floor may."""

    def __init__(self, text):
        self.folders, self.floors, self.errors = {}, {}, []
        for number, line in enumerate(text.splitlines(), 1):
            name, colon, rest = line.partition(":")
            if not line or line.startswith("#"):
                continue
            if not colon:
                self.errors.append(f"{TABLE}:{number}: no row 'folder: folders'")
                continue
            floors = "/" in name
            known = self.floors if floors else self.folders
            allowed = rest.split()
            for other in allowed:
                full = f"{name.split('/')[0]}/{other}" if floors else other
                if "/" not in other and full not in known:
                    self.errors.append(f"{TABLE}:{number}: {name} names {other}, which is not above it")
            known[name] = allowed

    def complaint(self, folder, floor, target):
        """Why a file of the folder and floor (None: of the folder itself) may not include `target`; None: it may."""
        if folder not in self.folders:
            return f"the folder {folder} is not in {TABLE}"
        if floor is not None and f"{folder}/{floor}" not in self.floors:
            return f"the floor {folder}/{floor} is not in {TABLE}"
        parts = target.split("/")
        if parts[0] != folder:
            allowed = self.folders[folder]
            if parts[0] in allowed or "/".join(parts[:2]) in allowed:
                return None
            return f"{folder} may not include {parts[0]}"
        if floor is None or len(parts) < 3 or parts[1] == floor:
            return None
        if parts[1] in self.floors[f"{folder}/{floor}"]:
            return None
        return f"{folder}/{floor} may not include {folder}/{parts[1]}"

    def differences(self, document):
        """Yields differences in a document's folder table."""
        told = {m.group(1): m.group(2) for m in map(ROW.match, document.splitlines()) if m}
        for name, allowed in self.folders.items():
            if name not in told:
                yield f"the table of folders lacks {name}"
                continue
            words = re.findall(r"[\w/]+", told.pop(name))
            if sorted(words) != sorted(allowed or ["nothing"]):
                yield f"{name} may include {', '.join(allowed) or 'nothing'}, says {TABLE}"
        yield from (f"the table of folders has {name}, and {TABLE} has not" for name in told)


class Headers:
    """Returns the headers that the headers of src include."""

    def __init__(self, root):
        self.root = root
        self.included = functools.cache(self._included)

    def _included(self, target):
        """The headers of its own folder that a header includes. A table (.def) has the includes of its user."""
        path = self.root / "src" / target
        if path.suffix != ".h" or not path.exists():
            return []
        matches = map(INCLUDE.match, path.read_text(encoding="utf-8").splitlines())
        return [m.group(2) for m in matches if m and m.group(2).startswith(target.split("/", maxsplit=1)[0] + "/")]

    def brought(self, target, past_floors=False):
        """The headers of floors that a header brings: the first on each way, or all."""
        seen, left, found = set(), [target], set()
        while left:
            name = left.pop()
            if name in seen:
                continue
            seen.add(name)
            if name.count("/") > 1:
                found.add(name)
            if past_floors or name.count("/") < 2:
                left += self.included(name)
        return sorted(found)


def roundabout(layers, headers, path, folder, floor, target):
    """Why a file of a floor may not include a header of the folder itself; None: it may."""
    if floor is None or target.count("/") != 1 or not target.startswith(folder + "/"):
        return None
    floors = {name for name in layers.floors if name.startswith(folder + "/")}
    if len(floors) > 1 and floors <= {name.rpartition("/")[0] for name in headers.brought(target, past_floors=True)}:
        return f"{target} brings all floors of {folder}: it is for no floor"
    for name in headers.brought(target) if path.suffix == ".h" else []:
        reason = layers.complaint(folder, floor, name)
        if reason:
            return f"{reason} (through {target})"
    return None


def sources(root):
    """Each C file with the name of its folder in the table and of its floor."""
    for path in sorted(root.glob("src/*/**/*.[chd]*")):
        parts = path.relative_to(root / "src").parts
        yield path, parts[0], parts[1] if len(parts) > 2 else None
    for path in sorted(root.glob("include/subcore/*.h")):
        yield path, "subcore", None
    for folder in ("examples", "validate", "validate/micro", "validate/kernels", "validate/hw"):
        for path in sorted(root.glob(f"{folder}/*.[ch]")):
            yield path, folder.split("/", maxsplit=1)[0], None


def complaint(layers, path, folder, floor, kind, name):
    if kind == "<":
        allowed = EXTERNAL.get(name)
        return f"<{name}> is for {allowed or 'tests'} only" if allowed is not None and folder not in allowed else None
    if "/" not in name:
        if folder in ("examples", "validate") and (path.parent / name).exists():
            return None
        return f'"{name}" does not name its folder'
    return layers.complaint(folder, floor, name)


def errors(root):
    layers = Layers((root / TABLE).read_text(encoding="utf-8"))
    yield from layers.errors
    for difference in layers.differences((root / "ARCHITECTURE.md").read_text(encoding="utf-8")):
        yield f"ARCHITECTURE.md: {difference}"
    headers = Headers(root)
    for path, folder, floor in sources(root):
        if path.suffix not in (".c", ".h", ".def"):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            reason = match and (complaint(layers, path, folder, floor, match.group(1), match.group(2)) or
                                roundabout(layers, headers, path, folder, floor, match.group(2)))
            if reason:
                yield f"{path.relative_to(root)}:{number}: {reason}"


def main(root):
    found = list(errors(root))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
