#include "mem/tlb.h"

#include <string.h>

#include "base/bits.h"
#include "base/order.h"

bool tlb_create(struct tlb *tlb, const struct config_tlb *config, struct arena *arena)
{
    *tlb = (struct tlb){.entry = arena_take(arena, config->l2_entries * sizeof *tlb->entry),
                        .sets = config->l2_entries / config->l2_ways,
                        .ways = config->l2_ways,
                        .page_bits = lowest_bit32(config->page),
                        .latency = config->l2_miss_latency};
    return tlb->entry != NULL;
}

void tlb_reset(struct tlb *tlb)
{
    if (tlb->lookups > 0)
        memset(tlb->entry, 0, (size_t)tlb->sets * tlb->ways * sizeof *tlb->entry);
    tlb->lookups = tlb->misses = 0;
}

uint64_t tlb_translate(struct tlb *tlb, uint64_t address, uint64_t when)
{
    uint64_t page = address >> tlb->page_bits;
    struct tlb_entry *set = &tlb->entry[page % tlb->sets * tlb->ways], *victim = set;
    tlb->lookups++;
    for (struct tlb_entry *e = set; e < set + tlb->ways; e++) {
        if (e->page == page + 1) {
            e->used = tlb->lookups;
            return latest(e->ready, when);
        }
        if (e->used < victim->used)
            victim = e;
    }
    tlb->misses++;
    *victim = (struct tlb_entry){page + 1, tlb->lookups, when + tlb->latency};
    return victim->ready;
}
