#!/usr/bin/env python3
"""Pages that --html and `subcore report` write: their data are those of JSON and text, they need nothing from outside,
and, where there is a Chromium, they show them there without a complaint."""
import html.parser
import json
import os
import re
import shutil
import subprocess

from harness import block_of, document, fails, main, subcore, succeeds, without_host

DEMO = ("demo", "bfs")   # nine launches of one kernel
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
TEXT = {"Elapsed Cycles": ("gpc__cycles_elapsed.max", 0), "SM Active Cycles": ("sm__cycles_active.avg", 2),
        "Warp Instructions": ("smsp__inst_executed.sum", 0),
        "Thread Instructions": ("smsp__thread_inst_executed.sum", 0),
        "Executed IPC Active": ("sm__inst_executed.avg.per_cycle_active", 2),
        "Issue Slots Busy": ("sm__inst_issued.avg.pct_of_peak_sustained_active", 2),
        "Compute Throughput": ("subcore__compute_throughput.pct", 2),
        "Memory Throughput": ("subcore__memory_throughput.pct", 2),
        "Achieved Occupancy": ("sm__warps_active.avg.pct_of_peak_sustained_active", 2),
        "Theoretical Occupancy": ("sm__maximum_warps_per_active_cycle_pct", 2),
        "No Eligible": ("smsp__issue_inst0.avg.pct_of_peak_sustained_active", 2),
        "Eligible Warps": ("smsp__warps_eligible.avg.per_cycle_active", 2)}


def page_of(folder, *words):
    path = folder / "page.html"
    succeeds(*words, "--html", path, "--quiet")
    return block_of(path)[1][0]


class Page(html.parser.HTMLParser):
    """Elements that end, and attributes that load something."""
    VOID = {"meta", "link", "img", "br", "hr", "input"}

    def __init__(self):
        super().__init__()
        self.open, self.loads = [], []

    def handle_starttag(self, tag, attrs):
        self.loads += [(tag, name, value) for name, value in attrs if name in ("src", "href", "action", "data")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()


def many(launches):
    """A document of a program with so many launches, no two alike."""
    data = document(*DEMO)
    kernels = []
    for number in range(launches):
        text = json.dumps(data["kernels"][number % len(data["kernels"])])
        kernels.append(json.loads(re.sub(r"(?<=: )(\d{3,})(?=[,}])", lambda m: str(int(m[1]) + 7 * number), text)))
    data["kernels"] = kernels
    data["launches"] = [{"name": f"kernel_{n % 17}", "launch": n, "kernel_launch": n // 17, "process": 0,
                         "stream": n % 3, "begin_ns": 1000 * n, "end_ns": 1000 * n + 900, "error_code": 0,
                         "error": None} for n in range(launches)]
    return data


def dom_of(path):
    """The page as the browser has it when its script has run, and the text on its console."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not browser or os.environ.get("SUBCORE_SANITIZED"):
        return None, ""
    done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                           "--dump-dom", "--virtual-time-budget=5000", f"--user-data-dir={path.parent / 'profile'}",
                           path.as_uri()], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-400:]
    return done.stdout, "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)


def test_the_data_of_a_page_are_those_of_the_json_document(folder):
    succeeds(*DEMO, "--quiet", "--html", folder / "page.html", "--json", folder / "page.json")
    block, documents = block_of(folder / "page.html")
    assert documents == [json.loads((folder / "page.json").read_text())]
    assert [run["name"] for run in block["runs"]] == ["this run"] and block["baseline"] == -1
    assert without_host(page_of(folder, *DEMO)) == without_host(documents[0])


def test_the_text_report_has_the_numbers_of_the_page(folder):
    text = succeeds("demo", "saxpy")
    kernel = page_of(folder, "demo", "saxpy")["kernels"][0]
    for label, (metric, digits) in TEXT.items():
        shown = re.search(rf"{label} +([\d,.]+)", text)[1]
        assert shown == f"{kernel['metrics'][metric]:,.{digits}f}", (label, shown)
    for name, share in re.findall(r"^  ([a-z_]+) +(\d+\.\d) #* +\w", text, re.M):
        if name in kernel["stalls"]:
            assert abs(kernel["stalls"][name]["percent"] - float(share)) < 0.1, name
    assert kernel["verdict"]["text"] in text.replace("\n", " ")


def test_what_a_verdict_proves_itself_with_are_values_of_the_document(folder):
    for words in (DEMO, ("demo", "saxpy"), ("demo", "sgemm-tiled"), ("demo", "wgmma", "--gpu", "h100-sxm")):
        for kernel in page_of(folder, *words)["kernels"]:
            shares = [finding["share"] for finding in kernel["verdict"]["findings"]]
            assert shares == sorted(shares, reverse=True) and all(10 <= share <= 100 for share in shares)
            for finding in kernel["verdict"]["findings"]:
                for name, value in ((fact["name"], fact["value"]) for fact in finding["evidence"]):
                    found = kernel["metrics"].get(name)
                    if "/" in name:
                        found = kernel
                        for key in name.split("/"):
                            found = found[key]
                    assert found == value, (finding["title"], name)


def test_a_page_loads_nothing_and_its_elements_nest(folder):
    page_of(folder, *DEMO)
    text = (folder / "page.html").read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    page.close()
    assert page.open == [] and page.loads == []
    assert "default-src 'none'" in text
    assert set(re.findall(r"\w+://[\w./]+", text)) == {"http://www.w3.org/2000/svg"}   # the name of SVG's elements


def test_no_text_of_a_document_can_end_the_data(folder):
    data = document("demo", "saxpy")
    data["kernels"][0]["kernel"] = '</script><script>alert("\u20ac")</script><!--'
    (folder / "run.json").write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    succeeds("report", folder / "run.json", "-o", folder / "page.html")
    text = (folder / "page.html").read_text(encoding="utf-8")
    assert text.count("</script>") == 2 and "alert" in text
    assert block_of(folder / "page.html")[1] == [data]


def test_equal_documents_give_equal_pages(folder):
    succeeds("demo", "saxpy", "--quiet", "--json", folder / "a.json")
    for name in ("x.html", "y.html"):
        succeeds("report", folder / "a.json", folder / "a.json", "--baseline", folder / "a.json", "-o", folder / name)
    assert (folder / "x.html").read_bytes() == (folder / "y.html").read_bytes()
    block, documents = block_of(folder / "x.html")
    assert block["baseline"] == 2 and documents[0] == documents[2] == json.loads((folder / "a.json").read_text())


def test_a_page_of_500_launches_has_less_than_5_mb(folder):
    data = many(500)
    (folder / "run.json").write_text(json.dumps(data))
    succeeds("report", folder / "run.json", "-o", folder / "page.html")
    assert (folder / "page.html").stat().st_size < 5_000_000
    assert block_of(folder / "page.html")[1] == [data]


def test_samples_add_up_to_the_counters_and_change_nothing(folder):
    plain = document("demo", "sgemm-tiled")
    page = page_of(folder, "demo", "sgemm-tiled")
    samples, kernel = page.pop("samples"), page["kernels"][0]
    assert page.pop("source")["total"]["warp_cycles"] == kernel["counters"]["sm"]["warp_cycles"]
    assert without_host(page) == without_host(plain)
    assert 32 < len(samples["cycle"]) <= 257 and samples["cycle"][-1] == kernel["cycles"]["elapsed"]
    widths = [b - a for a, b in zip(samples["cycle"], samples["cycle"][1:])]
    assert min(widths[:-1]) > 0 and sum(width >= samples["period"] / 2 for width in widths) >= len(widths) - 1
    for part in ("sm", "mem"):
        for name, values in samples[part].items():
            assert sum(values) == kernel["counters"][part][name] and len(values) == len(samples["cycle"]), name
    for name, values in samples["stalls"].items():
        assert sum(values) == kernel["stalls"][name]["warp_cycles"], name
    for name, values in samples["pipes"].items():
        assert sum(values) == kernel["pipes"][name]["cycles"], name
    again = document("demo", "sgemm-tiled", "--sample", "1000", "--threads", "1")["samples"]
    assert again == document("demo", "sgemm-tiled", "--sample", "1000", "--threads", "3")["samples"]
    assert all(cycle // 1000 > n for n, cycle in enumerate(again["cycle"][:-1])) and again["period"] == 1000


def test_a_replay_has_a_page_of_all_its_launches(folder):
    trace = folder / "bfs.trace"
    succeeds("record", "demo", "bfs", "-o", trace, "--quiet")
    succeeds("replay", trace, "--gpu", "rtx-a6000", "--quiet", "--html", folder / "r.html", "--json", folder / "r.json")
    data = block_of(folder / "r.html")[1][0]
    assert data == json.loads((folder / "r.json").read_text()) and len(data["launches"]) == len(data["kernels"]) == 9


def test_mistakes_are_named(folder):
    (folder / "no.json").write_text("{}")
    (folder / "cut.json").write_text('{"schema_version": 1, "kernels": [')
    (folder / "other.json").write_text('{"schema_version": 1, "opcodes": []}')
    fails(2, "report needs -o FILE", "report", folder / "no.json")
    fails(2, "no.json: not a document that --json wrote", "report", folder / "no.json", "-o", folder / "x")
    fails(2, "cut.json:1:35: a value is missing", "report", folder / "cut.json", "-o", folder / "x")
    fails(2, "no document of run, demo, replay or exec", "report", folder / "other.json", "-o", folder / "x")
    fails(2, "there.json: No such file", "demo", "saxpy", "--html", folder / "x", "--baseline", folder / "there.json")
    fails(2, "--baseline is for --html", "demo", "saxpy", "--baseline", folder / "no.json")
    fails(2, "a page is a file of its own", "demo", "saxpy", "--html", "-")
    assert not (folder / "x").exists()
    result = subcore("demo", "saxpy", "--quiet", "--html", folder / "x", "--baseline", folder / "other.json")
    assert result.returncode == 2 and not (folder / "x").exists()


def test_a_browser_shows_the_page_without_a_complaint(folder):
    succeeds("demo", "sgemm-tiled", "--quiet", "--html", folder / "page.html", "--json", folder / "base.json")
    kernel = json.loads((folder / "base.json").read_text())["kernels"][0]
    dom, console = dom_of(folder / "page.html")
    if dom is None:
        return
    assert console == ""
    for section in ("verdict", "speed", "memory", "states", "pipes", "occupancy", "source", "time", "values"):
        assert f'<section id="{section}"' in dom, section
    assert f"<b>{kernel['cycles']['elapsed']:,}</b>" in dom and kernel["verdict"]["text"] in dom
    assert dom.count('<tr tabindex="-1"') > 100 and "sgemm.cu" in dom
    (folder / "run.json").write_text(json.dumps(many(500)))
    succeeds("report", folder / "run.json", "--baseline", folder / "run.json", "-o", folder / "page.html")
    dom, console = dom_of(folder / "page.html")
    assert console == "" and '<section id="launches"' in dom and "500 launches" in dom


main(globals())
