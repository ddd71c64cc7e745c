#include "hazard/hazard.h"

#include <stdlib.h>
#include <string.h>

void hazards_init(struct hazards *h) { *h = (struct hazards){0}; }

static void free_sms(struct hazards *h)
{
    for (uint32_t i = 0; i < h->sms; i++) {
        for (uint32_t s = 0; s < h->sm[i].slots; s++)
            hazard_warp_free(&h->sm[i].warp[s]);
        free(h->sm[i].warp);
        hazard_found_free(&h->sm[i].found);
    }
    free(h->sm);
    h->sm = NULL;
    h->sms = 0;
}

void hazards_free(struct hazards *h)
{
    free_sms(h);
    for (uint32_t k = 0; k < h->kernels; k++) {
        free(h->kernel[k].name);
        hazard_code_free(&h->kernel[k].code);
        hazard_found_free(&h->kernel[k].found);
    }
    free(h->kernel);
    hazards_init(h);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* Modules may have kernels of the same name. */
static bool find_kernel(struct hazards *h, const struct hazard_launch *launch)
{
    for (h->current = 0; h->current < h->kernels; h->current++) {
        const struct hazard_kernel *k = &h->kernel[h->current];
        if (strcmp(k->name, launch->kernel) == 0 &&
            hazard_code_is(&k->code, launch->isa, launch->stride, launch->count))
            return true;
    }
    return false;
}

static bool add_kernel(struct hazards *h, const struct hazard_launch *launch)
{
    struct hazard_kernel *grown = realloc(h->kernel, (h->kernels + 1u) * sizeof *grown);
    if (!grown)
        return false;
    h->kernel = grown;
    struct hazard_kernel *k = &h->kernel[h->kernels];
    *k = (struct hazard_kernel){.name = strdup(launch->kernel)};
    if (!k->name || !hazard_code_build(&k->code, launch->architecture, launch->isa, launch->stride, launch->count)) {
        free(k->name);
        return false;
    }
    h->current = h->kernels++;
    return true;
}

bool hazards_begin(struct hazards *h, const struct hazard_launch *launch)
{
    free_sms(h);
    h->warps_per_cta = launch->warps_per_cta;
    h->timed = launch->timed;
    if (!find_kernel(h, launch) && !add_kernel(h, launch))
        return false;
    h->sm = calloc(launch->sms, sizeof *h->sm);
    h->sms = h->sm ? launch->sms : 0;
    return h->sm;
}

void hazards_end(struct hazards *h)
{
    if (!h->kernels)
        return;
    struct hazard_found *all = &h->kernel[h->current].found;
    for (uint32_t i = 0; i < h->sms; i++) {
        const struct hazard_found *found = &h->sm[i].found;
        for (uint32_t n = 0; n < found->count; n++)
            hazard_found_add(all, &found->item[n]);
        h->failed |= found->failed || h->sm[i].failed;
        for (uint32_t s = 0; s < h->sm[i].slots; s++)
            h->failed |= h->sm[i].warp[s].failed;
    }
    h->failed |= all->failed;
    hazard_found_sort(all);
    free_sms(h);
}

/* ---- issues ------------------------------------------------------------------------------------------------------ */

static struct hazard_warp *warp_in(struct hazard_sm *sm, uint32_t slot)
{
    if (slot < sm->slots)
        return &sm->warp[slot];
    uint32_t slots = slot < 64 ? 64 : 2 * slot;
    struct hazard_warp *grown = realloc(sm->warp, slots * sizeof *grown);
    if (!grown) {
        sm->failed = true;
        return NULL;
    }
    memset(grown + sm->slots, 0, (slots - sm->slots) * sizeof *grown);
    sm->warp = grown;
    sm->slots = slots;
    return &sm->warp[slot];
}

void hazards_issued(struct hazards *h, uint32_t sm, uint32_t slot, uint64_t cta, uint32_t pc, uint32_t path,
                    uint32_t active, uint64_t cycle)
{
    const struct hazard_code *code = &h->kernel[h->current].code;
    struct hazard_sm *s = &h->sm[sm];
    struct hazard_warp *w = warp_in(s, slot);
    if (!w || pc / 16 >= code->count)
        return;
    if ((!w->used || w->cta != cta) && !hazard_warp_start(w, code, cta)) {
        s->failed = true;
        return;
    }
    const struct hazard_issue issue = {.index = pc / 16,
                                       .path = path,
                                       .active = active,
                                       .cycle = cycle,
                                       .timed = h->timed,
                                       .sm = (uint16_t)sm,
                                       .slot = slot,
                                       .warp = slot % h->warps_per_cta};
    hazard_warp_issue(w, code, &issue, &s->found);
}

void hazards_noted(struct hazards *h, uint32_t sm, const struct hazard *hazard)
{
    const struct hazard_code *code = &h->kernel[h->current].code;
    if (hazard->first / 16 < code->count && hazard->second / 16 < code->count)
        hazard_found_add(&h->sm[sm].found, hazard);
}

void hazards_written(struct hazards *h, uint32_t sm, uint32_t slot, uint32_t pc, uint64_t cycle)
{
    const struct hazard_code *code = &h->kernel[h->current].code;
    struct hazard_sm *s = &h->sm[sm];
    if (slot < s->slots && pc / 16 < code->count)
        hazard_warp_written(&s->warp[slot], code, pc / 16, cycle);
}

uint64_t hazards_count(const struct hazards *h)
{
    uint64_t count = 0;
    for (uint32_t k = 0; k < h->kernels; k++)
        count += h->kernel[k].found.count;
    return count;
}
