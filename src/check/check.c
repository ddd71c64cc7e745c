#include "check/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "check/state.h"
#include "exec/code/lines.h"
#include "exec/memory/proxy.h"
#include "isa/matrix.h"

void check_init(struct check *check, uint32_t checks) { *check = (struct check){.checks = checks}; }

static void launch_free(struct check_launch *l)
{
    for (uint32_t i = 0; l && i < l->ctas; i++)
        if (l->cta[i])
            check_cta_end(l, l->cta[i]);
    if (l) {
        shadow_clear(&l->global);
        order_end(&l->order);
        free(l->cta);
    }
    free(l);
}

void check_free(struct check *check)
{
    launch_free(check->launch);
    check_found_free(&check->found);
    *check = (struct check){0};
}

bool check_watches(const struct check *check)
{
    return check->checks & (CHECK_SET(RACE) | CHECK_SET(INIT) | CHECK_SET(SYNC));
}

bool check_begin(struct check *check, const struct exec_launch *launch, struct status *status)
{
    check->of = launch;
    check->before = check->found.count;
    if (!check_watches(check))
        return true;
    check->launch = calloc(1, sizeof *check->launch);
    if (!check->launch)
        return status_fail(status, STATUS_MEMORY, "no host memory for the checks of %s", launch->kernel->cubin->name);
    check->launch->of = launch;
    check->launch->memory = launch->module->memory;
    order_begin(&check->launch->order, launch->warps_per_cta);
    return true;
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

void check_proxy(struct check *check, const struct exec_finding *finding)
{
    static const uint8_t kinds[] = {
        [PROXY_NO_FENCE] = CHECK_PROXY, [PROXY_BEFORE_PHASE] = CHECK_PHASE, [PROXY_OVERRUN] = CHECK_OVERRUN};
    const struct exec_launch *launch = check->of;
    bool is_new;
    if (!check_wants(check, CHECK_BIT_RACE))
        return;
    struct check_finding *f =
        check_found_at(&check->found, launch->kernel->cubin->name, (enum check_kind)kinds[finding->kind], CHECK_SHARED,
                       finding->first, finding->second, &is_new);
    if (!f || !is_new)
        return;
    uint32_t warp = (uint32_t)(finding->cta * launch->warps_per_cta);
    check_place_at(launch, &f->first, warp + finding->first_warp, CHECK_NO_LANE, finding->first);
    check_place_at(launch, &f->second, warp + finding->warp, CHECK_NO_LANE, finding->second);
    f->address = finding->offset;
    f->bytes = PROXY_GRANULE;
}

void check_outside(struct check *check, const struct exec_warp *warp, uint32_t pc, unsigned lane, uint64_t address,
                   unsigned bytes, const char *text)
{
    const struct exec_launch *launch = warp->cta->launch;
    bool is_new;
    struct check_finding *f =
        check_found_at(&check->found, launch->kernel->cubin->name, CHECK_OUTSIDE, CHECK_GLOBAL, 0, pc, &is_new);
    if (!f || !is_new)
        return;
    uint64_t number = warp->cta->linear * launch->warps_per_cta + warp->index;
    check_place_at(launch, &f->second, (uint32_t)number, lane, pc);
    f->address = address;
    f->bytes = bytes;
    snprintf(f->text, sizeof f->text, "%.200s", text);
}

void check_leak(struct check *check, uint64_t address, uint64_t bytes, const char *text)
{
    struct check_finding f = {.kind = CHECK_LEAK, .memory = CHECK_GLOBAL, .address = address, .count = 1};
    if (!check_wants(check, CHECK_BIT_LEAK))
        return;
    f.bytes = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
    snprintf(f.text, sizeof f.text, "%" PRIu64 " bytes, %.200s", bytes, text);
    check_found_merge(&check->found, &f);
}

/* ---- the end of a launch ----------------------------------------------------------------------------------------- */

static void note_fault(struct check *check, const struct exec_fault_report *fault)
{
    struct check_finding f = {.kind = CHECK_FAULT, .count = 1, .address = fault->address, .bytes = 0};
    f.second = (struct check_place){.present = fault->has_place,
                                    .pc = fault->pc,
                                    .cta = {fault->cta.x, fault->cta.y, fault->cta.z},
                                    .warp = fault->warp,
                                    .lane = fault->lane};
    snprintf(f.kernel, sizeof f.kernel, "%s", check->of->kernel->cubin->name);
    snprintf(f.text, sizeof f.text, "%.230s", fault->text);
    check_found_merge(&check->found, &f);
}

static void describe(const struct exec_launch *launch, struct check_place *place)
{
    const struct exec_kernel *kernel = launch->kernel;
    char sass[ISA_TEXT];
    if (!place->present || place->pc / 16 >= kernel->count)
        return;
    isa_print(&kernel->code[place->pc / 16].isa, sass);
    snprintf(place->sass, sizeof place->sass, "%.*s", CHECK_SASS - 1, sass);
    exec_line(launch, place->pc, place->line, sizeof place->line);
}

void check_end(struct check *check, const struct exec_fault_report *fault)
{
    struct check_launch *l = check->launch;
    bool deadlock = fault->kind == EXEC_FAULT_DEADLOCK;
    for (uint32_t i = 0; l && deadlock && i < l->ctas; i++)
        if (l->cta[i])
            check_left(check, l, l->cta[i]);
    if (fault->kind != EXEC_FAULT_NONE && fault->kind != EXEC_FAULT_UNSUPPORTED && !deadlock &&
        check_wants(check, CHECK_BIT_MEMORY))
        note_fault(check, fault);
    for (uint32_t i = check->before; i < check->found.count; i++) {
        describe(check->of, &check->found.item[i].first);
        describe(check->of, &check->found.item[i].second);
    }
    check->failed |= (l && l->order.failed) || check->found.failed;
    launch_free(l);
    check->launch = NULL;
    check->of = NULL;
}
