/* Counters over time. */
function timeSection(launch) {
    const t = launch.samples, k = launch.kernel;
    if (!t)
        return [h("p", { class: "note" }, launch.part.samples
            ? "The counters of the longest launch were sampled: choose that launch."
            : "Counters were not sampled: give --source (exec, replay), --sample N or --html (run, demo).")];
    const ends = t.cycle, starts = [0, ...ends.slice(0, -1)], widths = ends.map((end, i) => end - starts[i]);
    const zeros = ends.map(() => 0), sm = name => t.sm[name] || zeros, mem = name => t.mem[name] || zeros;
    const over = (list, unit = 1) => list.map((v, i) => widths[i] ? unit * v / widths[i] : 0);
    const rate = (a, b) => a.map((v, i) => b[i] ? 100 * v / b[i] : null);
    const states = Object.entries(t.stalls).sort((a, b) => sum(b[1]) - sum(a[1]));
    const top = states.slice(0, 8), rest = states.slice(8);
    const layers = top.map(([name, v]) => [name, over(v), stateColour(name)]);
    if (rest.length)
        layers.push(["others", over(zeros.map((_, i) => sum(rest.map(r => r[1][i])))), "var(--line)"]);
    const pipes = Object.entries(t.pipes).sort((a, b) => sum(b[1]) - sum(a[1])).slice(0, 4);
    const lanes = 4 * k.gpu.sms / 100;
    const readouts = [];
    const charts = [
        chart("Resident warps of the GPU, by state", layers, { stacked: true }),
        chart("Instructions a cycle of the GPU", [["issued", over(sm("inst_issued")), colour(2)]], {}),
        chart("Pipes, % of all SMs", pipes.map(([name, v], i) => [name, over(v).map(x => x / lanes), colour(i)]), {}),
        chart("Bytes a cycle", [["DRAM read", over(mem("dram_bytes_read")), colour(1)], ["DRAM written", over(mem("dram_bytes_written")), colour(4)],
            ["from L2", over(sm("noc_bytes_in")), colour(0)], ["to L2", over(sm("noc_bytes_out")), colour(7)]], {}),
        chart("Hit rates, %", [["L1 loads", rate(sm("l1_sectors_load_hit"), sm("l1_sectors_load")), colour(3)],
            ["L2 reads", rate(mem("l2_sectors_read_hit"), mem("l2_sectors_read")), colour(0)]], { most: 100 }),
    ];
    function chart(title, series, more) {
        const used = series.filter(one => one[1].some(v => v));
        return used.length ? timeChart(title, used, ends, starts, more, readouts) : null;
    }
    return [charts, h("p", { class: "note" }, `${count(ends.length)} samples, at least ${count(t.period)} cycles apart; a value is the mean since the sample before it. ` +
        "Point at a chart, or give it the focus and use the arrow keys.")];
}

function timeChart(title, series, ends, starts, more, readouts) {
    const W = 1100, H = 150, L = 60, R = 10, T = 8, B = 20, last = ends[ends.length - 1] || 1;
    const X = cycle => L + cycle / last * (W - L - R);
    const totals = ends.map((_, i) => more.stacked ? sum(series.map(one => one[1][i])) : Math.max(...series.map(one => one[1][i] || 0)));
    const most = more.most || Math.max(...totals) || 1, Y = v => T + (1 - v / most) * (H - T - B);
    const svg = s("svg", { viewBox: `0 0 ${W} ${H}`, width: W, tabindex: 0, role: "img", "aria-label": title });
    for (const part of [0, .5, 1])
        add(svg, [s("line", { class: "axis", x1: L, x2: W - R, y1: Y(most * part), y2: Y(most * part) }),
            s("text", { class: "mute", x: L - 6, y: Y(most * part) + 4, "text-anchor": "end" }, most * part >= 1000 ? short(most * part) : fixed(most * part, most < 10 ? 2 : 0))]);
    for (const part of [0, .25, .5, .75, 1])
        add(svg, [s("text", { class: "mute", x: X(last * part), y: H - 4, "text-anchor": part === 1 ? "end" : "middle" }, count(last * part))]);
    const floor = ends.map(() => 0);
    for (const [, values, paint] of series) {
        const up = [], low = [], lines = [up];
        values.forEach((value, i) => {
            if (value === null) {
                if (lines[lines.length - 1].length)
                    lines.push([]);
                return;
            }
            const top = more.stacked ? floor[i] + value : value;
            lines[lines.length - 1].push(`${X(starts[i]).toFixed(1)} ${Y(top).toFixed(1)}`, `${X(ends[i]).toFixed(1)} ${Y(top).toFixed(1)}`);
            low.unshift(`${X(ends[i]).toFixed(1)} ${Y(floor[i]).toFixed(1)}`, `${X(starts[i]).toFixed(1)} ${Y(floor[i]).toFixed(1)}`);
            if (more.stacked)
                floor[i] = top;
        });
        const path = (more.stacked ? [[...up, ...low]] : lines).filter(line => line.length).map(line => "M" + line.join("L")).join("");
        add(svg, [s("path", more.stacked ? { d: path + "z", fill: paint } : { d: path, fill: "none", stroke: paint, "stroke-width": 1.6 })]);
    }
    const hair = s("line", { class: "hair", y1: T, y2: H - B, visibility: "hidden" });
    const readout = h("span", { class: "note" });
    add(svg, [hair]);
    let index = 0;
    readouts.push(i => {
        index = i;
        const middle = X((starts[i] + ends[i]) / 2);
        set(hair, { x1: middle, x2: middle, visibility: "visible" });
        readout.textContent = `  ${count(starts[i])} to ${count(ends[i])}: ` + series.map(one => `${one[0]} ${one[1][i] === null ? "-" : fixed(one[1][i])}`).join(", ");
    });
    const show = i => readouts.forEach(one => one(Math.max(0, Math.min(ends.length - 1, i))));
    svg.addEventListener("mousemove", event => {
        const box = svg.getBoundingClientRect(), cycle = ((event.clientX - box.left) / box.width * W - L) / (W - L - R) * last;
        show(ends.findIndex(end => end >= cycle));
    });
    svg.addEventListener("keydown", event => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (step) {
            event.preventDefault();
            show(index + step);
        }
    });
    return h("div", null, h("h3", null, title, readout), svg, legend(series.map(one => [one[0], one[2]])));
}
