/* Numbers as the text report writes them. */
function group(text) {
    const [whole, rest] = text.split(".");
    return whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",") + (rest ? "." + rest : "");
}
function count(value) { return group(String(Math.round(value))); }
function fixed(value, digits = 2) { return group(value.toFixed(digits)); }
function percent(value) { return fixed(value) + " %"; }

function scaled(value, step, units, digits = 2) {
    let unit = 0;
    while (unit + 1 < units.length && Math.abs(value) >= step) {
        value /= step;
        unit++;
    }
    return fixed(value, unit === 0 && Number.isInteger(value) ? 0 : digits) + units[unit];
}
function bytes(value) { return scaled(value, 1000, [" B", " kB", " MB", " GB", " TB"]); }
function size(value) { return scaled(value, 1024, [" B", " KiB", " MiB", " GiB"], 1); }
function short(value) { return value < 1e6 ? count(value) : scaled(value / 1e3, 1000, [" K", " M", " G", " T"]); }
function time(ns) { return scaled(ns, 1000, [" ns", " us", " ms", " s"]); }

function withUnit(value, unit) {
    if (unit === "%")
        return percent(value);
    const text = Number.isInteger(value) ? count(value) : fixed(value, Math.abs(value) < 10 ? 3 : 2);
    return unit ? text + " " + unit : text;
}
function dims(list) {
    const used = list.slice();
    while (used.length > 1 && used[used.length - 1] === 1)
        used.pop();
    return used.join(" x ");
}
function share(part, whole) { return whole ? 100 * part / whole : 0; }
function sum(list) { return list.reduce((a, b) => a + b, 0); }
