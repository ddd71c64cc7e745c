/* The data block: objects of the same keys are arrays that begin with the number of their shape; arrays begin with -1. */
const block = JSON.parse(document.getElementById("data").textContent);

function decode(value) {
    if (!Array.isArray(value))
        return value;
    if (value[0] < 0)
        return value.slice(1).map(decode);
    const object = {};
    block.shapes[value[0]].forEach((key, i) => { object[key] = decode(value[i + 1]); });
    return object;
}

/* A run has launches; each is the object of a kernel in docs/json.md, with what belongs to this launch alone. */
function launchesOf(document) {
    const parts = document.demos || [document];
    const launches = [];
    for (const part of parts) {
        const sources = new Map((part.sources || []).map(one => [one.kernel, one]));
        (part.kernels || []).forEach((kernel, i) => {
            const launch = (part.launches || [])[i];
            launches.push({
                kernel, launch, part,
                number: launches.length,
                name: launch ? launch.name : kernel.kernel,
                samples: part.samples && part.samples.kernel === i ? part.samples : null,
                source: sources.has(kernel.kernel) ? sources.get(kernel.kernel).source
                    : part.source && i === longestOf(part.kernels) ? part.source : null,
                summed: sources.has(kernel.kernel) ? sources.get(kernel.kernel).launches : 1, /* launches of the source */
            });
        });
    }
    return launches;
}

/* The launch that --source and --sample are about. */
function longestOf(kernels) {
    const weight = k => k.detailed ? [1, k.cycles.elapsed] : [0, k.warp_instructions];
    let most = 0;
    kernels.forEach((kernel, i) => {
        const a = weight(kernel), b = weight(kernels[most]);
        if (a[0] > b[0] || (a[0] === b[0] && a[1] > b[1]))
            most = i;
    });
    return most;
}

const runs = block.runs.map(run => {
    const document = decode(run.document);
    return { name: run.name, document, launches: launchesOf(document) };
});
const baseline = block.baseline >= 0 ? runs[block.baseline] : null;

function unitOf(name) { return (block.words[name] || ["", ""])[0]; }
function sentenceOf(name) { return (block.words[name] || ["", ""])[1]; }

/* The launch of the baseline that stands for this one: of the same kernel, and as late among its launches. */
function counterpart(launch, run) {
    if (!baseline || run === baseline)
        return null;
    const same = list => list.filter(l => l.name === launch.name);
    const own = same(run.launches).indexOf(launch), others = same(baseline.launches);
    if (others.length > 0)
        return others[Math.min(own, others.length - 1)];
    return run.launches.length === 1 && baseline.launches.length === 1 ? baseline.launches[0] : null;
}
