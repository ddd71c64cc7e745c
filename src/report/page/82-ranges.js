/* Ranges that the program has marked with NVTX, by their names. A chosen one searches its launches. */
function rangesSection(run) {
    const rows = run.document.ranges.filter(r => r.ranges > 0);
    const total = sum(run.launches.map(l => l.kernel.detailed ? l.kernel.cycles.elapsed : 0));
    const columns = [
        { name: "range", get: rangeName },
        { name: "ranges", n: true, get: r => r.ranges, show: r => count(r.ranges), title: "how often the program has opened it" },
        { name: "launches", n: true, get: r => r.launches, show: r => count(r.launches) },
        { name: "timed", n: true, get: r => r.timed, show: r => count(r.timed) },
        { name: "cycles", n: true, get: r => r.cycles, show: r => r.timed ? count(r.cycles) : "-", title: "of its launches" },
        { name: "kernels", n: true, get: r => r.seconds, show: r => r.timed ? time(1e9 * r.seconds) : "-",
            title: "simulated time of its launches" },
        { name: "%", n: true, get: r => r.cycles, show: r => r.timed ? fixed(share(r.cycles, total), 1) : "-",
            title: "of the cycles of all launches" },
    ];
    const sorted = rows.slice().sort((a, b) => b.seconds - a.seconds || b.launches - a.launches);
    const list = table(columns, sorted, row => {
        const search = document.querySelector("#launches input");
        if (!search)
            return;
        search.value = rangeName(row);
        search.dispatchEvent(new Event("input"));
        document.getElementById("launches").scrollIntoView();
    });
    return [h("p", { class: "note" }, "A launch is in the ranges that were open when the program submitted it. Ranges may hold each other."),
        h("div", { class: "scroll" }, list.node)];
}

function rangeName(range) { return (range.domain ? range.domain + "@" : "") + (range.name || "(no name)"); }
/* Of a launch, the names of its ranges. */
function rangesOf(launch, run) {
    return launch.launch && launch.launch.ranges ? launch.launch.ranges.map(i => rangeName(run.document.ranges[i])) : [];
}
