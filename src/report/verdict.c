#include "report/verdict.h"

#include <stdio.h>
#include <string.h>

#include "report/format.h"

/* A unit this busy bounds the kernel. A part of the time this long does. A share this large is worth a finding.
 * Percent. They decide about words, not about numbers. */
enum { BUSY = 60, LONG_PART = 30, WORTH = 10 };

enum { LANES = 32, DIGITS = 10 };

static double value(const struct measured *m, enum metric metric) { return metric_value(m, metric); }

/* ---- findings ---------------------------------------------------------------------------------------------------- */

/* Keeps the findings with the largest shares. Returns NULL where there is no room for this one. */
static struct verdict_finding *add(struct verdict *v, double share, const char *title)
{
    unsigned at = v->count;
    while (at > 0 && v->finding[at - 1].share < share)
        at--;
    if (at == VERDICT_FINDINGS)
        return NULL;
    unsigned last = v->count < VERDICT_FINDINGS ? v->count++ : VERDICT_FINDINGS - 1;
    memmove(&v->finding[at + 1], &v->finding[at], (last - at) * sizeof v->finding[0]);
    v->finding[at] = (struct verdict_finding){.title = title, .share = share};
    return &v->finding[at];
}

static void prove(struct verdict_finding *f, const char *name, double number, const char *unit)
{
    struct verdict_evidence *e = &f->evidence[f->evidence_count++];
    snprintf(e->name, sizeof e->name, "%s", name);
    e->value = number;
    e->unit = unit;
}

static void prove_metric(struct verdict_finding *f, const struct measured *m, enum metric metric)
{
    prove(f, metric_info(metric)->name, value(m, metric), metric_info(metric)->unit);
}

/* ---- units that are busy ----------------------------------------------------------------------------------------- */

struct unit {
    enum metric metric;
    const char *name, *title, *advice;
};

static const struct unit units[] = {
    {METRIC_DRAM, "device memory", "Device memory is busy",
     "Read and write fewer bytes: keep data in shared memory or the L2 for a second use, use narrower types, fuse "
     "kernels that pass arrays on."},
    {METRIC_L2, "the L2", "The L2 is busy",
     "Serve more from the L1 and shared memory: tile the computation so that a CTA uses each sector more than once; "
     "avoid atomics to the same lines."},
    {METRIC_NOC_IN, "the network from the L2", "The network from the L2 is busy",
     "Bring fewer bytes to each SM: reuse data in shared memory, or share them inside a cluster by multicast."},
    {METRIC_NOC_OUT, "the network to the L2", "The network to the L2 is busy",
     "Send fewer stores and atomics: combine them in a CTA first, and store whole sectors."},
    {METRIC_L1, "the L1's data stage", "The L1 is busy",
     "Let the lanes of a warp read neighbouring bytes, and load wider words for each instruction."},
    {METRIC_SHARED, "shared memory", "Shared memory is busy",
     "Keep more operands in registers, load wider words, and remove bank conflicts."},
};

enum { UNITS = sizeof units / sizeof units[0] };

static const struct unit *busiest_memory(const struct measured *m)
{
    const struct unit *most = &units[0];
    for (unsigned i = 1; i < UNITS; i++)
        if (value(m, units[i].metric) > value(m, most->metric))
            most = &units[i];
    return most;
}

static void find_units(const struct measured *m, struct verdict *v)
{
    for (unsigned i = 0; i < UNITS; i++) {
        double busy = value(m, units[i].metric);
        struct verdict_finding *f = busy >= BUSY ? add(v, busy, units[i].title) : NULL;
        if (!f)
            continue;
        snprintf(f->text, sizeof f->text, "In the elapsed cycles %s did %s of its possible work.", units[i].name,
                 format_percent(busy).text);
        snprintf(f->advice, sizeof f->advice, "%s", units[i].advice);
        prove_metric(f, m, units[i].metric);
    }
}

/* ---- states of warps --------------------------------------------------------------------------------------------- */

struct state {
    enum stall_reason reason;
    const char *title, *advice;
};

static const struct state states[] = {
    {STALL_LONG_SCOREBOARD, "Warps wait for global or local memory",
     "Have more loads in flight: more resident warps, several loads before the first use, copies that run ahead; or "
     "find the data nearer, in the L1 or shared memory."},
    {STALL_SHORT_SCOREBOARD, "Warps wait for shared memory or special functions",
     "Put independent instructions between the access and its use, and remove bank conflicts."},
    {STALL_BARRIER, "Warps wait at CTA barriers",
     "Give all warps of a CTA the same work between barriers, use smaller CTAs, or split the barrier into arrive and "
     "wait."},
    {STALL_WAIT, "Warps wait for results of fixed latency",
     "Give the compiler independent instructions: unroll, and compute several results in a thread."},
    {STALL_MATH_PIPE_THROTTLE, "Execution units are taken",
     "Balance the instruction mix over the units, or use ones with a higher rate (FP16, tensor cores)."},
    {STALL_LG_THROTTLE, "The queue for global memory is full",
     "Issue fewer and wider accesses to global and local memory."},
    {STALL_MIO_THROTTLE, "The queue for shared memory is full",
     "Issue fewer and wider accesses to shared memory, and fewer shuffles and special functions in a row."},
    {STALL_NO_INSTRUCTION, "Warps wait for their instructions",
     "Make the code smaller: less unrolling, fewer paths. A first pass through the code always fetches it."},
    {STALL_IMC_MISS, "Constants are fetched",
     "Use fewer different constants in a loop. The first access of each SM to a constant always misses."},
    {STALL_MEMBAR, "Warps wait at fences", "Use fewer or narrower fences: of the CTA instead of the GPU."},
    {STALL_WARPGROUP_ARRIVE, "Warps wait for matrix products",
     "That the tensor cores work is good where they are busy; where not, keep a second product in flight."},
    {STALL_BRANCH_RESOLVING, "Warps wait for branches", "Use fewer branches in inner loops: predicate, unroll."},
    {STALL_DRAIN, "Warps wait for their last stores",
     "Store earlier, or give each CTA more work, so that the end matters less."},
    {STALL_SLEEPING, "Warps sleep", "Wait at barrier objects instead of polling with NANOSLEEP."},
};

static const struct state *state_of(enum stall_reason reason)
{
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        if (states[i].reason == reason)
            return &states[i];
    return NULL;
}

static void prove_state(struct verdict_finding *f, const struct measured *m, enum stall_reason reason)
{
    char name[80];
    snprintf(name, sizeof name, "stalls/%s/percent", stall_name(reason));
    prove(f, name, metric_stall_percent(m->result, reason), "%");
}

static void find_states(const struct measured *m, struct verdict *v)
{
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        double share = metric_stall_percent(m->result, states[i].reason);
        struct verdict_finding *f = share >= WORTH ? add(v, share, states[i].title) : NULL;
        if (!f)
            continue;
        snprintf(f->text, sizeof f->text, "%s of the cycles of resident warps are %s: %s.", format_percent(share).text,
                 stall_name(states[i].reason), stall_text(states[i].reason));
        snprintf(f->advice, sizeof f->advice, "%s", states[i].advice);
        prove_state(f, m, states[i].reason);
        if (states[i].reason == STALL_LONG_SCOREBOARD) {
            prove_metric(f, m, METRIC_L1_LOAD_HIT);
            prove_metric(f, m, METRIC_L2_READ_HIT);
            prove_metric(f, m, METRIC_OCCUPANCY);
        }
    }
}

/* ---- the grid and the SMs ---------------------------------------------------------------------------------------- */

static void find_grid(const struct measured *m, struct verdict *v)
{
    const struct kernel_result *r = m->result;
    double launch = r->cycles ? 100 * (double)r->launch_cycles / (double)r->cycles : 0;
    double idle = r->sms ? 100 * (double)(r->sms - r->sms_used) / r->sms : 0;
    double uneven = r->sm_active_max ? 100 * (1 - (double)r->sm_active_min / (double)r->sm_active_max) : 0;
    struct verdict_finding *f = launch >= WORTH ? add(v, launch, "The launch takes long") : NULL;
    if (f) {
        snprintf(f->text, sizeof f->text, "%s of the elapsed cycles pass before the first CTA runs.",
                 format_percent(launch).text);
        snprintf(f->advice, sizeof f->advice, "Give the kernel more work, or join several small kernels into one.");
        prove(f, "cycles/launch", (double)r->launch_cycles, "cycle");
        prove(f, "cycles/elapsed", (double)r->cycles, "cycle");
    }
    f = idle >= WORTH ? add(v, idle, "SMs have no work") : NULL;
    if (f) {
        snprintf(f->text, sizeof f->text, "The grid of %s CTAs reaches %u of %u SMs.", format_count(r->ctas).text,
                 r->sms_used, r->sms);
        snprintf(f->advice, sizeof f->advice, "Use more and smaller CTAs, or split the work along another dimension.");
        prove(f, "cycles/sms_used", r->sms_used, "SM");
        prove_metric(f, m, METRIC_WAVES);
    }
    f = uneven >= 2 * WORTH ? add(v, uneven, "SMs have different amounts of work") : NULL;
    if (f) {
        snprintf(f->text, sizeof f->text, "Of the SMs with work one is active for %s cycles and one for %s.",
                 format_count(r->sm_active_min).text, format_count(r->sm_active_max).text);
        snprintf(
            f->advice, sizeof f->advice,
            "Make the number of CTAs a multiple of those that the GPU holds at once, or let CTAs fetch their work.");
        prove(f, "cycles/sm_active_min", (double)r->sm_active_min, "cycle");
        prove(f, "cycles/sm_active_max", (double)r->sm_active_max, "cycle");
    }
}

static void find_occupancy(const struct measured *m, struct verdict *v)
{
    const struct occupancy *o = &m->result->occupancy;
    double limit = value(m, METRIC_OCCUPANCY_LIMIT);
    double hidden = 100 - value(m, METRIC_ISSUE_SLOTS); /* an SM that issues all the time needs no further warps */
    struct verdict_finding *f =
        limit <= 50 && hidden >= 50 ? add(v, (100 - limit) / 2, "Few warps fit on an SM") : NULL;
    if (!f)
        return;
    snprintf(f->text, sizeof f->text, "An SM holds %u of %u warps; %s set the limit.", o->warps_per_sm,
             o->max_warps_per_sm, occupancy_limit_name(o->limit));
    snprintf(f->advice, sizeof f->advice, "%s",
             o->limit == LIMIT_REGISTERS
                 ? "Use fewer registers a thread (__launch_bounds__), if nothing is spilled then."
             : o->limit == LIMIT_SHARED ? "Use less shared memory a CTA, or larger CTAs that share it."
             : o->limit == LIMIT_CTAS   ? "Use larger CTAs: the number of resident CTAs is the limit."
                                        : "Use CTAs whose warps divide the warps of an SM.");
    prove_metric(f, m, METRIC_OCCUPANCY_LIMIT);
    prove_metric(f, m, METRIC_OCCUPANCY);
}

/* ---- accesses and lanes ------------------------------------------------------------------------------------------ */

static void find_accesses(const struct measured *m, struct verdict *v)
{
    const struct sm_counters *s = &m->result->sm;
    enum { SPREAD = 16 }; /* sectors: more than lanes of 16 bytes side by side need */
    double conflicts = s->shared_wavefronts ? 100 * (double)s->shared_conflicts / (double)s->shared_wavefronts : 0;
    double sectors = value(m, METRIC_L1_SECTORS_LOAD), off = 100 * (1 - value(m, METRIC_THREADS_ON) / LANES);
    struct verdict_finding *f = conflicts >= WORTH ? add(v, conflicts, "Shared memory has bank conflicts") : NULL;
    if (f) {
        snprintf(f->text, sizeof f->text, "%s of the passes through the banks are beyond those that the width needs.",
                 format_percent(conflicts).text);
        snprintf(f->advice, sizeof f->advice, "Pad the rows of arrays in shared memory, or swizzle their addresses.");
        prove(f, "counters/sm/shared_conflicts", (double)s->shared_conflicts, "pass");
        prove(f, "counters/sm/shared_wavefronts", (double)s->shared_wavefronts, "pass");
    }
    f = sectors > SPREAD ? add(v, 100 * (1 - SPREAD / sectors), "Loads touch many sectors") : NULL;
    if (f) {
        snprintf(f->text, sizeof f->text, "A load of global memory asks for %s sectors of 32 bytes.",
                 format_fixed(sectors, 2).text);
        snprintf(
            f->advice, sizeof f->advice,
            "Let neighbouring lanes read neighbouring addresses: transpose the layout, or go through shared memory.");
        prove_metric(f, m, METRIC_L1_SECTORS_LOAD);
    }
    f = off >= 2 * WORTH && s->inst_issued ? add(v, off, "Lanes are idle") : NULL;
    if (f) {
        snprintf(f->text, sizeof f->text, "Of the 32 lanes of a warp instruction %s work.",
                 format_fixed(value(m, METRIC_THREADS_ON), 2).text);
        snprintf(f->advice, sizeof f->advice, "Sort or regroup the work so that the lanes of a warp go the same way.");
        prove_metric(f, m, METRIC_THREADS_ON);
        prove_metric(f, m, METRIC_DIVERGENCE);
    }
}

/* ---- the sentence ------------------------------------------------------------------------------------------------ */

static enum stall_reason main_state(const struct kernel_result *r)
{
    unsigned most = STALL_SELECTED;
    for (unsigned i = 0; i < STALL_COUNT; i++)
        if (i != STALL_SELECTED && i != STALL_NOT_SELECTED &&
            (most == STALL_SELECTED || r->sm.stall[i] > r->sm.stall[most]))
            most = i;
    return (enum stall_reason)most;
}

static void conclude(const struct measured *m, struct verdict *v)
{
    const struct kernel_result *r = m->result;
    const struct unit *memory = busiest_memory(m);
    double compute = value(m, METRIC_COMPUTE), bytes = value(m, METRIC_MEMORY);
    double launch = r->cycles ? 100 * (double)r->launch_cycles / (double)r->cycles : 0;
    enum stall_reason reason = main_state(r);
    const char *waits = state_of(reason) ? state_of(reason)->title : stall_text(reason);
    if (compute >= BUSY && compute >= bytes) {
        v->bound = "compute";
        snprintf(v->text, sizeof v->text,
                 "Bound by execution: the busiest unit of the SMs is used for %s of the elapsed cycles.",
                 format_percent(compute).text);
    } else if (bytes >= BUSY) {
        v->bound = "memory";
        snprintf(v->text, sizeof v->text, "Bound by bandwidth: %s is used to %s of its peak.", memory->name,
                 format_percent(bytes).text);
    } else if (launch >= LONG_PART) {
        v->bound = "launch";
        snprintf(v->text, sizeof v->text,
                 "Too short: %s of the elapsed cycles are the launch itself, before any CTA runs.",
                 format_percent(launch).text);
    } else if (r->sms_used * 2 < r->sms) {
        v->bound = "parallelism";
        snprintf(v->text, sizeof v->text, "Too few CTAs: %u of %u SMs have work.", r->sms_used, r->sms);
    } else {
        v->bound = "latency";
        snprintf(v->text, sizeof v->text,
                 "Bound by latency: no unit is used to more than %s of its peak. %s (%s of warp-cycles).",
                 format_percent(compute > bytes ? compute : bytes).text, waits,
                 format_percent(metric_stall_percent(r, reason)).text);
    }
}

void verdict_find(const struct measured *measured, struct verdict *out)
{
    *out = (struct verdict){0};
    conclude(measured, out);
    find_units(measured, out);
    find_states(measured, out);
    find_grid(measured, out);
    find_occupancy(measured, out);
    find_accesses(measured, out);
}

static void write_evidence(const struct verdict_evidence *e, struct json *json)
{
    json_object(json, NULL);
    json_string(json, "name", e->name);
    json_number(json, "value", e->value, DIGITS);
    json_string(json, "unit", e->unit);
    json_end(json);
}

void verdict_json(const struct measured *measured, struct json *json, const char *key)
{
    struct verdict v;
    if (!measured->result->detailed)
        return;
    verdict_find(measured, &v);
    json_object(json, key);
    json_string(json, "bound", v.bound);
    json_string(json, "text", v.text);
    json_array(json, "findings");
    for (unsigned i = 0; i < v.count; i++) {
        const struct verdict_finding *f = &v.finding[i];
        json_object(json, NULL);
        json_string(json, "title", f->title);
        json_number(json, "share", f->share, DIGITS);
        json_string(json, "text", f->text);
        json_string(json, "advice", f->advice);
        json_array(json, "evidence");
        for (unsigned k = 0; k < f->evidence_count; k++)
            write_evidence(&f->evidence[k], json);
        json_end(json);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}
