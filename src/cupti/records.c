#include "cupti/records.h"

size_t record_bytes(uint32_t kind)
{
    switch (kind) {
    case ACTIVITY_MEMCPY: return sizeof(struct record_copy);
    case ACTIVITY_MEMSET: return sizeof(struct record_set);
    case ACTIVITY_KERNEL:
    case ACTIVITY_CONCURRENT_KERNEL: return sizeof(struct record_kernel);
    case ACTIVITY_DRIVER:
    case ACTIVITY_RUNTIME: return sizeof(struct record_api);
    case ACTIVITY_SYNCHRONIZATION: return sizeof(struct record_wait);
    case ACTIVITY_EXTERNAL_CORRELATION: return sizeof(struct record_external);
    default: return 0;
    }
}
