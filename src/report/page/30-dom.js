/* Elements. Texts are set as texts: names from files cannot become elements. */
function add(node, children) {
    for (const child of children.flat(3))
        if (child !== null && child !== undefined && child !== false)
            node.append(child instanceof Node ? child : String(child));
    return node;
}
function set(node, attributes) {
    for (const [name, value] of Object.entries(attributes || {}))
        if (name.startsWith("on"))
            node.addEventListener(name.slice(2), value);
        else if (value !== null && value !== undefined && value !== false)
            node.setAttribute(name, value === true ? "" : value);
    return node;
}
function h(tag, attributes, ...children) { return add(set(document.createElement(tag), attributes), children); }
function s(tag, attributes, ...children) {
    return add(set(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes), children);
}
function colour(i) { return `var(--c${i % 10})`; }

/* The states of warps have the same colours everywhere. */
const STATE_COLOURS = {
    selected: "var(--c2)", long_scoreboard: "var(--c0)", short_scoreboard: "var(--c7)", barrier: "var(--c3)",
    wait: "var(--c6)", not_selected: "var(--c9)", math_pipe_throttle: "var(--c4)", warpgroup_arrive: "var(--c1)",
    lg_throttle: "var(--c5)", mio_throttle: "var(--c8)", no_instruction: "var(--c8)", imc_miss: "var(--c5)",
};
function stateColour(name) { return STATE_COLOURS[name] || "var(--c9)"; }

/* Rows of [label, percent, text, {main, sub, title, colour}]. */
function bars(rows) {
    const box = h("div", { class: "bars" });
    for (const [label, value, text, more = {}] of rows) {
        const kind = more.main ? "main" : more.sub ? "sub" : "";
        const width = Math.max(0, Math.min(100, value));
        add(box, [
            h("span", { class: kind, title: more.title }, label),
            h("span", { class: "track", title: more.title },
                h("span", { class: "fill", style: `width:${width}%;background:${more.colour || "var(--c0)"}` })),
            h("span", { class: "v " + kind }, text === undefined ? percent(value) : text)]);
    }
    return box;
}

/* Parts of a whole side by side: [name, share in percent, colour, title]. */
function stack(parts) {
    return h("div", { class: "stack", role: "img", "aria-label": parts.map(p => `${p[0]} ${percent(p[1])}`).join(", ") },
        parts.filter(p => p[1] > 0).map(p => h("span",
            { style: `width:${p[1]}%;background:${p[2]}`, title: `${p[0]}: ${percent(p[1])}. ${p[3] || ""}` },
            p[1] > 6 ? p[0] : "")));
}
function legend(parts) {
    return h("div", { class: "legend" }, parts.map(([name, paint]) =>
        h("span", null, h("span", { class: "key", style: `background:${paint}` }), name)));
}

/* A table whose head sorts: columns {name, n, get, show, title}. `pick(row)` is called for a chosen row. */
function table(columns, rows, pick, chosen) {
    const body = h("tbody");
    let by = -1, down = true;
    const fill = list => body.replaceChildren(...list.map(row => {
        const line = h("tr", { tabindex: pick ? (row === chosen ? 0 : -1) : null, class: row === chosen ? "on" : null },
            columns.map(c => h("td", { class: c.n ? "n" : null }, c.show ? c.show(row) : c.get(row))));
        if (pick)
            line.addEventListener("click", () => pick(row));
        line.row = row;
        return line;
    }));
    const heads = columns.map((c, i) => h("th", { class: c.n ? "n" : null, title: c.title, scope: "col" },
        h("button", { type: "button", onclick: () => sortBy(i) }, c.name)));
    function sortBy(i) {
        down = by === i ? !down : !!columns[i].n;
        by = i;
        heads.forEach((head, k) => k === i ? head.setAttribute("aria-sort", down ? "descending" : "ascending")
                                           : head.removeAttribute("aria-sort"));
        show(shown);
    }
    let shown = rows;
    function show(list) {
        shown = list;
        const value = by >= 0 ? columns[by].get : null;
        fill(!value ? list : list.slice().sort((a, b) => {
            const x = value(a), y = value(b);
            return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
        }));
    }
    body.addEventListener("keydown", event => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        const line = event.target.closest("tr");
        if (!line || (!step && event.key !== "Enter"))
            return;
        event.preventDefault();
        const next = step ? (step > 0 ? line.nextElementSibling : line.previousElementSibling) : line;
        if (next && step)
            next.focus();
        else if (next && pick)
            pick(next.row);
    });
    show(rows);
    if (pick && body.firstElementChild && !body.querySelector("[tabindex='0']"))
        body.firstElementChild.tabIndex = 0;
    return { node: h("table", null, h("thead", null, h("tr", null, heads)), body), show };
}
