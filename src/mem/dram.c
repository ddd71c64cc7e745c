#include "mem/dram.h"

#include <stdlib.h>
#include <string.h>

#include "port/message.h"

bool dram_create(struct dram *dram, const struct config *config, double share, uint32_t banks)
{
    const struct config_dram *c = &config->dram;
    double bytes_per_cycle = c->bandwidth * 1e9 / (config->gpu.clock * 1e6) * c->efficiency * share;
    *dram = (struct dram){.latency = c->latency,
                          .row_miss = c->row_miss,
                          .banks = banks,
                          .queue = c->queue,
                          .row_lines = divider_of(c->row_bytes / PORT_LINE),
                          .bank_count = divider_of(banks),
                          .bank = malloc(banks * sizeof *dram->bank),
                          .issued = malloc(c->queue * sizeof *dram->issued)};
    bool bus = bus_create(&dram->bus, bus_period(PORT_SECTOR, bytes_per_cycle));
    if (!bus || dram->bank == NULL || dram->issued == NULL)
        return false;
    dram_reset(dram);
    return true;
}

void dram_destroy(struct dram *dram)
{
    free(dram->bank);
    free(dram->issued);
    bus_destroy(&dram->bus);
}

void dram_reset(struct dram *dram)
{
    memset(dram->bank, 0, dram->banks * sizeof *dram->bank);
    memset(dram->issued, 0, dram->queue * sizeof *dram->issued);
    dram->head = 0;
    dram->accesses = 0;
    bus_reset(&dram->bus);
}

struct address_row dram_row(const struct dram *dram, uint64_t number)
{
    return address_row_of(dram->row_lines, dram->bank_count, number);
}

/* Cycle at which the row is open for an access that is in the queue from `enter` on. Rows that close after `enter` are
 * still to be had; only the newest has no end. */
static uint64_t open_row(struct dram_bank *bank, uint64_t row, uint64_t enter, uint32_t row_miss,
                         struct mem_counters *n)
{
    for (uint32_t i = 0; i < DRAM_PLAN; i++)
        if (bank->plan[i].row == row + 1 && enter < bank->plan[i].close) {
            n->dram_row_hits++;
            return bank->plan[i].open;
        }
    n->dram_row_misses++;
    uint64_t start = bank->last > enter ? bank->last : enter;
    bank->plan[bank->newest].close = start;
    bank->newest = (bank->newest + 1) % DRAM_PLAN;
    bank->plan[bank->newest].row = row + 1;
    bank->plan[bank->newest].open = start + row_miss;
    bank->plan[bank->newest].close = UINT64_MAX;
    return start + row_miss;
}

static uint64_t transfer(struct dram *dram, struct address_row where, uint64_t when, uint64_t *enter,
                         struct mem_counters *n)
{
    struct dram_bank *bank = &dram->bank[where.bank];
    *enter = dram->issued[dram->head] > when ? dram->issued[dram->head] : when;
    uint64_t open = open_row(bank, where.row, *enter, dram->row_miss, n);
    uint64_t ready = (open > *enter ? open : *enter) + dram->latency;
    uint64_t data = bus_take(&dram->bus, ready, 1);
    uint64_t issue = data - dram->latency;
    if (bank->plan[bank->newest].row == where.row + 1 && issue > bank->last)
        bank->last = issue;
    dram->issued[dram->head] = issue;
    dram->head = dram->head + 1 == dram->queue ? 0 : dram->head + 1;
    dram->accesses++;
    return data;
}

uint64_t dram_read(struct dram *dram, struct address_row row, uint64_t when, struct mem_counters *n)
{
    uint64_t enter;
    n->dram_bytes_read += PORT_SECTOR;
    return transfer(dram, row, when, &enter, n);
}

uint64_t dram_write(struct dram *dram, struct address_row row, uint64_t when, struct mem_counters *n)
{
    uint64_t enter;
    n->dram_bytes_written += PORT_SECTOR;
    transfer(dram, row, when, &enter, n);
    return enter;
}

uint64_t dram_busy(const struct dram *dram) { return (dram->accesses * dram->bus.period) >> BUS_FRACTION; }
