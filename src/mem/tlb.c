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
                        .latency = config->l2_miss_latency,
                        .keep = config->keep};
    return tlb->entry != NULL;
}

void tlb_reset(struct tlb *tlb)
{
    size_t entries = tlb->uses > 0 ? (size_t)tlb->sets * tlb->ways : 0;
    if (tlb->keep)
        for (size_t i = 0; i < entries; i++)
            tlb->entry[i].ready = 0;
    else
        memset(tlb->entry, 0, entries * sizeof *tlb->entry);
    tlb->uses = tlb->keep ? tlb->uses : 0;
    tlb->lookups = tlb->misses = 0;
}

uint64_t tlb_translate(struct tlb *tlb, uint64_t address, uint64_t when)
{
    uint64_t page = address >> tlb->page_bits;
    struct tlb_entry *set = &tlb->entry[page % tlb->sets * tlb->ways], *victim = set;
    tlb->lookups++;
    tlb->uses++;
    for (struct tlb_entry *e = set; e < set + tlb->ways; e++) {
        if (e->page == page + 1) {
            e->used = tlb->uses;
            return latest(e->ready, when);
        }
        if (e->used < victim->used)
            victim = e;
    }
    tlb->misses++;
    *victim = (struct tlb_entry){page + 1, tlb->uses, when + tlb->latency};
    return victim->ready;
}
