/* The recipe "an engine with transfers" of CONTRIBUTING, followed: a client of the SM's port that reads the box of a
 * transfer, a line per cycle, and lowers a warp's dependence counter when all of it has come. */
#ifndef SUBCORE_TESTS_SM_TOY_ENGINE_H
#define SUBCORE_TESTS_SM_TOY_ENGINE_H

#include "isa/issued.h"
#include "sm/port/port.h"
#include "sm/retire.h"

enum { ENGINE_WRITE = 7 }; /* cycles from the last data to the waiter of the transfer */

struct toy_engine {
    struct toy_engine_ports {
        struct port *port;
        struct retire *retire;
        uint8_t client;
    } to;
    struct transfer transfer;
    uint32_t row;      /* that is asked for; transfer.rows: all are */
    uint32_t offset;   /* in the row, of the bytes that have not been asked for */
    uint32_t expected; /* replies that have not come */
    uint8_t slot;      /* of the warp that waits, and its counter */
    uint8_t counter;
};

static inline bool toy_engine_asks(const struct toy_engine *e) { return e->row < e->transfer.rows; }

/* The instruction issues. `transfer` is that of struct issued. */
static inline void toy_engine_start(struct toy_engine *e, const struct transfer *transfer, uint8_t slot,
                                    uint8_t counter)
{
    *e = (struct toy_engine){.to = e->to, .transfer = *transfer, .slot = slot, .counter = counter};
}

/* Asks for the next line of the box if the port has room. Returns true if it did. */
static inline bool toy_engine_cycle(struct toy_engine *e, uint64_t now)
{
    if (!toy_engine_asks(e) || port_takes(e->to.port) > now || !port_room(e->to.port, 1))
        return false;
    uint32_t bytes = (uint32_t)transfer_span(&e->transfer);
    uint64_t first, line;
    transfer_row(&e->transfer, e->row, &first);
    first += e->offset;
    line = first - first % PORT_LINE;
    uint64_t rest = bytes - e->offset, end = first + rest < line + PORT_LINE ? first + rest : line + PORT_LINE;
    unsigned low = (unsigned)(first - line) / PORT_SECTOR, high = (unsigned)(end - 1 - line) / PORT_SECTOR;
    port_send(e->to.port, e->to.client,
              (struct request){.arrival = now,
                               .line = line,
                               .token = (uint16_t)e->row,
                               .sectors = (uint8_t)((2u << high) - (1u << low)),
                               .kind = REQUEST_LOAD});
    e->expected++;
    e->offset += (uint32_t)(end - first);
    if (e->offset == bytes) {
        e->offset = 0;
        e->row++;
    }
    return true;
}

/* The receiver of the port's replies. */
static inline void toy_engine_reply(void *self, const struct reply *reply, uint64_t now)
{
    struct toy_engine *e = (struct toy_engine *)self;
    (void)reply;
    if (--e->expected == 0 && !toy_engine_asks(e))
        retire_counter(e->to.retire, e->slot, e->counter, now + ENGINE_WRITE);
}

#endif
