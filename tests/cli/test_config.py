#!/usr/bin/env python3
"""`subcore config`: values, differences, assumptions, errors."""
import csv
import json
import os
import re
import tempfile

from harness import fails, main, subcore, succeeds


def table(text):
    return list(csv.DictReader(text.splitlines()))


def test_config():
    text = succeeds("config", "a100", "--set", "core.rfc=false")
    assert "rfc = false" in text
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "my.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        again = json.loads(succeeds("config", path, "--json", "-"))
        data = json.loads(succeeds("config", "a100", "--set", "core.rfc=false", "--json", "-"))
        assert again == data and data["config"]["core"]["rfc"] is False
    other = json.loads(succeeds("config", "a100", "--json", "-"))
    assert other["config_hash"] != data["config_hash"]
    assert "a100" in succeeds("gpus") and "h200" in succeeds("gpus")


def differs(*words):
    """`config --diff` of two GPUs that are not alike: exit status 1 and no message."""
    result = subcore("config", *words)
    assert result.returncode == 1 and result.stderr == "", (words, result)
    return result.stdout


def test_config_lists_every_value_as_csv():
    rows = table(succeeds("config", "a100", "--csv", "-"))
    assert next(row for row in rows if row["key"] == "gpu.sms") == {
        "key": "gpu.sms", "value": "108", "unit": "SM", "file": "a100", "source": "A100 white paper"}
    sections = json.loads(succeeds("config", "a100", "--json", "-"))["config"]
    assert [row["key"] for row in rows] == [f"{name}.{key}" for name, keys in sections.items() for key in keys]


def test_config_diff_lists_exactly_what_differs():
    a, b = (json.loads(succeeds("config", name, "--json", "-"))["config"] for name in ("a100", "h200"))
    expected = {f"{s}.{key}": (a[s][key], b[s][key]) for s in a for key in a[s] if a[s][key] != b[s][key]}
    data = json.loads(differs("a100", "--diff", "h200", "--json", "-"))
    found = {f"{d['section']}.{d['key']}": (d["a"]["value"], d["b"]["value"]) for d in data["differences"]}
    assert found == expected and data["values"] == sum(len(keys) for keys in a.values())
    assert [row["key"] for row in table(differs("a100", "--diff", "h200", "--csv", "-"))] == list(expected)
    text = differs("a100", "--diff", "h200")
    assert re.search(r"^sms +108 +132 +SM\n    < a100: A100 white paper\n    > h200: product data sheet$", text, re.M)
    assert text.endswith(f"\n{len(expected)} of {data['values']} values differ between a100 and h200.\n")


def test_config_diff_takes_files_and_settings():
    assert succeeds("config", "a100", "--diff", "a100").startswith("0 of ")
    text = differs("a100", "--set", "core.rfc=off", "--diff", "a100")
    assert "rfc  false   true\n    < set\n    > sm_86: MICRO 2025 paper, section 5\n" in text, text
    assert "\n1 of " in text
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "my.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write('inherits = "a100"\n[gpu]\nmemory = 4  # counted\nclock = 1000\n')
        rows = table(differs(path, "--diff", "a100", "--csv", "-"))
        assert [(r["key"], r["value_a"], r["value_b"], r["source_a"]) for r in rows] == [
            ("gpu.clock", "1000", "1410", ""), ("gpu.memory", "4", "39.5", "counted")], rows
        assert rows[0]["file_a"] == path and rows[0]["file_b"] == "a100"
        assert succeeds("config", path, "--diff", "a100", "--set", "gpu.memory=39.5", "--set",
                        "gpu.clock=1410")[0] == "0"


def test_config_lists_what_is_assumed():
    rows = table(succeeds("config", "b200", "--assumed", "--csv", "-"))
    assert all("assumed" in row["source"] and row["settled_by"] and row["gpu"] == "b200" for row in rows)
    values = table(succeeds("config", "b200", "--csv", "-"))
    assert [row["key"] for row in rows] == [row["key"] for row in values if "assumed" in row["source"]]
    data = json.loads(succeeds("config", "b200", "--assumed", "--json", "-"))
    assert [f"{v['section']}.{v['key']}" for v in data["gpus"][0]["assumed"]] == [row["key"] for row in rows]
    text = succeeds("config", "b200", "--assumed")
    assert text.count("    to settle it: ") == len(rows)
    assert f"\n{len(rows)} of the {len(values)} values of b200 are assumed: gpu " in text
    count = len(table(succeeds("config", "a100", "--csv", "-", "--assumed", "--set", "l1.ways=32")))
    assert count == len(table(succeeds("config", "a100", "--csv", "-", "--assumed"))) - 1   # one has been chosen


def test_config_lists_what_is_assumed_of_all_gpus():
    rows = table(succeeds("config", "--assumed", "--csv", "-"))
    gpus = [line.split()[0] for line in succeeds("gpus").split("\n\n")[0].splitlines()[1:]]   # the products
    assert list(dict.fromkeys(row["gpu"] for row in rows)) == gpus
    text = succeeds("config", "--assumed")
    for gpu in gpus:
        count = sum(row["gpu"] == gpu for row in rows)
        assert re.search(rf"^{gpu} +{count}/", text, re.M), gpu
    for key in {row["key"] for row in rows}:
        assert len(re.findall(rf"^{re.escape(key)}[ ;]", text, re.M)) == 1, key
    known = [line.split()[0] for line in succeeds("experiment").splitlines() if line[:1].isalpha()]
    for row in rows:
        for named in re.findall(r"experiments? ([a-z0-9-]+)(?: and ([a-z0-9-]+))?", row["settled_by"]):
            assert all(name in known for name in named if name), row


def test_config_says_what_is_wrong():
    fails(2, "config needs GPU", "config")
    fails(2, "not both", "config", "a100", "--diff", "h200", "--assumed")
    fails(2, "needs two GPUs: subcore config GPU --diff h200", "config", "--diff", "h200")
    fails(2, "no GPU named 'h2'", "config", "a100", "--diff", "h2")
    fails(2, "no GPU named 'h2'", "config", "h2", "--assumed")
    fails(2, "needs the GPU", "config", "--assumed", "--set", "l1.ways=32")
    fails(2, "[l1] has no key 'way'", "config", "a100", "--diff", "h200", "--set", "l1.way=32")
    fails(2, "/no/such.toml", "config", "a100", "--diff", "/no/such.toml")
    fails(2, "takes only [GPU], not 2 words", "config", "a100", "h200")


main(globals())
