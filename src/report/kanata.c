#include "report/kanata.h"

#include <inttypes.h>
#include <stdlib.h>

/* Stages, in the order of time: fetch, in the instruction buffer, issue, in a unit, write-back. */
enum event_kind { EVENT_START, EVENT_STAGE, EVENT_STALL, EVENT_STALL_END, EVENT_RETIRE };

struct event {
    uint64_t cycle;
    size_t order; /* of events in one cycle */
    size_t id;    /* of the instruction */
    enum event_kind kind;
    const char *word; /* of a stage or a reason */
};

struct kanata {
    const struct run_log *log;
    const struct kanata_code *code;
    uint32_t launch;
    const struct run_log_issue *issue; /* in the order of time */
    const struct run_log_state *state; /* by slot, then by time */
    size_t issues, states;
    struct event *event;
    size_t events, room;
    bool failed; /* no memory */
};

static const char *unit_stage(enum isa_pipe pipe)
{
    switch (pipe) {
    case ISA_PIPE_ALU: return "Xa";
    case ISA_PIPE_FMA:
    case ISA_PIPE_FMAHEAVY: return "Xf";
    case ISA_PIPE_FP16: return "Xh";
    case ISA_PIPE_FP64: return "Xd";
    case ISA_PIPE_XU: return "Xs";
    case ISA_PIPE_TENSOR: return "Xt";
    case ISA_PIPE_UNIFORM: return "Xu";
    case ISA_PIPE_LSU: return "Xm";
    default: return "Xb";
    }
}

static void add(struct kanata *k, uint64_t cycle, size_t id, enum event_kind kind, const char *word)
{
    if (k->events == k->room) {
        size_t room = k->room ? 2 * k->room : 1024;
        struct event *more = realloc(k->event, room * sizeof *more);
        k->failed |= !more;
        if (!more)
            return;
        k->event = more;
        k->room = room;
    }
    k->event[k->events] = (struct event){cycle, k->events, id, kind, word};
    k->events++;
}

static int by_cycle(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

static int by_slot(const void *a, const void *b)
{
    const struct run_log_state *x = a, *y = b;
    if (x->slot != y->slot)
        return x->slot < y->slot ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static bool is_fetch(uint8_t state) { return state == STALL_NO_INSTRUCTION || state == STALL_BRANCH_RESOLVING; }

/* The warp's states between its issue before and this one. `at` is the first state of the slot that is not over. */
static void add_waits(struct kanata *k, size_t id, const struct run_log_issue *i, size_t *at)
{
    bool begun = false, buffered = false, stalls = false;
    for (; *at < k->states && k->state[*at].slot == i->slot && k->state[*at].begin < i->issued; ++*at) {
        const struct run_log_state *s = &k->state[*at];
        if (s->state == STALL_SELECTED || s->pc != i->pc)
            continue;
        if (!begun)
            add(k, s->begin, id, EVENT_START, "");
        begun = true;
        if (is_fetch(s->state)) {
            add(k, s->begin, id, EVENT_STAGE, "F");
            buffered = false;
        } else {
            if (!buffered)
                add(k, s->begin, id, EVENT_STAGE, "D");
            buffered = stalls = true;
            add(k, s->begin, id, EVENT_STALL, stall_name((enum stall_reason)s->state));
        }
    }
    if (!begun)
        add(k, i->issued, id, EVENT_START, "");
    if (stalls)
        add(k, i->issued, id, EVENT_STALL_END, "");
}

static void add_instruction(struct kanata *k, size_t id, size_t *at)
{
    const struct run_log_issue *i = &k->issue[id];
    char text[ISA_TEXT];
    add_waits(k, id, i, at);
    add(k, i->issued, id, EVENT_STAGE, "I");
    uint64_t end = i->issued + 1;
    if (i->written > end) {
        add(k, end, id, EVENT_STAGE, unit_stage(k->code->text(k->code->self, i->pc, text)));
        add(k, i->written - 1 > end ? i->written - 1 : end, id, EVENT_STAGE, "Wb");
        end = i->written;
    }
    add(k, end, id, EVENT_RETIRE, "");
}

/* ---- the file -------------------------------------------------------------------------------------------------- */

static void put_start(const struct kanata *k, size_t id, FILE *out)
{
    const struct run_log_issue *i = &k->issue[id];
    char text[ISA_TEXT] = "";
    k->code->text(k->code->self, i->pc, text);
    fprintf(out, "I\t%zu\t%zu\t%u\nL\t%zu\t0\t%04x %s\n", id, id, i->slot, id, i->pc, text);
    fprintf(out, "L\t%zu\t1\tCTA %" PRIu64 ", warp slot %u, lanes %08x\n", id, i->cta, i->slot, i->active);
}

static void put_event(const struct kanata *k, const struct event *e, size_t *retired, FILE *out)
{
    switch (e->kind) {
    case EVENT_START: put_start(k, e->id, out); return;
    case EVENT_STAGE: fprintf(out, "S\t%zu\t0\t%s\n", e->id, e->word); return;
    case EVENT_STALL: fprintf(out, "S\t%zu\t1\tstl\nL\t%zu\t2\t%s\n", e->id, e->id, e->word); return;
    case EVENT_STALL_END: fprintf(out, "E\t%zu\t1\tstl\n", e->id); return;
    case EVENT_RETIRE: fprintf(out, "R\t%zu\t%zu\t%d\n", e->id, (*retired)++, k->issue[e->id].active == 0); return;
    }
}

static void put_events(const struct kanata *k, FILE *out)
{
    uint64_t cycle = k->events ? k->event[0].cycle : 0;
    size_t retired = 0;
    fprintf(out, "Kanata\t0004\nC=\t%" PRIu64 "\n", cycle);
    for (size_t n = 0; n < k->events; n++) {
        if (k->event[n].cycle > cycle)
            fprintf(out, "C\t%" PRIu64 "\n", k->event[n].cycle - cycle);
        cycle = k->event[n].cycle;
        put_event(k, &k->event[n], &retired, out);
    }
}

/* The launch's part of both lists. The list of states is copied to be sorted. */
static struct run_log_state *select_launch(struct kanata *k)
{
    const struct run_log_issue *issue = k->log->issues.item;
    const struct run_log_state *state = k->log->states.item;
    struct run_log_state *own = calloc(k->log->states.count + 1, sizeof *own);
    for (size_t i = 0; i < k->log->issues.count; i++)
        if (issue[i].launch == k->launch && k->issues++ == 0)
            k->issue = &issue[i];
    for (size_t i = 0; own && i < k->log->states.count; i++)
        if (state[i].launch == k->launch)
            own[k->states++] = state[i];
    if (own)
        qsort(own, k->states, sizeof *own, by_slot);
    k->state = own;
    k->failed = !own;
    return own;
}

bool kanata_write(const struct run_log *log, uint32_t launch, const struct kanata_code *code, FILE *out,
                  struct status *status)
{
    struct kanata k = {.log = log, .launch = launch, .code = code};
    struct run_log_state *own = select_launch(&k);
    size_t at[RUN_LOG_SLOTS] = {0};
    for (size_t i = k.states; i > 0; i--)
        at[own[i - 1].slot] = i - 1;
    for (size_t id = 0; own && id < k.issues; id++)
        add_instruction(&k, id, &at[k.issue[id].slot]);
    bool ok = true;
    if (k.failed)
        ok = status_fail(status, STATUS_MEMORY, "no memory for the stages of %zu instructions", k.issues);
    else if (k.issues == 0)
        ok =
            status_fail(status, STATUS_USAGE, "--kanata: no instruction issues on the SM and in the cycles of --warps");
    if (ok) {
        qsort(k.event, k.events, sizeof *k.event, by_cycle);
        put_events(&k, out);
    }
    free(k.event);
    free(own);
    return ok;
}
