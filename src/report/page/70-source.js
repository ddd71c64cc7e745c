/* The program's lines and the instructions, side by side. */
function sourceSection(launch) {
    const source = launch.source;
    sourceSection.step = sourceSection.shown = null;
    if (!source)
        return [h("p", { class: "note" }, launch.part.source
            ? "The instructions of the longest launch were counted: choose that launch."
            : "Instructions were not counted: give --source.")];
    const rows = source.instructions, all = source.total.warp_cycles, most = Math.max(1, ...rows.map(r => r.warp_cycles));
    const key = row => row.file ? `${row.file}:${row.line}` : "", hazards = hazardsOf(launch);
    const sass = [], lines = new Map();
    const right = h("tbody"), left = h("tbody");
    let function_ = null, expected = 0;
    for (const row of rows) {
        if (row.address > expected)
            add(right, [gap((row.address - expected) / 16)]);
        expected = row.address + 16;
        if (row.function && row.function !== function_) {
            function_ = row.function;
            add(right, [h("tr", { class: "head" }, h("td", { colspan: 7 }, function_))]);
        }
        const node = instruction(row, all, most, hazards.get(row.address));
        node.key = key(row);
        node.cycles = row.warp_cycles;
        node.addEventListener("click", () => choose(node.key, node, false));
        sass.push(node);
        add(right, [node]);
        if (node.key)
            lines.set(node.key, (lines.get(node.key) || []).concat(row));
    }
    const sums = new Map([...lines].map(([name, list]) => [name, sum(list.map(r => r.warp_cycles))]));
    const largest = Math.max(1, ...sums.values());
    const places = [];
    const files = source.files && source.files.length ? source.files : [];
    const known = new Set(files.map(f => f.file));
    for (const file of files)
        listing(file.file, file.lines.map((text, i) => [file.first_line + i, text]));
    for (const name of new Set(rows.filter(r => r.file && !known.has(r.file)).map(r => r.file)))
        listing(name, [...lines].filter(([place]) => place.startsWith(name + ":"))
            .map(([place]) => [Number(place.slice(name.length + 1)), "(text not found)"]).sort((a, b) => a[0] - b[0]));
    function listing(name, list) {
        add(left, [h("tr", { class: "head" }, h("td", { colspan: 4 }, name))]);
        for (const [number, text] of list) {
            const place = `${name}:${number}`, cycles = sums.get(place) || 0, own = lines.get(place) || [];
            const node = h("tr", { tabindex: own.length ? -1 : null }, h("td", { class: "n" }, number),
                h("td", { class: "n" }, cycles ? fixed(share(cycles, all), 1) : ""), heat(cycles, largest),
                h("td", { title: own.length ? statesText(merge(own), 9) : null }, text));
            if (own.some(r => hazards.has(r.address)))
                add(node.lastChild, [h("span", { class: "bad" }, "  hazard")]);
            node.key = place;
            if (own.length)
                node.addEventListener("click", () => choose(place, node, true));
            places.push(node);
            add(left, [node]);
        }
    }
    const hot = sass.slice().sort((a, b) => b.cycles - a.cycles);
    let at = -1;
    function step(by) {
        at = (at + by + hot.length) % hot.length;
        choose(hot[at].key, hot[at], false);
        reveal(hot[at]);
        hot[at].focus();
    }
    sourceSection.step = step;
    sourceSection.shown = () => {
        if (hot.length)
            choose(hot[0].key, hot[0], false), reveal(hot[0]);
    };
    function choose(name, from, fromSource) {
        for (const node of [...sass, ...places])
            node.classList.toggle("on", node === from || (name !== "" && node.key === name));
        const other = (fromSource ? sass : places).find(node => name !== "" && node.key === name);
        if (other)
            reveal(other);
    }
    const search = h("input", { type: "search", placeholder: "Search instructions and lines", "aria-label": "Search instructions and lines",
        oninput: event => {
            const wanted = event.target.value.toLowerCase();
            for (const node of [...sass, ...places])
                node.hidden = wanted !== "" && !node.textContent.toLowerCase().includes(wanted);
        } });
    for (const body of [left, right])
        body.addEventListener("keydown", move);
    if (sass.length)
        sass[0].tabIndex = 0;
    const head = names => h("thead", null, h("tr", null, names.map(([name, title, n]) => h("th", { title, class: n ? "n" : null }, name))));
    return [
        h("div", { class: "tools" }, search, h("button", { type: "button", onclick: () => step(-1) }, "Previous hot (p)"),
            h("button", { type: "button", onclick: () => step(1) }, "Next hot (n)"),
            h("span", { class: "note" }, (launch.summed > 1 ? `Sums of ${count(launch.summed)} launches of this kernel. ` : "") + `${count(all)} warp-cycles; a cycle belongs to the instruction that its warp would issue next.`)),
        h("div", { class: "code" },
            places.length ? h("div", { class: "scroll" }, h("table", null, head([["line"], ["%", "of warp-cycles", 1], [""], ["source"]]), left))
                          : h("p", { class: "note" }, "The cubin has no line table: compile with -lineinfo to see the program's lines."),
            h("div", { class: "scroll" }, h("table", null, head([["pc"], ["%", "of warp-cycles", 1], [""], ["issues", "warp instructions", 1],
                ["lanes", "working, in an average issue", 1], ["SASS"], ["states of its warps, %"]]), right))),
    ];
}

function instruction(row, all, most, hazards) {
    const lanes = row.inst_issued ? fixed(row.thread_inst_executed_pred_on / row.inst_issued, 1) : "-";
    return h("tr", { tabindex: -1, title: `${count(row.warp_cycles)} warp-cycles, ${count(row.scheduler_cycles)} scheduler cycles` +
            (row.file ? `; ${row.file}:${row.line}` : "") },
        h("td", null, row.address.toString(16).padStart(4, "0")), h("td", { class: "n" }, fixed(share(row.warp_cycles, all), 1)), heat(row.warp_cycles, most),
        h("td", { class: "n" }, count(row.inst_issued)), h("td", { class: "n" }, lanes),
        h("td", { class: "sass", title: row.text }, row.text, (hazards || []).map(z => h("span", { class: "bad", title: z.advice }, `  ${z.kind} ${z.register || ""}`))),
        h("td", { class: "stalls", title: statesText(row, 99) }, statesText(row, 3)));
}

function heat(cycles, most) {
    return h("td", { class: "heat" }, h("i", null, cycles ? h("b", { style: `width:${Math.max(1, 100 * cycles / most)}%` }) : null));
}
function gap(number) {
    return h("tr", { class: "head" }, h("td", { colspan: 7 }, `... ${count(number)} instruction${number === 1 ? "" : "s"} that no warp came to`));
}
function statesText(row, most) {
    return Object.entries(row.stalls).filter(e => share(e[1], row.warp_cycles) >= (most > 3 ? 0.1 : 5)).sort((a, b) => b[1] - a[1])
        .slice(0, most).map(([name, cycles]) => `${name} ${fixed(share(cycles, row.warp_cycles), 0)}`).join(", ");
}
function merge(rows) {
    const stalls = {};
    for (const row of rows)
        for (const [name, cycles] of Object.entries(row.stalls))
            stalls[name] = (stalls[name] || 0) + cycles;
    return { stalls, warp_cycles: sum(rows.map(r => r.warp_cycles)) };
}

/* Hazards of this kernel by the address of both instructions. */
function hazardsOf(launch) {
    const found = new Map();
    for (const hazard of launch.part.hazards || [])
        if (hazard.kernel === launch.kernel.kernel)
            for (const side of [hazard.first, hazard.second])
                if (side)
                    found.set(side.pc, (found.get(side.pc) || []).concat(hazard));
    return found;
}

function reveal(node) {
    const box = node.closest(".scroll");
    box.scrollTop = node.offsetTop - box.clientHeight / 2;
}
function move(event) {
    const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    if (event.key === "Enter")
        event.target.click();
    let node = step && event.target[step];
    while (node && (node.hidden || !node.hasAttribute("tabindex")))
        node = node[step];
    if (!node)
        return;
    event.preventDefault();
    node.focus();
    node.click();
}
