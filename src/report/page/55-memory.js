/* The way to memory with what went over it. */
function memorySection(launch) {
    const k = launch.kernel, n = k.counters.sm, d = k.counters.mem, m = k.metrics;
    const W = 1010, H = 330, chart = s("svg", { viewBox: `0 0 ${W} ${H}`, width: W, role: "img",
        "aria-label": "Memory chart: instructions, L1 and shared memory, L2, device memory" });
    const arrow = s("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerUnits: "userSpaceOnUse", markerWidth: 12, markerHeight: 12, orient: "auto-start-reverse" },
        s("path", { d: "M0 0L8 4L0 8z", fill: "var(--mute)" }));
    add(chart, [s("defs", null, arrow)]);
    const most = Math.max(1, n.noc_bytes_in, n.noc_bytes_out, d.dram_bytes_read, d.dram_bytes_written,
        32 * n.l1_sectors_load, 32 * n.l1_sectors_store);
    const width = amount => amount > 0 ? 1.5 + 3.5 * Math.max(0, 1 + Math.log10(amount / most) / 5) : 1;
    function box(x, y, w, hh, title, lines, used) {
        const shade = used === null ? null : Math.min(100, used);
        add(chart, [s("rect", { class: "box", x, y, width: w, height: hh, rx: 6 }),
            shade === null ? null : s("rect", { x, y: y + hh - hh * shade / 100, width: w, height: hh * shade / 100, rx: 6,
                fill: "var(--c1)", opacity: .35 }, s("title", null, `${percent(used)} of its peak`)),
            s("text", { x: x + w / 2, y: y + 20, "text-anchor": "middle", style: "font-weight:600" }, title),
            lines.map((line, i) => s("text", { class: "mute", x: x + w / 2, y: y + 38 + 15 * i, "text-anchor": "middle" }, line))]);
    }
    function link(x1, y1, x2, y2, text, amount, title) {
        const idle = !amount;
        add(chart, [s("line", { x1, y1, x2, y2, stroke: idle ? "var(--line)" : "var(--mute)", "stroke-width": width(amount), "marker-end": "url(#tip)" },
                s("title", null, title)),
            s("text", { class: "mute edge", x: (x1 + x2) / 2, y: (y1 + y2) / 2 - 8, "text-anchor": "middle" }, text, s("title", null, title))]);
    }
    const used = name => m[name], hit = (label, a, b) => b ? `${label} ${percent(share(a, b))}` : `${label} -`;
    box(10, 60, 110, 190, "Warps", [`${short(n.inst_issued)} issued`], null);
    box(320, 20, 160, 110, "L1", [hit("hit, all", n.l1_sectors_load_hit + n.l1_sectors_store_hit, n.l1_sectors_load + n.l1_sectors_store + n.l1_sectors_atomic),
        hit("hit, loads", n.l1_sectors_load_hit, n.l1_sectors_load), `${percent(used("subcore__l1_throughput.pct"))} of peak`], used("subcore__l1_throughput.pct"));
    box(320, 190, 160, 110, "Shared memory", [`${short(n.shared_wavefronts)} passes`, `${short(n.shared_conflicts)} conflicts`,
        `${percent(used("subcore__shared_throughput.pct"))} of peak`], used("subcore__shared_throughput.pct"));
    box(660, 60, 140, 190, "L2", [hit("hit, all", m["lts__t_sector_hit_rate.pct"], m["lts__t_sectors.sum"] ? 100 : 0),
        hit("hit, reads", d.l2_sectors_read_hit, d.l2_sectors_read), `${short(m["lts__t_sectors.sum"])} sectors`,
        `${percent(used("subcore__l2_throughput.pct"))} of peak`], used("subcore__l2_throughput.pct"));
    box(910, 60, 90, 190, "DRAM", [`${percent(used(MEMORY_UNITS[0][1]))}`, "of peak", `rows hit`, percent(m["subcore__dram_row_hit_rate.pct"])], used(MEMORY_UNITS[0][1]));
    link(120, 85, 320, 45, `${short(n.l1_requests_load)} loads, ${short(n.l1_sectors_load)} sectors`, 32 * n.l1_sectors_load, "loads of global and local memory");
    link(120, 122, 320, 82, `${short(n.l1_requests_store)} stores, ${short(n.l1_sectors_store)} sectors`, 32 * n.l1_sectors_store, "stores to global and local memory");
    link(120, 158, 320, 118, `${short(n.l1_requests_atomic)} atomics`, 32 * n.l1_sectors_atomic, "atomics and reductions");
    link(120, 232, 320, 250, `${short(n.shared_requests)} accesses`, 32 * n.shared_wavefronts, "shared-memory instructions");
    link(480, 55, 660, 95, `${bytes(n.noc_bytes_out)} out`, n.noc_bytes_out, "bytes sent to the L2, headers included");
    link(660, 140, 480, 105, `${bytes(n.noc_bytes_in)} in`, n.noc_bytes_in, "bytes received from the L2, headers included");
    const tma = n.tma_sectors_load + n.tma_sectors_store + n.tma_sectors_reduction;
    if (n.tma_commands > 0)
        link(660, 205, 480, 240, `TMA: ${bytes(32 * tma)}`, 32 * tma, `${count(n.tma_commands)} commands of the engine for bulk and tensor copies; their bytes are part of the network's`);
    if (n.remote_requests > 0)
        add(chart, [s("text", { class: "mute", x: 400, y: 318, "text-anchor": "middle" }, `distributed: ${short(n.remote_requests)} accesses to other SMs`)]);
    link(910, 120, 800, 120, bytes(d.dram_bytes_read), d.dram_bytes_read, "bytes read from device memory");
    link(800, 190, 910, 190, bytes(d.dram_bytes_written), d.dram_bytes_written, "bytes written to device memory");
    return [chart, h("p", { class: "note" }, "The filled part of a box is the share of its peak that is used; hit rates count sectors of 32 bytes, " +
        "those on their way among the hits. Copies by TMA and LDGSTS reach shared memory without an access of a warp.")];
}
