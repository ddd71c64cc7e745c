/* Threads that come second. */
#include "check/state.h"

void check_place_at(const struct exec_launch *launch, struct check_place *place, uint32_t warp, unsigned lane,
                    uint32_t pc)
{
    uint64_t cta = warp / launch->warps_per_cta;
    const struct exec_dim *grid = &launch->grid;
    *place = (struct check_place){.present = true, .pc = pc, .warp = warp % launch->warps_per_cta, .lane = lane};
    place->cta[0] = (uint32_t)(cta % grid->x);
    place->cta[1] = (uint32_t)(cta / grid->x % grid->y);
    place->cta[2] = (uint32_t)(cta / grid->x / grid->y);
}

void check_note(const struct check_at *at, enum check_kind kind, unsigned lane, uint32_t first_warp,
                unsigned first_lane, uint32_t first_pc, enum check_memory memory, uint64_t address, uint32_t bytes)
{
    const struct exec_launch *launch = at->launch->of;
    bool is_new, both = first_warp != UINT32_MAX;
    if (!check_wants(at->check, check_kind_bit(kind)))
        return;
    struct check_finding *f = check_found_at(&at->check->found, launch->kernel->cubin->name, kind, memory,
                                             both ? first_pc : 0, at->issued->pc, &is_new);
    if (!f || !is_new)
        return;
    if (both)
        check_place_at(launch, &f->first, first_warp, first_lane, first_pc);
    check_place_at(launch, &f->second, at->know->number, lane, at->issued->pc);
    f->address = address;
    f->bytes = bytes;
}
