/* Every metric and counter of the launch. */
function valuesSection(launch) {
    const k = launch.kernel, rows = [];
    const take = (where, values) => Object.entries(values).forEach(([name, value]) => rows.push({ where, name, value }));
    take("metric", k.metrics);
    take("SM", k.counters.sm);
    take("memory", k.counters.mem);
    const list = table([
        { name: "kind", get: r => r.where }, { name: "name", get: r => r.name },
        { name: "value", n: true, get: r => r.value, show: r => Number.isInteger(r.value) ? count(r.value) : String(r.value) },
        { name: "unit", get: r => unitOf(r.name) }, { name: "what", get: r => sentenceOf(r.name) },
    ], rows);
    const search = h("input", { type: "search", placeholder: "Search values", "aria-label": "Search values", oninput: event => {
        const wanted = event.target.value.toLowerCase();
        list.show(rows.filter(r => `${r.name} ${sentenceOf(r.name)}`.toLowerCase().includes(wanted)));
    } });
    return [h("div", { class: "tools" }, search, h("span", { class: "note" }, `${k.gpu.name}, configuration ${k.gpu.config_hash}`)),
        h("div", { class: "scroll" }, list.node)];
}
