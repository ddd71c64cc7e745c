#include "sm/memory/delivery.h"

void delivery_complete(const struct delivery *d, uint16_t token, uint64_t when)
{
    retire_access_done(d->retire, d->table->access[token].slot, token, when);
}

uint64_t delivery_send(const struct delivery *d, uint16_t token, enum return_class class, uint64_t ready,
                       uint32_t bytes_per_cycle, uint32_t least)
{
    const struct access *a = &d->table->access[token];
    uint32_t cycles = bytes_per_cycle ? (a->bytes + bytes_per_cycle - 1) / bytes_per_cycle : 0;
    uint64_t end = return_path_deliver(d->path[a->subcore], class, ready, cycles < least ? least : cycles);
    if (cycles && a->code->write_words) {
        retire_data_back(d->retire, a->slot, token, end);
    } else {
        retire_result_written(d->retire, a->slot, a->code, end);
        delivery_complete(d, token, end);
    }
    return end;
}
