/* The page: one run and one launch of it at a time. */
const state = { run: runs[0], launch: runs[0].launches[0] };

const SECTIONS = [
    { id: "verdict", title: "Verdict", build: verdictSection, always: true },
    { id: "launches", title: "Launches", build: () => launchesSection(state.run, state.launch, chooseLaunch), always: true,
        when: () => state.run.launches.length > 1 },
    { id: "ranges", title: "Ranges", build: () => rangesSection(state.run), always: true,
        when: () => (state.run.document.ranges || []).some(r => r.ranges > 0) },
    { id: "compare", title: "Against the baseline", build: launch => compareSection(launch, state.run), when: () => baseline && state.run !== baseline },
    { id: "speed", title: "Speed of light", build: speedSection },
    { id: "memory", title: "Memory", build: memorySection },
    { id: "states", title: "Warps and schedulers", build: statesSection },
    { id: "pipes", title: "Instructions", build: pipesSection },
    { id: "occupancy", title: "Occupancy", build: occupancySection },
    { id: "source", title: "Source", build: sourceSection },
    { id: "time", title: "Over time", build: timeSection },
    { id: "values", title: "All values", build: valuesSection },
];

function titleOf(run) {
    const d = run.document;
    return d.demo || (d.program && d.program.split("/").pop()) || (d.trace && d.trace.split("/").pop()) ||
        (run.launches[0] && run.launches[0].name) || "no launch";
}

function drawHead() {
    const run = state.run, k = state.launch && state.launch.kernel;
    const title = titleOf(run);
    document.title = `${title} - Subcore report`;
    document.getElementById("title").textContent = title;
    const parts = [run.document.summary, k && `${k.gpu.name}, sm_${k.gpu.architecture}, ${k.gpu.sms} SMs`, run.document.tool];
    if (run.document.check)
        parts.push("check: " + run.document.check.text);
    if (run.document.error)
        parts.push("ERROR: " + run.document.error);
    document.getElementById("subtitle").textContent = parts.filter(Boolean).join("  ·  ");
}

function drawBar(sections) {
    document.getElementById("links").replaceChildren(...sections.map(one => h("a", { href: "#" + one.id }, one.title)));
    const choice = [];
    if (runs.length > 1)
        choice.push(h("select", { "aria-label": "Run", onchange: event => chooseRun(runs[event.target.value]) },
            runs.map((run, i) => h("option", { value: i, selected: run === state.run }, run.name + (run === baseline ? " (baseline)" : "")))));
    if (state.run.launches.length > 1)
        choice.push(" ", h("select", { id: "launch", "aria-label": "Launch", onchange: event => chooseLaunch(state.run.launches[event.target.value]) },
            state.run.launches.map(l => h("option", { value: l.number, selected: l === state.launch }, `${l.number}  ${l.name}`))));
    choice.push(" ", h("button", { type: "button", onclick: toggleTheme, "aria-label": "Light or dark" }, "◐"));
    document.getElementById("choice").replaceChildren(...choice);
}

function draw() {
    const launch = state.launch;
    const wanted = SECTIONS.filter(one => launch && (one.always || launch.kernel.detailed) && (!one.when || one.when()));
    drawHead();
    drawBar(wanted);
    document.getElementById("main").replaceChildren(...wanted.map(one =>
        h("section", { id: one.id, "aria-labelledby": one.id + "-title" }, h("h2", { id: one.id + "-title" }, one.id === "verdict"
            ? `${launch.name}${state.run.launches.length > 1 ? `, launch ${launch.number}` : ""}` : one.title), ...[one.build(launch)].flat(2))));
    if (sourceSection.shown)
        sourceSection.shown();
    if (!launch)
        document.getElementById("main").replaceChildren(h("p", { class: "card" }, "The run has no launch."));
}

function chooseLaunch(launch) {
    if (!launch)
        return;
    const focused = document.activeElement && document.activeElement.closest("#launches");
    const box = document.querySelector("#launches .scroll"), top = box ? box.scrollTop : 0;
    const search = document.querySelector("#launches input"), words = search ? search.value : "";
    state.launch = launch;
    draw();
    const after = document.querySelector("#launches .scroll");
    if (after) {
        const again = document.querySelector("#launches input");
        again.value = words;
        if (words)
            again.dispatchEvent(new Event("input"));
        after.scrollTop = top;
        if (focused)
            after.querySelector("tr.on")?.focus();
    }
}
function chooseRun(run) {
    state.run = run;
    state.launch = run.launches[longestOf(run.launches.map(l => l.kernel))] || null;
    draw();
}
function toggleTheme() {
    const dark = document.documentElement.dataset.theme
        ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
}

document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName))
        return;
    const keys = {
        j: () => chooseLaunch(state.run.launches[state.launch.number + 1]),
        k: () => chooseLaunch(state.run.launches[state.launch.number - 1]),
        n: () => sourceSection.step && sourceSection.step(1),
        p: () => sourceSection.step && sourceSection.step(-1),
        t: toggleTheme,
        "/": () => document.querySelector("input[type=search]")?.focus(),
    };
    if (keys[event.key]) {
        event.preventDefault();
        keys[event.key]();
    }
});

chooseRun(runs[0]);
