#include "launches.h"

#include <stdio.h>
#include <string.h>

#include "job.h"
#include "validate/micro/bench.h"

bool launches_begin(struct launches *l, struct card *card, const char *folder, const char *module)
{
    l->card = card;
    l->count = 0;
    l->module = card_module(card, folder, module);
    return l->module && (l->repeat == 0 || l->warm || card_measure_device(card, &l->filler));
}

/* ---- memory that a launch may change ----------------------------------------------------------------------------- */

struct kept {
    struct card_block of[CARD_BLOCKS], copy[CARD_BLOCKS];
    unsigned count;
};

static void drop(struct card *card, struct kept *kept)
{
    while (kept->count > 0)
        card_release(card, kept->copy[--kept->count].address);
}

static bool keep(struct card *card, struct kept *kept)
{
    unsigned blocks = card->blocks;
    kept->count = 0;
    for (unsigned i = 0; i < blocks; i++) {
        struct card_block block = card->block[i];
        uint64_t copy = card_alloc(card, block.bytes);
        if (!copy)
            return false;
        kept->of[i] = block;
        kept->copy[i] = (struct card_block){copy, block.bytes};
        kept->count++;
        if (block.bytes && card->driver.copy_within(copy, block.address, block.bytes) != 0)
            return false;
    }
    return true;
}

static bool put_back(struct card *card, const struct kept *kept)
{
    for (unsigned i = 0; i < kept->count; i++)
        if (kept->of[i].bytes &&
            card->driver.copy_within(kept->of[i].address, kept->copy[i].address, kept->of[i].bytes) != 0)
            return false;
    return true;
}

static bool empty_caches(struct launches *l)
{
    static const struct measure none = {.name = "flush"};
    struct measure_run run = {.measure = &none, .device = &l->filler};
    if (!l->warm)
        bench_flush(&run);
    bench_release(&run);
    return !run.failed;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static void note(struct launches *l, const struct card_launch *launch, double *ns, unsigned repeats)
{
    if (l->count == LAUNCHES_MOST)
        return;
    struct launch_note *n = &l->note[l->count++];
    *n = (struct launch_note){.grid = launch->grid, .block = launch->block, .repeats = repeats};
    snprintf(n->kernel, sizeof n->kernel, "%s", launch->kernel);
    if (repeats == 0)
        return;
    n->median = job_median(ns, repeats);
    n->least = ns[0];
    n->most = ns[repeats - 1];
}

/* The first run is for the instruction caches, and for the driver's work at the first launch of a kernel. */
static bool repeat(struct launches *l, const struct card_launch *launch, double *ns)
{
    struct kept kept;
    bool ok = keep(l->card, &kept) && card_launch(l->card, launch);
    for (unsigned i = 0; ok && i < l->repeat; i++) {
        ok = put_back(l->card, &kept) && empty_caches(l) && card_launch(l->card, launch);
        ns[i] = l->card->launch_ns;
    }
    drop(l->card, &kept);
    return ok;
}

static bool device_launch(void *self, const char *kernel, struct example_dim grid, struct example_dim block,
                          uint32_t dynamic_shared_bytes, const void *params, size_t param_bytes)
{
    struct launches *l = self;
    double ns[LAUNCHES_REPEATS];
    const struct card_launch launch = {
        .module = l->module,
        .kernel = kernel,
        .grid = grid,
        .block = block,
        .shared_bytes = dynamic_shared_bytes,
        .parameters = params,
        .parameter_bytes = param_bytes,
        .timed = l->repeat > 0,
    };
    bool ok = l->repeat > 0 ? repeat(l, &launch, ns) : card_launch(l->card, &launch);
    note(l, &launch, ns, ok ? l->repeat : 0);
    return ok;
}

static uint64_t device_alloc(void *self, size_t bytes) { return card_alloc(((struct launches *)self)->card, bytes); }

static bool device_write(void *self, uint64_t to, const void *from, size_t bytes)
{
    return card_write(((struct launches *)self)->card, to, from, bytes);
}

static bool device_read(void *self, void *to, uint64_t from, size_t bytes)
{
    return card_read(((struct launches *)self)->card, to, from, bytes);
}

/* As cuTensorMapEncodeTiled of CUDA 12 numbers types, swizzles and fetches of the L2. */
static bool device_tensor_map(void *self, uint8_t map[EXAMPLE_MAP], const struct example_matrix *m)
{
    enum { FLOAT16 = 6, SWIZZLE_128B = 3, FETCH_128B = 2 };
    const struct driver *driver = &((struct launches *)self)->card->driver;
    const uint64_t size[2] = {m->columns, m->rows}, pitch[1] = {2 * (uint64_t)m->columns};
    const uint32_t box[2] = {m->box_columns, m->box_rows}, step[2] = {1, 1};
    _Alignas(64) uint8_t aligned[EXAMPLE_MAP];
    if (!driver->tensor_map || driver->tensor_map(aligned, FLOAT16, 2, m->address, size, pitch, box, step, 0,
                                                  SWIZZLE_128B, FETCH_128B, 0) != 0)
        return false;
    memcpy(map, aligned, sizeof aligned);
    return true;
}

struct example_device launches_device(struct launches *launches)
{
    return (struct example_device){launches, device_alloc, device_write, device_read, device_launch, device_tensor_map};
}
