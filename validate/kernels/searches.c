#include <string.h>

#include "host.h"
#include "workloads.h"

enum { THREADS = 256, FANOUT = 8, LEVELS = 5, TABLE = 50000 };

static uint32_t *words(struct run *run, uint32_t seed, size_t count)
{
    uint32_t *to = run_memory(run, count, sizeof *to);
    for (size_t i = 0; to && i < count; i++)
        to[i] = random_next(&seed);
    return to;
}

/* The words get larger from one to the next. */
static uint32_t *table(struct run *run, uint32_t seed, size_t count, uint32_t step)
{
    uint32_t *to = run_memory(run, count, sizeof *to), key = 0;
    for (size_t i = 0; to && i < count; i++)
        to[i] = key += 1 + random_below(&seed, 2 * step);
    return to;
}

/* How many words are below the key, or below or the same. */
static uint32_t below(const uint32_t *sorted, uint32_t count, uint32_t key, bool or_same)
{
    uint32_t low = 0;
    for (uint32_t left = count; left > 0;) {
        const uint32_t half = left / 2, at = sorted[low + half];
        if (at < key || (or_same && at == key)) {
            low += half + 1;
            left -= half + 1;
        } else {
            left = half;
        }
    }
    return low;
}

/* A node of `span` leaves from `first`: its keys are those at which its children begin; leaf n begins with word
 * n - 1. */
static void fill(uint32_t *keys, const uint32_t *sorted, uint32_t node, uint32_t first, uint32_t span)
{
    if (span < FANOUT)
        return;
    for (uint32_t c = 0; c < FANOUT; c++) {
        if (c > 0)
            keys[node * FANOUT + c - 1] = sorted[first + c * (span / FANOUT) - 1];
        fill(keys, sorted, node * FANOUT + c + 1, first + c * (span / FANOUT), span / FANOUT);
    }
}

static struct example_result btree(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = host_ctas(scale, 8), leaves = 1u << 3 * LEVELS, nodes = (leaves - 1) / (FANOUT - 1);
    const size_t queries = (size_t)ctas * THREADS;
    const uint32_t *query = words(&run, 62, queries), *sorted = table(&run, 63, leaves - 1, UINT32_MAX / leaves / 2);
    uint32_t *keys = run_memory(&run, (size_t)nodes * FANOUT, sizeof *keys);
    int32_t *want = run_memory(&run, queries, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    fill(keys, sorted, 0, 0, leaves);
    for (size_t i = 0; i < queries; i++)
        want[i] = (int32_t)below(sorted, leaves - 1, query[i], true);
    struct {
        uint64_t keys, queries, leaf;
        uint32_t levels;
    } params = {.levels = LEVELS};
    params.keys = run_upload(&run, keys, (size_t)nodes * FANOUT * sizeof *keys);
    params.queries = run_upload(&run, query, queries * sizeof *query);
    params.leaf = run_output(&run, queries);
    host_launch(&run, "btree_search", ctas, THREADS, &params, sizeof params);
    run_check_ints(&run, "leaf", run_download(&run, params.leaf, queries), want, queries);
    return run_finish(&run, "the leaves of %zu keys are right", queries);
}

static struct example_result binary(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = host_ctas(scale, 8);
    const size_t queries = (size_t)ctas * THREADS;
    const uint32_t *query = words(&run, 64, queries), *sorted = table(&run, 65, TABLE, UINT32_MAX / TABLE / 2);
    int32_t *want = run_memory(&run, queries, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    for (size_t i = 0; i < queries; i++)
        want[i] = (int32_t)below(sorted, TABLE, query[i], false);
    struct {
        uint64_t table, queries, place;
        uint32_t size;
    } params = {.size = TABLE};
    params.table = run_upload(&run, sorted, TABLE * sizeof *sorted);
    params.queries = run_upload(&run, query, queries * sizeof *query);
    params.place = run_output(&run, queries);
    host_launch(&run, "binary_search", ctas, THREADS, &params, sizeof params);
    run_check_ints(&run, "place", run_download(&run, params.place, queries), want, queries);
    return run_finish(&run, "the places of %zu keys are right", queries);
}

/* Keys 2 i + 1 times an odd number are distinct; asked for are those of every second, and others that are even. */
static struct example_result hash(const struct example_device *device, const struct workload_scale *scale)
{
    struct run run = run_start(device);
    const uint32_t ctas = host_ctas(scale, 8), keys = ctas * THREADS;
    uint32_t slots = 1;
    while (slots < keys + keys / 2)
        slots *= 2;
    uint32_t *key = run_memory(&run, keys, sizeof *key), *query = run_memory(&run, keys, sizeof *query);
    uint64_t *slot = run_memory(&run, slots, sizeof *slot);
    int32_t *want = run_memory(&run, keys, sizeof *want);
    if (run.failed)
        return run_finish(&run, " ");
    uint32_t seed = 66;
    for (uint32_t i = 0; i < keys; i++)
        key[i] = (2 * i + 1) * 2654435761u;
    for (size_t i = 0; i < keys; i++) {
        const uint32_t which = random_below(&seed, keys);
        query[i] = i % 2 ? key[which] : key[which] - 1;
        want[i] = i % 2 ? (int32_t)which : -1;
    }
    memset(slot, 0xff, slots * sizeof *slot);
    struct {
        uint64_t keys, slots;
        uint32_t mask;
    } insert = {.mask = slots - 1};
    struct {
        uint64_t keys, slots, value;
        uint32_t mask;
    } lookup = {.mask = slots - 1};
    insert.keys = run_upload(&run, key, keys * sizeof *key);
    insert.slots = lookup.slots = run_upload(&run, slot, slots * sizeof *slot);
    lookup.keys = run_upload(&run, query, keys * sizeof *query);
    lookup.value = run_output(&run, keys);
    host_launch(&run, "hash_insert", ctas, THREADS, &insert, sizeof insert);
    host_launch(&run, "hash_lookup", ctas, THREADS, &lookup, sizeof lookup);
    run_check_ints(&run, "value", run_download(&run, lookup.value, keys), want, keys);
    return run_finish(&run, "the values of %u keys are right", keys);
}

const struct workload workload_btree = {
    .name = "btree",
    .module = "searches",
    .class = "search",
    .summary = "a tree of five levels with eight children a node",
    .arch = 60,
    .run = btree,
};

const struct workload workload_binary_search = {
    .name = "binary-search",
    .module = "searches",
    .class = "search",
    .summary = "random keys in a table of 200 KB",
    .arch = 60,
    .run = binary,
};

const struct workload workload_hash_table = {
    .name = "hash-table",
    .module = "searches",
    .class = "search",
    .summary = "open addressing: insertion by 64-bit compare-and-swap, and look-up",
    .arch = 60,
    .run = hash,
};
