#include "sm/register_file.h"

#include <string.h>

void register_file_init(struct register_file *rf)
{
    memset(rf, 0xff, sizeof *rf); /* no stamp equals a real cycle */
    memset(rf->rfc, 0, sizeof rf->rfc);
    rf->allocate_free = 0;
}

struct port_reads {
    uint8_t count[RF_BANKS];
};

/* What the instruction must read from the banks after the register-file cache and after merging operands that name
 * the same register. A read in slot (bank, position) leaves its value there if its reuse flag is set and empties the
 * slot if not, also on a hit; other slots are untouched. */
static struct port_reads reads_of(struct register_file *rf, const struct config_core *config, const struct code *code,
                                  uint8_t warp, struct sm_counters *n)
{
    struct port_reads out = {{0}};
    uint8_t seen[16];
    unsigned seen_count = 0;
    for (unsigned r = 0; r < code->reads; r++) {
        const struct code_read *read = &code->read[r];
        for (unsigned w = 0; w < read->words; w++) {
            uint8_t reg = (uint8_t)(read->first + w);
            unsigned bank = reg % RF_BANKS;
            bool hit = false;
            if (config->rfc && read->position < RFC_POSITIONS) {
                struct rfc_slot *slot = &rf->rfc[bank][read->position];
                hit = slot->valid && slot->warp == warp && slot->reg == reg;
                *slot = (struct rfc_slot){warp, reg, read->reuse};
            }
            bool again = false;
            for (unsigned i = 0; i < seen_count; i++)
                again |= seen[i] == reg;
            if (hit) {
                n->rfc_hits++;
            } else if (!again) {
                out.count[bank]++;
                n->register_reads++;
                if (seen_count < sizeof seen)
                    seen[seen_count++] = reg;
            }
        }
    }
    return out;
}

static unsigned free_slots(const struct register_file *rf, unsigned bank, unsigned ports, uint64_t from,
                           unsigned window)
{
    unsigned free = 0;
    for (uint64_t c = from; c < from + window; c++) {
        for (unsigned p = 0; p < ports; p++)
            free += rf->read[bank][p][c % RF_READ_SPAN] != c;
    }
    return free;
}

static void take_slots(struct register_file *rf, unsigned bank, unsigned ports, uint64_t from, unsigned count)
{
    for (uint64_t c = from; count; c++) {
        for (unsigned p = 0; p < ports && count; p++) {
            if (rf->read[bank][p][c % RF_READ_SPAN] != c) {
                rf->read[bank][p][c % RF_READ_SPAN] = c;
                count--;
            }
        }
    }
}

uint64_t register_file_allocate(struct register_file *rf, const struct config_core *config, const struct code *code,
                                uint8_t warp, uint64_t issue, uint64_t *entered, struct sm_counters *n)
{
    uint64_t a = issue + 2 > rf->allocate_free ? issue + 2 : rf->allocate_free;
    *entered = a;
    if (code->reads && !config->ideal_ports) {
        struct port_reads reads = reads_of(rf, config, code, warp, n);
        unsigned ports = config->read_ports;
        /* Fragments of 4 registers are read in a window of twice the length. */
        unsigned window = config->read_window;
        while (reads.count[0] > window * ports || reads.count[1] > window * ports)
            window += config->read_window;
        while (free_slots(rf, 0, ports, a + 1, window) < reads.count[0] ||
               free_slots(rf, 1, ports, a + 1, window) < reads.count[1]) {
            a++;
            n->port_conflict_cycles++;
        }
        take_slots(rf, 0, ports, a + 1, reads.count[0]);
        take_slots(rf, 1, ports, a + 1, reads.count[1]);
    }
    rf->allocate_free = a + 1;
    return a;
}

void register_file_write_fixed(struct register_file *rf, uint8_t first, uint8_t words, uint64_t natural)
{
    for (unsigned w = 0; w < words; w++) {
        uint64_t *port = rf->write[(first + w) % RF_BANKS];
        uint64_t c = natural;
        while (port[c % RF_WRITE_SPAN] == c)
            c++;
        port[c % RF_WRITE_SPAN] = c;
    }
}

uint64_t register_file_write_load(const struct register_file *rf, uint8_t first, uint8_t words, uint64_t natural)
{
    const uint64_t *port = rf->write[(first + words - 1u) % RF_BANKS];
    while (port[natural % RF_WRITE_SPAN] == natural)
        natural++;
    return natural;
}
