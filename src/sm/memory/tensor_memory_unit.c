#include "sm/memory/tensor_memory_unit.h"

#include "base/order.h"

enum { REGISTER_BYTES = 32 * 4 };

void tensor_memory_unit_begin(struct tensor_memory_unit *u) { *u = (struct tensor_memory_unit){.to = u->to}; }

/* The lanes of the access's sub-core are held for its registers. Returns the first of these cycles. */
static uint64_t hold_lanes(struct tensor_memory_unit *u, const struct access *a, uint32_t interval, uint64_t now)
{
    uint64_t start = latest(now, u->free[a->subcore]);
    u->to.n->tensor_wait_cycles += start - now;
    u->free[a->subcore] = start + (uint64_t)interval * a->code->data_words;
    return start;
}

/* The data of all registers but the last follow each other on the return path. */
static void load(struct tensor_memory_unit *u, uint16_t token, uint64_t now)
{
    const struct access *a = &u->to.table->access[token];
    uint64_t ready = hold_lanes(u, a, u->to.config->load_interval, now) + u->to.config->load_latency;
    uint32_t least = u->to.config->load_interval * a->code->data_words;
    u->to.n->tensor_loads++;
    u->to.n->tensor_bytes_load += a->bytes;
    delivery_send(u->to.delivery, token, RETURN_TENSOR, ready, u->to.lsu->return_bytes, least);
}

/* The registers are read at the pace of the lanes. */
static void store(struct tensor_memory_unit *u, uint16_t token, uint64_t now)
{
    const struct access *a = &u->to.table->access[token];
    hold_lanes(u, a, u->to.config->store_interval, now);
    uint64_t read = u->free[a->subcore];
    u->stored[a->slot] = read + u->to.config->store_latency;
    u->to.n->tensor_stores++;
    u->to.n->tensor_bytes_store += a->bytes;
    retire_sources_read(u->to.retire, a->slot, a->code, read);
    delivery_complete(u->to.delivery, token, u->stored[a->slot]);
}

/* Operations without data for the return path. */
static void end(const struct tensor_memory_unit *u, uint16_t token, uint64_t when)
{
    const struct access *a = &u->to.table->access[token];
    retire_result_written(u->to.retire, a->slot, a->code, when);
    delivery_complete(u->to.delivery, token, when);
}

static void operate_on_map(struct tensor_memory_unit *u, uint16_t token, uint64_t now)
{
    const struct access *a = &u->to.table->access[token];
    bool pair = a->code->tensor == CODE_TENSOR_PAIR;
    uint64_t start = latest(now, u->map_free);
    u->map_free = start + u->to.config->map_interval;
    u->to.n->tensor_allocations++;
    end(u, token, start + (pair ? u->to.config->pair_latency : u->to.config->map_latency));
}

void tensor_memory_unit_access(struct tensor_memory_unit *u, uint16_t token, uint64_t now)
{
    const struct access *a = &u->to.table->access[token];
    switch ((enum code_tensor)a->code->tensor) {
    case CODE_TENSOR_LOAD: load(u, token, now); break;
    case CODE_TENSOR_STORE: store(u, token, now); break;
    case CODE_TENSOR_WAIT: end(u, token, latest(now + 1, u->stored[a->slot])); break;
    case CODE_TENSOR_MAP:
    case CODE_TENSOR_PAIR: operate_on_map(u, token, now); break;
    case CODE_NO_TENSOR: break;
    }
}

uint32_t tensor_memory_copy_cycles(const struct config_tmem *config, uint32_t bytes)
{
    return (bytes + config->copy_bytes - 1) / config->copy_bytes + config->copy_latency;
}
