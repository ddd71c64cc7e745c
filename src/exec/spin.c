#include "exec/spin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "exec/warp.h"

uint64_t spin_state(const struct exec_warp *warp)
{
    uint64_t digest = warp_registers(warp);
    for (uint32_t i = 0; i < warp->paths; i++) {
        const struct exec_path *p = &warp->path[i];
        const uint32_t facts[] = {p->pc, p->mask, p->wait, p->state, p->group, warp->current};
        digest = hash_bytes(digest, facts, sizeof facts);
    }
    return digest;
}

bool spin_waits(const struct exec_warp *warp)
{
    for (uint32_t i = 0; i < warp->paths; i++)
        if (warp->path[i].state == EXEC_PATH_READY)
            return false;
    return true;
}

/* ---- where they are ---------------------------------------------------------------------------------------------- */

/* The smallest loop around `pc`: from the target of a branch backwards to the branch. */
static void find_loop(const struct exec_kernel *kernel, uint32_t pc, struct spin_loop *loop)
{
    *loop = (struct spin_loop){.first = pc, .last = pc};
    bool found = false;
    for (uint32_t i = pc / 16; i < kernel->count; i++) {
        const struct isa_inst *isa = &kernel->code[i].isa;
        if (isa->op != ISA_OP_BRA || isa->target > pc)
            continue;
        if (!found || isa->pc - isa->target < loop->last - loop->first) {
            loop->first = isa->target;
            loop->last = isa->pc;
        }
        found = true;
    }
}

void spin_add(struct spin_report *report, const struct exec_warp *warp)
{
    struct spin_loop loop;
    uint32_t i = 0;
    report->launch = warp->cta->launch;
    if (spin_waits(warp)) {
        report->waiting++;
        return;
    }
    find_loop(report->launch->kernel, exec_pc(warp), &loop);
    while (i < report->loops && report->loop[i].first != loop.first)
        i++;
    if (i == SPIN_LOOPS) {
        report->elsewhere++;
        return;
    }
    if (i == report->loops)
        report->loop[report->loops++] = loop;
    struct spin_loop *known = &report->loop[i];
    uint64_t linear = warp->cta->linear;
    if (known->warps++ == 0 || linear < known->linear || (linear == known->linear && warp->index < known->warp)) {
        known->linear = linear;
        known->cta = warp->cta->index;
        known->warp = warp->index;
    }
}

/* ---- in words ---------------------------------------------------------------------------------------------------- */

static bool reads(const struct isa_inst *isa)
{
    const struct isa_op_info *info = isa_op_info((enum isa_op)isa->op);
    return (info->memory == ISA_MEM_LOAD || info->memory == ISA_MEM_ATOMIC) && info->space != ISA_SPACE_CONSTANT;
}

/* What the loop waits for is what it reads; else its branch shows where it is. */
static const struct isa_inst *telling_instruction(const struct exec_kernel *kernel, const struct spin_loop *loop)
{
    for (uint32_t i = loop->first / 16; i <= loop->last / 16 && i < kernel->count; i++)
        if (reads(&kernel->code[i].isa))
            return &kernel->code[i].isa;
    return &kernel->code[loop->last / 16].isa;
}

/* ", saxpy.cu:12"; empty without line tables. */
static void source_line(const struct exec_launch *launch, uint32_t pc, char *text, size_t size)
{
    struct cubin_line *rows = NULL;
    const struct cubin *cubin = &launch->module->cubin;
    size_t count = cubin_lines(cubin, launch->kernel->cubin, &rows), at = 0;
    while (at < count && rows[at].pc <= pc)
        at++;
    const char *file = at > 0 ? cubin_line_file(cubin, rows[at - 1].file) : NULL;
    text[0] = '\0';
    if (file)
        snprintf(text, size, ", %.80s:%" PRIu32, file, rows[at - 1].line);
    free(rows);
}

static size_t put_loop(const struct exec_launch *launch, const struct spin_loop *loop, char *text, size_t size)
{
    char sass[ISA_TEXT], line[128];
    const struct isa_inst *isa = telling_instruction(launch->kernel, loop);
    isa_print(isa, sass);
    source_line(launch, isa->pc, line, sizeof line);
    int n = snprintf(text, size,
                     "; %" PRIu64 " warp%s at pc 0x%" PRIx32 " to 0x%" PRIx32 " (0x%" PRIx32 ": %.80s%s), the first of "
                     "CTA (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") warp %" PRIu32,
                     loop->warps, loop->warps == 1 ? "" : "s", loop->first, loop->last, isa->pc, sass, line,
                     loop->cta.x, loop->cta.y, loop->cta.z, loop->warp);
    return n > 0 ? (size_t)n : 0;
}

void spin_text(const struct spin_report *report, uint64_t amount, const char *unit, char text[static SPIN_TEXT])
{
    size_t used = (size_t)snprintf(text, SPIN_TEXT,
                                   "spins: no CTA has begun or ended for %" PRIu64
                                   " %s, and its warps go round without a change of their registers",
                                   amount, unit);
    for (uint32_t i = 0; i < report->loops && used < SPIN_TEXT; i++)
        used += put_loop(report->launch, &report->loop[i], text + used, SPIN_TEXT - used);
    if (report->elsewhere && used < SPIN_TEXT)
        used +=
            (size_t)snprintf(text + used, SPIN_TEXT - used, "; %" PRIu64 " warps in other loops", report->elsewhere);
    if (report->waiting && used < SPIN_TEXT)
        snprintf(text + used, SPIN_TEXT - used, "; %" PRIu64 " warp%s at a barrier", report->waiting,
                 report->waiting == 1 ? " waits" : "s wait");
}

/* ---- a functional run -------------------------------------------------------------------------------------------- */

void spin_begin(struct spin_watch *watch, const struct exec_launch *launch)
{
    uint64_t asked = launch->spins ? launch->spins->after : 0;
    *watch = (struct spin_watch){.after = asked ? asked : SPIN_AFTER_INSTRUCTIONS, .report = {.launch = launch}};
}

void spin_moved(struct spin_watch *watch, uint64_t instructions)
{
    watch->moved = instructions;
    watch->left = 0;
    watch->holds = false;
}

void spin_look(struct spin_watch *watch, uint64_t instructions, uint32_t ctas)
{
    const struct exec_launch *launch = watch->report.launch;
    if (!launch->spins || watch->told || watch->left || instructions - watch->moved < watch->after)
        return;
    watch->left = ctas;
    watch->report = (struct spin_report){.launch = launch};
}

void spin_is_none(struct spin_watch *watch)
{
    watch->left = 0;
    watch->after *= 2;
}

void spin_cta_seen(struct spin_watch *watch, uint64_t instructions)
{
    if (--watch->left > 0 || watch->report.loops == 0)
        return;
    watch->told = watch->holds = true;
    spin_text(&watch->report, instructions - watch->moved, "warp instructions", watch->text);
    spin_again(watch);
}

void spin_again(const struct spin_watch *watch)
{
    const struct exec_launch *launch = watch->report.launch;
    if (watch->holds)
        launch->spins->tell(launch->spins->self, launch->kernel->cubin->name, watch->text);
}
