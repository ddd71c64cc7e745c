/* All launches of the run, to sort, to search and to choose from. */
function launchesSection(run, chosen, choose) {
    const all = run.launches, cycles = l => l.kernel.detailed ? l.kernel.cycles.elapsed : 0;
    const total = sum(all.map(cycles)), metric = name => l => l.kernel.detailed ? l.kernel.metrics[name] : 0;
    const shown = (get, form) => l => l.kernel.detailed ? form(get(l)) : "-";
    const column = (name, get, form, title) => ({ name, n: true, get, show: shown(get, form), title });
    const columns = [
        { name: "#", n: true, get: l => l.number },
        { name: "kernel", get: l => l.name },
        { name: "grid", get: l => l.kernel.launch.ctas, show: l => dims(l.kernel.launch.grid), n: true },
        { name: "block", get: l => l.kernel.launch.block.reduce((a, b) => a * b, 1), show: l => dims(l.kernel.launch.block), n: true },
        column("cycles", cycles, count), column("%", l => share(cycles(l), total), v => fixed(v, 1), "of the cycles of all launches"),
        { name: "warp inst", n: true, get: l => l.kernel.warp_instructions, show: l => count(l.kernel.warp_instructions) },
        column("IPC", metric("sm__inst_executed.avg.per_cycle_active"), fixed, sentenceOf("sm__inst_executed.avg.per_cycle_active")),
        column("compute %", metric("subcore__compute_throughput.pct"), v => fixed(v, 1)),
        column("memory %", metric("subcore__memory_throughput.pct"), v => fixed(v, 1)),
        column("occup. %", metric("sm__warps_active.avg.pct_of_peak_sustained_active"), v => fixed(v, 1)),
        { name: "bound by", get: l => l.kernel.verdict ? l.kernel.verdict.bound : "-" },
    ];
    if (all.some(l => l.launch))
        columns.splice(2, 0, { name: "stream", n: true, get: l => l.launch.stream },
            { name: "begins", n: true, get: l => l.launch.begin_ns, show: l => time(l.launch.begin_ns) });
    if (baseline && run !== baseline)
        columns.push({ name: "change", n: true, get: l => ratioOf(l, run) || 0, title: "of the cycles, against the baseline",
            show: l => ratioText(ratioOf(l, run)) });
    const list = table(columns, all, choose, chosen);
    const found = h("span", { class: "note" }, `${count(all.length)} launches, ${count(total)} cycles`);
    const search = h("input", { type: "search", placeholder: "Search launches", title: "by kernel or range", "aria-label": "Search launches", oninput: event => {
        const wanted = event.target.value.toLowerCase();
        const rows = all.filter(l => l.name.toLowerCase().includes(wanted) || l.kernel.kernel.toLowerCase().includes(wanted) ||
            rangesOf(l, run).some(name => name.toLowerCase().includes(wanted)));
        list.show(rows);
        found.textContent = `${count(rows.length)} of ${count(all.length)} launches, ${count(sum(rows.map(cycles)))} cycles`;
    } });
    return [kernelSums(all), h("div", { class: "tools" }, search, found), h("div", { class: "scroll" }, list.node)];
}

/* The kernels with the most cycles. */
function kernelSums(all) {
    const sums = new Map();
    for (const l of all)
        if (l.kernel.detailed)
            sums.set(l.name, (sums.get(l.name) || 0) + l.kernel.cycles.elapsed);
    const total = sum([...sums.values()]);
    if (sums.size < 2)
        return null;
    const sorted = [...sums].sort((a, b) => b[1] - a[1]);
    return [h("h3", null, "Kernels by cycles"),
        bars(sorted.slice(0, 10).map(([name, cycles], i) => [name, share(cycles, total), `${count(cycles)}  ${percent(share(cycles, total))}`, { colour: colour(i) }]))];
}

function ratioOf(launch, run) {
    const other = counterpart(launch, run);
    return other && other.kernel.detailed && launch.kernel.detailed ? launch.kernel.cycles.elapsed / other.kernel.cycles.elapsed : null;
}
function ratioText(ratio) {
    if (ratio === null)
        return "-";
    return h("span", { class: ratio < 0.995 ? "better" : ratio > 1.005 ? "worse" : null }, `${ratio > 1 ? "+" : ""}${fixed(100 * (ratio - 1))} %`);
}
