/* Speed of light: how much of each unit's peak is used. */
const MEMORY_UNITS = [
    ["DRAM", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"], ["L2", "subcore__l2_throughput.pct"],
    ["Network, from L2", "subcore__noc_reply_throughput.pct"], ["Network, to L2", "subcore__noc_request_throughput.pct"],
    ["L1 data stage", "subcore__l1_throughput.pct"], ["Shared memory", "subcore__shared_throughput.pct"],
];

function speedSection(launch) {
    const k = launch.kernel, m = k.metrics;
    const metric = (label, name, more) => [label, m[name], undefined, { title: `${name}: ${sentenceOf(name)}`, ...more }];
    const active = share(k.counters.sm.cycles_active, k.cycles.elapsed * k.gpu.sms) / 100;
    const pipes = Object.entries(k.pipes).filter(([, p]) => p.percent > 0).sort((a, b) => b[1].percent - a[1].percent);
    return [
        h("div", { class: "grid" },
            h("div", null, bars([
                metric("Compute", "subcore__compute_throughput.pct", { main: true }),
                ["Issue slots", m["sm__inst_issued.avg.pct_of_peak_sustained_active"] * active, undefined, { sub: true,
                    title: "issued instructions, of one a sub-core and elapsed cycle" }],
                ...pipes.slice(0, 5).map(([name, p]) => [`Pipe ${name}`, p.percent * active, undefined, { sub: true,
                    title: "sub-core cycles that hold the pipe, of the elapsed cycles of all SMs" }]),
            ])),
            h("div", null, bars([
                metric("Memory", "subcore__memory_throughput.pct", { main: true, colour: "var(--c1)" }),
                ...MEMORY_UNITS.map(([label, name]) => metric(label, name, { sub: true, colour: "var(--c1)" })),
            ]))),
        h("p", { class: "note" }, "Percent of the peak over the elapsed cycles of the whole GPU."),
        roofline(launch),
    ];
}

/* Instructions against sectors of 32 bytes: at each level of memory the kernel is a point under that level's roof. */
function roofline(launch) {
    const k = launch.kernel, n = k.counters, m = k.metrics, cycles = k.cycles.elapsed;
    const issuePeak = 4 * k.gpu.sms * k.gpu.clock_mhz / 1000, rate = n.sm.inst_issued / cycles * k.gpu.clock_mhz / 1000;
    const l1 = n.sm.l1_sectors_load + n.sm.l1_sectors_store + n.sm.l1_sectors_atomic, l2 = m["lts__t_sectors.sum"];
    /* A level's peak rate is what it moved over the share of its time that this took. */
    const peak = (sectors, used) => used > 0 ? sectors / cycles * k.gpu.clock_mhz / 1000 / (used / 100) : 0;
    const levels = [
        ["L1", l1, peak(l1, m["subcore__l1_throughput.pct"]), colour(3)],
        ["L2", l2, peak(l2, m["subcore__l2_throughput.pct"]), colour(2)],
        ["DRAM", m["dram__bytes.sum"] / 32, k.gpu.dram_peak_gbs / 32, colour(1)],
    ].filter(level => level[1] > 0 && level[2] > 0);
    if (!rate || levels.length === 0)
        return null;
    const W = 620, H = 300, L = 56, B = 34, intensity = levels.map(level => n.sm.inst_issued / level[1]);
    const x0 = Math.floor(Math.log10(Math.min(0.1, ...intensity))), x1 = Math.ceil(Math.log10(Math.max(100, ...intensity)));
    const y1 = Math.ceil(Math.log10(issuePeak)), y0 = Math.min(y1 - 3, Math.floor(Math.log10(rate)));
    const X = v => L + (Math.log10(v) - x0) / (x1 - x0) * (W - L - 110);
    const Y = v => 10 + (y1 - Math.log10(v)) / (y1 - y0) * (H - B - 10);
    const chart = s("svg", { viewBox: `0 0 ${W} ${H}`, width: W, role: "img", "aria-label": "Roofline of instructions" });
    for (let e = x0; e <= x1; e++)
        add(chart, [s("line", { class: "axis", x1: X(10 ** e), x2: X(10 ** e), y1: 10, y2: H - B }),
            s("text", { class: "mute", x: X(10 ** e), y: H - B + 14, "text-anchor": "middle" }, 10 ** e >= 1 ? 10 ** e : (10 ** e).toFixed(-e))]);
    for (let e = y0; e <= y1; e++)
        add(chart, [s("line", { class: "axis", x1: L, x2: X(10 ** x1), y1: Y(10 ** e), y2: Y(10 ** e) }),
            s("text", { class: "mute", x: L - 6, y: Y(10 ** e) + 4, "text-anchor": "end" }, 10 ** e >= 1 ? 10 ** e : (10 ** e).toFixed(-e))]);
    add(chart, [
        s("line", { x1: L, x2: X(10 ** x1), y1: Y(issuePeak), y2: Y(issuePeak), stroke: "var(--fg)", "stroke-width": 2 }),
        s("text", { x: X(10 ** x1) + 6, y: Y(issuePeak) + 4 }, `issue ${fixed(issuePeak, 0)}`),
        s("text", { class: "mute", x: L, y: H - 4 }, "warp instructions for each sector of 32 bytes"),
        s("text", { class: "mute", transform: `translate(12 ${H / 2}) rotate(-90)`, "text-anchor": "middle" }, "G warp instructions/s")]);
    levels.forEach(([name, sectors, top, paint], i) => {
        const bend = issuePeak / top, from = Math.max(10 ** x0, 10 ** y0 / top), to = Math.min(bend, 10 ** x1);
        if (from < to)
            add(chart, [s("line", { x1: X(from), y1: Y(from * top), x2: X(to), y2: Y(to * top), stroke: paint, "stroke-width": 2 })]);
        add(chart, [
            s("circle", { cx: X(intensity[i]), cy: Y(rate), r: 6, fill: paint, stroke: "var(--card)", "stroke-width": 2 },
                s("title", null, `${name}: ${fixed(intensity[i], 3)} instructions a sector, ${fixed(rate, 3)} G/s; roof ${fixed(Math.min(issuePeak, top * intensity[i]), 1)}`)),
            s("text", { x: X(10 ** x1) + 6, y: Y(issuePeak) + 24 + 16 * i, style: `fill:${paint}` }, `${name} ${fixed(top * 32, 0)} GB/s`)]);
    });
    return h("figure", { style: "margin:.6rem 0 0" }, chart, h("figcaption", null,
        "Roofline: each point is the kernel at one level of memory, under the roof of that level; the flat roof is the issue rate of all " +
        "schedulers. The peaks of L1 and L2 are those of this kernel's accesses."));
}
