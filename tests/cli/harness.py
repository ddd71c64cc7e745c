"""The part that the tests of the command line share: the program (SUBCORE), the sources (SUBCORE_ROOT), and a main
program."""
import inspect
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SUBCORE = os.environ["SUBCORE"]
os.environ.setdefault("SUBCORE_PROGRESS", "0")  # a slow host writes no lines that a test does not expect
ROOT = pathlib.Path(os.environ["SUBCORE_ROOT"])


def subcore(*words, text=None):
    return subprocess.run([SUBCORE, *map(str, words)], input=text, capture_output=True, text=True, timeout=300,
                          check=False)


def succeeds(*words, text=None):
    result = subcore(*words, text=text)
    assert result.returncode == 0, (words, result.returncode, result.stderr)
    assert result.stderr == "" or "--json" in words, (words, result.stderr)
    return result.stdout


def fails(code, part, *words, text=None):
    """The command ends with `code` and one line on standard error that holds `part`."""
    result = subcore(*words, text=text)
    assert result.returncode == code, (words, result.returncode, result.stderr)
    assert result.stderr.startswith("subcore: ") and result.stderr.count("\n") == 1, (words, result.stderr)
    assert part in result.stderr, (words, part, result.stderr)
    return result


def document(*words):
    return json.loads(succeeds(*words, "--json", "-", "--quiet"))


def without_host(value):
    if isinstance(value, dict):
        return {key: without_host(v) for key, v in value.items() if key != "host"}
    return [without_host(v) for v in value] if isinstance(value, list) else value


# ---- pages ---------------------------------------------------------------------------------------------------------


def decoded(value, shapes):
    """Decodes the data block as docs/reports.md describes it."""
    if not isinstance(value, list):
        return value
    parts = [decoded(part, shapes) for part in value[1:]]
    return parts if value[0] < 0 else dict(zip(shapes[value[0]], parts, strict=True))


def block_of(path):
    text = path.read_text(encoding="utf-8")
    block = json.loads(re.search(r'<script type="application/json" id="data">\n(.*?)</script>', text, re.S)[1])
    return block, [decoded(run["document"], block["shapes"]) for run in block["runs"]]


def run(test):
    """A test that takes something gets an empty folder."""
    if not inspect.signature(test).parameters:
        return test()
    with tempfile.TemporaryDirectory() as folder:
        return test(pathlib.Path(folder))


def main(names):
    """Runs the functions test_... in `names`, or those whose name holds a word of the command line. Prints TAP."""
    failed = 0
    tests = [(name, value) for name, value in names.items() if name.startswith("test_")]
    wanted = [(name, test) for name, test in tests if not sys.argv[1:] or any(word in name for word in sys.argv[1:])]
    print(f"1..{len(wanted)}")
    for number, (name, test) in enumerate(wanted, 1):
        try:
            run(test)
            print(f"ok {number} {name}", flush=True)
        except Exception as error:  # pylint: disable=broad-except
            failed += 1
            print(f"not ok {number} {name}", flush=True)
            print("\n".join("# " + line for line in repr(error).splitlines()), flush=True)
            trace = error.__traceback__
            while trace:
                print(f"# line {trace.tb_lineno}", flush=True)
                trace = trace.tb_next
    sys.exit(failed > 0)
