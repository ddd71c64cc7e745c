#include "report/perfetto.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/json.h"
#include "report/perfetto_write.h"

struct perfetto_stream {
    uint64_t process, stream;
};

void perfetto_put_time(struct perfetto *p, const char *key, uint64_t ns)
{
    fprintf(p->out, ",\"%s\":%" PRIu64 ".%03" PRIu64, key, ns / 1000, ns % 1000);
}

void perfetto_put_string(struct perfetto *p, const char *key, const char *text)
{
    struct json json;
    fprintf(p->out, ",\"%s\":", key);
    json_begin(&json, p->out);
    json_string(&json, NULL, text);
}

void perfetto_name_track(struct perfetto *p, const char *what, uint64_t pid, uint64_t tid, const char *name)
{
    fprintf(p->out,
            ",\n{\"ph\":\"M\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64
            ",\"name\":\"%s_name\",\"args\":{\"track\":%" PRIu64,
            pid, tid, what, tid);
    perfetto_put_string(p, "name", name);
    fputs("}}", p->out);
}

void perfetto_begin_slice(struct perfetto *p, uint64_t pid, uint64_t tid, const char *category, const char *name,
                          uint64_t begin, uint64_t end)
{
    fprintf(p->out, ",\n{\"ph\":\"X\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64 ",\"cat\":\"%s\"", pid, tid, category);
    perfetto_put_time(p, "ts", begin);
    perfetto_put_time(p, "dur", end > begin ? end - begin : 0);
    perfetto_put_string(p, "name", name);
    fputs(",\"args\":{", p->out);
}

void perfetto_begin(struct perfetto *p, FILE *out, const char *gpu, bool cycles)
{
    *p = (struct perfetto){.out = out, .cycles = cycles};
    fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"tool\":\"subcore\"", out);
    perfetto_put_string(p, "gpu", gpu);
    perfetto_put_string(p, "time", cycles ? "a nanosecond that is shown is an SM cycle" : "simulated nanoseconds");
    fputs("},\n\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":2,\"tid\":2000,\"name\":\"process_name\",\"args\":{\"name\":"
          "\"Launches\"}}",
          out);
}

/* ---- launches -------------------------------------------------------------------------------------------------- */

/* The number of the track, a new one if it has none yet. */
static size_t track_of(struct perfetto *p, struct perfetto_tracks *t, uint64_t pid, uint64_t process, uint64_t stream,
                       const char *label)
{
    char name[96];
    for (size_t i = 0; i < t->count; i++)
        if (t->streams[i].process == process && t->streams[i].stream == stream)
            return i;
    if (t->count == t->room) {
        size_t room = t->room ? 2 * t->room : 16;
        struct perfetto_stream *more = realloc(t->streams, room * sizeof *more);
        p->failed |= !more;
        if (!more)
            return 0;
        t->streams = more;
        t->room = room;
    }
    t->streams[t->count] = (struct perfetto_stream){process, stream};
    int used = process ? snprintf(name, sizeof name, "process %" PRIu64 ", ", process) : 0;
    if (label)
        snprintf(name + used, sizeof name - (size_t)used, "%s", label);
    else
        snprintf(name + used, sizeof name - (size_t)used, "stream %" PRIu64, stream);
    perfetto_name_track(p, "thread", pid, pid * TRACKS + t->count, name);
    return t->count++;
}

void perfetto_launch(struct perfetto *p, const struct perfetto_launch *launch)
{
    const struct kernel_result *r = launch->result;
    size_t track = track_of(p, &p->launches, PID_STREAMS, launch->process, launch->stream, NULL);
    perfetto_begin_slice(p, PID_STREAMS, PID_STREAMS * TRACKS + track, "kernel", launch->name, launch->begin,
                         launch->end);
    fprintf(p->out,
            "\"launch\":%" PRIu64 ",\"grid\":\"%u,%u,%u\",\"block\":\"%u,%u,%u\",\"warp_instructions\":%" PRIu64,
            launch->number, r->grid[0], r->grid[1], r->grid[2], r->block[0], r->block[1], r->block[2],
            r->warp_instructions);
    if (r->detailed)
        fprintf(p->out, ",\"cycles\":%" PRIu64, r->cycles);
    fputs("}}", p->out);
}

/* ---- copies and graphs ------------------------------------------------------------------------------------------- */

static void name_process(struct perfetto *p, const struct perfetto_tracks *tracks, uint64_t pid, const char *name)
{
    if (tracks->count == 0)
        perfetto_name_track(p, "process", pid, pid * TRACKS, name);
}

/* Each engine does one copy at a time, and a graph's launches in a stream follow each other. */
void perfetto_activity(struct perfetto *p, const struct activity *a, uint64_t process)
{
    bool graph = a->kind == ACTIVITY_GRAPH;
    struct perfetto_tracks *tracks = graph ? &p->graphs : &p->copies;
    uint64_t pid = graph ? PID_GRAPHS : PID_COPIES, engine = a->kind == ACTIVITY_SET ? ACTIVITY_COPY_DEVICE : a->kind;
    static const char *const engines[] = {"from the host", "to the host", "on the device"};
    name_process(p, tracks, pid, graph ? "Graphs" : "Copies");
    size_t track = track_of(p, tracks, pid, process, graph ? a->stream : engine, graph ? NULL : engines[engine]);
    perfetto_begin_slice(p, pid, pid * TRACKS + track, graph ? "graph" : "copy", activity_name(a->kind),
                         (uint64_t)(1e9 * a->begin + 0.5), (uint64_t)(1e9 * a->end + 0.5));
    if (graph)
        fprintf(p->out, "\"nodes\":%u}}", a->nodes);
    else
        fprintf(p->out, "\"stream\":%" PRIu64 ",\"bytes\":%" PRIu64 "}}", a->stream, a->bytes);
}

/* ---- the log --------------------------------------------------------------------------------------------------- */

static uint64_t sm_pid(uint32_t sm) { return PID_SMS + sm; }
static uint64_t cta_track(const struct run_log_cta *c) { return sm_pid(c->sm) * TRACKS + c->slot; }
static uint64_t warp_track(const struct run_log *log, uint32_t slot)
{
    return sm_pid(log->sm) * TRACKS + WARP_TRACKS + slot;
}

/* Names of SMs, their slots for CTAs, and the warps that are logged. */
static void name_tracks(struct perfetto *p, const struct run_log *log)
{
    enum { SLOTS = 32, SMS = 512 };
    bool *named = calloc(SMS * SLOTS, sizeof *named);
    const struct run_log_cta *cta = log->ctas.item;
    char name[48];
    p->failed |= !named;
    for (size_t i = 0; named && i < log->ctas.count; i++) {
        size_t place = (size_t)cta[i].sm * SLOTS + cta[i].slot;
        if (place >= (size_t)SMS * SLOTS || named[place])
            continue;
        named[place] = true;
        snprintf(name, sizeof name, "SM %u", cta[i].sm);
        perfetto_name_track(p, "process", sm_pid(cta[i].sm), cta_track(&cta[i]), name);
        snprintf(name, sizeof name, "CTA slot %u", cta[i].slot);
        perfetto_name_track(p, "thread", sm_pid(cta[i].sm), cta_track(&cta[i]), name);
    }
    free(named);
    for (uint32_t slot = 0; log->sm != RUN_LOG_NO_SM && slot < RUN_LOG_SLOTS; slot++) {
        snprintf(name, sizeof name, "warp slot %u", slot);
        perfetto_name_track(p, "thread", sm_pid(log->sm), warp_track(log, slot), name);
    }
}

static void put_ctas(struct perfetto *p, const struct run_log *log, const uint64_t *base, size_t count)
{
    const struct run_log_cta *cta = log->ctas.item;
    for (size_t i = 0; i < log->ctas.count; i++) {
        char name[32];
        if (cta[i].launch >= count)
            continue;
        uint64_t from = base[cta[i].launch];
        snprintf(name, sizeof name, "CTA %" PRIu64, cta[i].cta);
        perfetto_begin_slice(p, sm_pid(cta[i].sm), cta_track(&cta[i]), "cta", name, from + cta[i].begin,
                             from + cta[i].end);
        fprintf(p->out, "\"launch\":%u}}", cta[i].launch);
    }
}

static void put_states(struct perfetto *p, const struct run_log *log, const uint64_t *base, size_t count,
                       const struct perfetto_code *code)
{
    const struct run_log_state *s = log->states.item;
    for (size_t i = 0; i < log->states.count; i++) {
        char text[ISA_TEXT] = "";
        if (s[i].launch >= count)
            continue;
        uint64_t from = base[s[i].launch];
        perfetto_begin_slice(p, sm_pid(log->sm), warp_track(log, s[i].slot), "warp",
                             stall_name((enum stall_reason)s[i].state), from + s[i].begin, from + s[i].end);
        fprintf(p->out, "\"pc\":\"%04x\"", s[i].pc);
        if (code->text)
            code->text(code->self, s[i].launch, s[i].pc, text);
        if (text[0])
            perfetto_put_string(p, "next", text);
        fputs("}}", p->out);
    }
}

void perfetto_log(struct perfetto *p, const struct run_log *log, const uint64_t *base, size_t count,
                  const struct perfetto_code *code)
{
    name_tracks(p, log);
    put_ctas(p, log, base, count);
    put_states(p, log, base, count, code);
}

/* ---- counters -------------------------------------------------------------------------------------------------- */

static void put_counter(struct perfetto *p, const char *name, uint64_t time, uint64_t grown, uint64_t cycles)
{
    fprintf(p->out, ",\n{\"ph\":\"C\",\"pid\":%d,\"tid\":%d,\"name\":\"%s\"", PID_COUNTERS, PID_COUNTERS * TRACKS,
            name);
    perfetto_put_time(p, "ts", time);
    fprintf(p->out, ",\"args\":{\"value\":%.4f}}", cycles ? (double)grown / (double)cycles : 0);
}

void perfetto_samples(struct perfetto *p, const struct sample_series *series, uint64_t base)
{
    static const struct sample zero;
    const struct sample *before = &zero;
    perfetto_name_track(p, "process", PID_COUNTERS, PID_COUNTERS * TRACKS, "Counters of the longest launch, a cycle");
    for (uint32_t i = 0; i < series->count; i++) {
        const struct sample *s = &series->sample[i];
        uint64_t cycles = s->cycle - before->cycle, time = base + before->cycle;
        put_counter(p, "instructions", time, s->sm.inst_issued - before->sm.inst_issued, cycles);
        put_counter(p, "resident warps", time, s->sm.warp_cycles - before->sm.warp_cycles, cycles);
        put_counter(p, "eligible warps", time, s->sm.eligible_cycles - before->sm.eligible_cycles, cycles);
        put_counter(p, "bytes from L2", time, s->sm.noc_bytes_in - before->sm.noc_bytes_in, cycles);
        put_counter(p, "bytes to L2", time, s->sm.noc_bytes_out - before->sm.noc_bytes_out, cycles);
        put_counter(p, "DRAM bytes read", time, s->mem.dram_bytes_read - before->mem.dram_bytes_read, cycles);
        put_counter(p, "DRAM bytes written", time, s->mem.dram_bytes_written - before->mem.dram_bytes_written, cycles);
        before = s;
    }
}

bool perfetto_end(struct perfetto *p)
{
    fputs("\n]}\n", p->out);
    free(p->launches.streams);
    free(p->copies.streams);
    free(p->graphs.streams);
    p->launches = p->copies = p->graphs = (struct perfetto_tracks){0};
    return !p->failed;
}
