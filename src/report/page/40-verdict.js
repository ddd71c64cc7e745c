/* What bounds the launch, in words, and its main figures. */
function verdictSection(launch) {
    const k = launch.kernel, m = k.metrics;
    if (!k.detailed)
        return [h("p", { class: "verdict" }, "Executed without time: there are no cycles to explain."),
            facts([[count(k.warp_instructions), "warp instructions"], [count(k.thread_instructions), "thread instructions"]])];
    const notes = [];
    if (!k.complete)
        notes.push(k.stopped && k.stopped.by === "sampled"
                       ? `Sampled: the values are those of the CTAs that were timed; all take about ${count(k.stopped.estimated_cycles)} cycles.`
                   : k.stopped ? `Stopped as asked (${k.stopped.by}): the values are those of the timed part.`
                             : `Incomplete: ended after ${count(k.launch.ctas_done)} of ${count(k.launch.ctas)} CTAs.`);
    if (k.overlap)
        notes.push(`${count(k.overlap.kernels)} other kernels were in flight beside it: L2 and DRAM values are of all.`);
    return [
        h("p", { class: "verdict" }, k.verdict.text),
        notes.map(note => h("p", { class: "worse" }, note)),
        facts([
            [count(k.cycles.elapsed), "elapsed cycles"],
            [time(m["gpu__time_duration.sum"]), `at ${count(k.gpu.clock_mhz)} MHz`],
            [fixed(m["sm__inst_executed.avg.per_cycle_active"]), "instructions a cycle of an active SM"],
            [percent(m["subcore__compute_throughput.pct"]), "compute throughput"],
            [percent(m["subcore__memory_throughput.pct"]), "memory throughput"],
            [percent(m["sm__warps_active.avg.pct_of_peak_sustained_active"]), "achieved occupancy"],
            [`${count(k.cycles.sms_used)} of ${count(k.gpu.sms)}`, "SMs with work"],
        ]),
        h("ol", { class: "findings" }, k.verdict.findings.map((f, i) => h("li", { style: `border-color:${colour(i)}` },
            h("div", { class: "title" }, h("b", null, f.title), h("span", { class: "share" }, percent(f.share))), h("p", null, f.text),
            h("p", { class: "try" }, f.advice),
            h("p", { class: "evidence" }, f.evidence.map(e =>
                h("span", { title: sentenceOf(e.name.split("/").pop()) }, `${e.name} = ${withUnit(e.value, e.unit)} `)))))),
    ];
}

function facts(list) {
    return h("div", { class: "facts" }, list.map(([value, what]) => h("div", null, h("b", null, value), h("span", null, what))));
}
