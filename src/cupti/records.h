/* Activity records, as CUPTI documents them for CUDA 13.2. Older record versions are prefixes of these. */
#ifndef SUBCORE_CUPTI_RECORDS_H
#define SUBCORE_CUPTI_RECORDS_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* CUpti_ActivityKind. The kinds without a name here have no records. */
enum activity_kind {
    ACTIVITY_MEMCPY = 1,
    ACTIVITY_MEMSET = 2,
    ACTIVITY_KERNEL = 3,
    ACTIVITY_DRIVER = 4,
    ACTIVITY_RUNTIME = 5,
    ACTIVITY_CONCURRENT_KERNEL = 10,
    ACTIVITY_OVERHEAD = 17,
    ACTIVITY_SYNCHRONIZATION = 38,
    ACTIVITY_EXTERNAL_CORRELATION = 39,
    ACTIVITY_KINDS = 60
};

enum { CHANNEL_INVALID, CHANNEL_COMPUTE, CHANNEL_COPY };
enum { MEMCPY_ASYNC = 1 };               /* CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC, and of a set */
enum { GLOBAL_CACHE_NOT_SUPPORTED = 1 }; /* CUpti_ActivityPartitionedGlobalCacheConfig */
enum { RECORD_ALIGNMENT = 8 };

/* CUpti_ActivityAPI, of driver and runtime. */
struct record_api {
    uint32_t kind, number;
    uint64_t start, end;
    uint32_t process, thread, correlation, result;
};

/* CUpti_ActivitySynchronization2 */
struct record_wait {
    uint32_t kind, type;
    uint64_t start, end;
    uint32_t correlation, context, stream, event;
    uint64_t event_record;
    uint32_t result, pad;
};

#define NOT_APPLICABLE UINT32_MAX /* CUPTI_SYNCHRONIZATION_INVALID_VALUE */

/* CUpti_ActivityExternalCorrelation */
struct record_external {
    uint32_t kind, external_kind;
    uint64_t external;
    uint32_t correlation, reserved;
};

/* CUpti_ActivityMemcpy6 */
struct record_copy {
    uint32_t kind;
    uint8_t copy_kind, from, to, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation, runtime_correlation, pad;
    void *reserved;
    uint64_t graph_node;
    uint32_t graph, channel, channel_type;
    uint8_t device_launched, pad2[3];
    uint64_t count;
};

/* CUpti_ActivityMemset4 */
struct record_set {
    uint32_t kind, value;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation;
    uint16_t flags, memory;
    uint32_t pad;
    void *reserved;
    uint64_t graph_node;
    uint32_t graph, channel, channel_type;
    uint8_t device_launched, pad2[3];
};

/* CUpti_ActivityKernel11 */
struct record_kernel {
    uint32_t kind;
    uint8_t cache, shared_config;
    uint16_t registers;
    uint32_t global_cache_requested, global_cache_executed;
    uint64_t start, end, completed;
    uint32_t device, context, stream;
    int32_t grid[3], block[3];
    int32_t static_shared, dynamic_shared;
    uint32_t local, local_total, correlation;
    int64_t launch;
    const char *name;
    void *reserved;
    uint64_t queued, submitted;
    uint8_t launch_type, carveout_requested, carveout, pad;
    uint32_t shared_executed;
    uint64_t graph_node;
    uint32_t shared_limit, graph;
    void *window;
    uint32_t channel, channel_type;
    uint32_t cluster[3], cluster_policy;
    uint64_t local_total_wide;
    uint32_t cluster_most, clusters_active;
    uint8_t device_launched, pad2[7];
    int32_t priority;
    uint32_t pad3;
};

#define RECORD_PLACE(type, member, place)                                                                              \
    static_assert(offsetof(struct type, member) == (place), "the place that CUPTI documents")
#define RECORD_BYTES(type, bytes) static_assert(sizeof(struct type) == (bytes), "the size that CUPTI documents")

RECORD_BYTES(record_api, 40);
RECORD_PLACE(record_api, process, 24);
RECORD_PLACE(record_api, result, 36);
RECORD_BYTES(record_wait, 56);
RECORD_PLACE(record_wait, start, 8);
RECORD_PLACE(record_wait, event_record, 40);
RECORD_BYTES(record_external, 24);
RECORD_PLACE(record_external, correlation, 16);
RECORD_BYTES(record_copy, 96);
RECORD_PLACE(record_copy, bytes, 8);
RECORD_PLACE(record_copy, device, 32);
RECORD_PLACE(record_copy, reserved, 56);
RECORD_PLACE(record_copy, device_launched, 84);
RECORD_PLACE(record_copy, count, 88);
RECORD_BYTES(record_set, 88);
RECORD_PLACE(record_set, bytes, 8);
RECORD_PLACE(record_set, flags, 48);
RECORD_PLACE(record_set, graph_node, 64);
RECORD_PLACE(record_set, device_launched, 84);
RECORD_BYTES(record_kernel, 224);
RECORD_PLACE(record_kernel, registers, 6);
RECORD_PLACE(record_kernel, start, 16);
RECORD_PLACE(record_kernel, device, 40);
RECORD_PLACE(record_kernel, grid, 52);
RECORD_PLACE(record_kernel, correlation, 92);
RECORD_PLACE(record_kernel, name, 104);
RECORD_PLACE(record_kernel, queued, 120);
RECORD_PLACE(record_kernel, shared_executed, 140);
RECORD_PLACE(record_kernel, graph_node, 144);
RECORD_PLACE(record_kernel, window, 160);
RECORD_PLACE(record_kernel, cluster, 176);
RECORD_PLACE(record_kernel, local_total_wide, 192);
RECORD_PLACE(record_kernel, device_launched, 208);
RECORD_PLACE(record_kernel, priority, 216);

/* Returns the size of this kind's records in bytes (0: it has none). */
size_t record_bytes(uint32_t kind);

#endif
