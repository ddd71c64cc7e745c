/* What warps and schedulers did, cycle by cycle; instructions and pipes; occupancy. */
function statesSection(launch) {
    const k = launch.kernel;
    const states = Object.entries(k.stalls).filter(([, v]) => v.warp_cycles > 0).sort((a, b) => b[1].warp_cycles - a[1].warp_cycles);
    const classes = Object.entries(k.schedulers).filter(([, v]) => v.cycles > 0).sort((a, b) => b[1].cycles - a[1].cycles);
    const per = name => k.stalls[name][`smsp__average_warps_issue_stalled_${name}_per_issue_active.ratio`];
    const all = sum(classes.map(c => c[1].cycles));
    return [h("div", { class: "grid" },
        h("div", null,
            h("h3", null, `Warp states, of ${count(k.counters.sm.warp_cycles)} warp-cycles; ` +
                `on the right for each issued instruction, of ${fixed(k.metrics["smsp__average_warp_latency_per_inst_issued.ratio"])}`),
            stack(states.map(([name, v]) => [name, v.percent, stateColour(name), sentenceOf(name)])),
            bars(states.map(([name, v]) => [name, v.percent, `${percent(v.percent)}  ${fixed(per(name))}`,
                { title: `${sentenceOf(name)}; ${count(v.warp_cycles)} warp-cycles`, colour: stateColour(name) }]))),
        h("div", null,
            h("h3", null, `Scheduler cycles, of ${count(all)}: what each cycle of a sub-core went to`),
            stack(classes.map(([name, v], i) => [sentenceOf(name), v.percent, colour(i)])),
            bars(classes.flatMap(([name, v], i) => [
                [sentenceOf(name), v.percent, undefined, { main: true, colour: colour(i) }],
                ...Object.entries(v.events).filter(e => e[1] > 0 && name !== "no_stall").sort((a, b) => b[1] - a[1])
                    .map(([event, cycles]) => [event, share(cycles, all), undefined, { sub: true, colour: colour(i), title: `${count(cycles)} cycles` }]),
            ])),
            h("p", { class: "note" }, `${fixed(k.metrics["smsp__warps_eligible.avg.per_cycle_active"])} warps of ` +
                `${fixed(k.metrics["smsp__warps_active.avg.per_cycle_active"])} of a scheduler could issue, in an average cycle.`)))];
}

function pipesSection(launch) {
    const k = launch.kernel, pipes = Object.entries(k.pipes).filter(([, p]) => p.inst > 0 || p.cycles > 0);
    const most = Math.max(1, ...pipes.map(p => p[1].inst)), all = sum(pipes.map(p => p[1].inst));
    const sorted = pipes.slice().sort((a, b) => b[1].inst - a[1].inst);
    return [h("div", { class: "grid" },
        h("div", null, h("h3", null, `Instruction mix, of ${count(all)} issued to a pipe`),
            bars(sorted.map(([name, p], i) => [name, 100 * p.inst / most, `${count(p.inst)}  ${percent(share(p.inst, all))}`, { colour: colour(i) }]))),
        h("div", null, h("h3", null, "Use of the pipes, % of the sub-cores' active cycles"),
            bars(pipes.slice().sort((a, b) => b[1].percent - a[1].percent).map(([name, p]) =>
                [name, p.percent, undefined, { title: `${count(p.cycles)} sub-core cycles` }]))))];
}

function occupancySection(launch) {
    const k = launch.kernel, o = k.occupancy, l = k.launch;
    const most = Math.max(...Object.values(o.limits).map(v => Math.min(v, 4 * o.ctas_per_sm)), 1);
    const names = { ctas: "CTA slots", warps: "Warps", registers: "Registers", shared_memory: "Shared memory" };
    return [h("div", { class: "grid" },
        h("div", null, h("h3", null, "CTAs that an SM could hold if only this counted"),
            bars(Object.entries(o.limits).map(([name, v]) => [names[name] || name, 100 * Math.min(v, most) / most,
                count(v) + (name === o.limit ? "  sets the limit" : ""), { main: name === o.limit, colour: name === o.limit ? "var(--c1)" : "var(--c9)" }])),
            h("p", { class: "note" }, `${l.registers} registers a thread (${count(o.registers_per_warp)} a warp as allocated), ` +
                `${size(l.static_shared + l.dynamic_shared)} of shared memory a CTA (${size(o.shared_per_cta)} as allocated, of ${size(o.carveout)}).`)),
        h("div", null, h("h3", null, `Warps of an SM, of ${o.max_warps_per_sm}`), bars([
            ["Theoretical", k.metrics["sm__maximum_warps_per_active_cycle_pct"], `${o.warps_per_sm} warps`],
            ["Achieved", k.metrics["sm__warps_active.avg.pct_of_peak_sustained_active"],
                `${fixed(k.metrics["sm__warps_active.avg.per_cycle_active"])} warps`],
        ]), h("p", { class: "note" }, `Grid ${dims(l.grid)}, block ${dims(l.block)}${l.cluster ? `, clusters of ${dims(l.cluster)}` : ""}: ` +
            `${count(l.ctas)} CTAs, ${fixed(k.metrics["launch__waves_per_multiprocessor"])} waves.`)))];
}
