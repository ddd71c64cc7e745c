/* The launch beside that of the baseline: what changed, and to what its cycles went. */
function compareSection(launch, run) {
    const other = counterpart(launch, run);
    if (!other)
        return [h("p", { class: "note" }, `The baseline, ${baseline.name}, has no launch of this kernel.`)];
    const a = other.kernel, b = launch.kernel;
    if (!a.detailed || !b.detailed)
        return [h("p", { class: "note" }, "One of the two was executed without time.")];
    const ratio = b.cycles.elapsed / a.cycles.elapsed;
    const eventsOf = k => Object.assign({}, ...Object.entries(k.schedulers).map(([name, c]) =>
        Object.fromEntries(Object.entries(c.events).map(([event, cycles]) => [`${sentenceOf(name)}: ${event}`, cycles]))));
    const before = eventsOf(a), after = eventsOf(b), all = sum(Object.values(before));
    const causes = Object.keys(after).map(name => ({ name, a: before[name] || 0, b: after[name] })).filter(c => c.a !== c.b);
    const metrics = Object.keys(b.metrics).filter(name => name in a.metrics && a.metrics[name] !== b.metrics[name])
        .map(name => ({ name, a: a.metrics[name], b: b.metrics[name], ratio: a.metrics[name] ? b.metrics[name] / a.metrics[name] : Infinity }));
    const distance = r => !isFinite(r) || r <= 0 ? 1e9 : Math.abs(Math.log(r));
    metrics.sort((x, y) => distance(y.ratio) - distance(x.ratio));
    causes.sort((x, y) => Math.abs(y.b - y.a) - Math.abs(x.b - x.a));
    const signed = v => (v > 0 ? "+" : "") + fixed(v);
    const causeTable = table([
        { name: "scheduler cycles went to", get: c => c.name }, { name: "baseline", n: true, get: c => c.a, show: c => count(c.a) },
        { name: "this run", n: true, get: c => c.b, show: c => count(c.b) },
        { name: "change, % of all before", n: true, get: c => c.b - c.a, show: c => signed(share(c.b - c.a, all)) },
    ], causes);
    const metricTable = table([
        { name: "metric", get: c => c.name, show: c => h("span", { title: sentenceOf(c.name) }, c.name) },
        { name: "baseline", n: true, get: c => c.a, show: c => withUnit(c.a, unitOf(c.name)) },
        { name: "this run", n: true, get: c => c.b, show: c => withUnit(c.b, unitOf(c.name)) },
        { name: "ratio", n: true, get: c => c.ratio, show: c => isFinite(c.ratio) ? fixed(c.ratio, 3) : "-" },
    ], metrics);
    return [
        h("p", { class: "verdict" }, `${count(b.cycles.elapsed)} cycles, ${count(a.cycles.elapsed)} in ${baseline.name}: `, ratioText(ratio)),
        a.gpu.config_hash !== b.gpu.config_hash ? h("p", { class: "note" }, `The configurations differ: ${a.gpu.name} (${a.gpu.config_hash}) before, ${b.gpu.name} (${b.gpu.config_hash}) now.`) : null,
        h("h3", null, "What the cycles of the schedulers went to"), h("div", { class: "scroll" }, causeTable.node),
        h("h3", null, "Values that differ, the largest ratios first"), h("div", { class: "scroll" }, metricTable.node),
    ];
}
