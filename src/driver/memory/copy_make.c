/* The meaning of a copy: which memory, which bytes, and whether they may be touched. */
#include "driver/memory/allocations.h"
#include "driver/memory/array.h"
#include "driver/memory/copy.h"
#include "driver/memory/host_check.h"

enum { MOST_PITCH = 2147483647 }; /* CU_DEVICE_ATTRIBUTE_MAX_PITCH */

/* One side of a CUDA_MEMCPY3D. */
struct side {
    CUmemorytype type;
    uint64_t address; /* of the type's kind */
    struct CUarray_st *array;
    size_t x, y, z, level, pitch, height;
    bool written;
};

struct extent {
    size_t width, height, depth;
};

static struct side source(const CUDA_MEMCPY3D *box)
{
    bool host = box->srcMemoryType == CU_MEMORYTYPE_HOST;
    return (struct side){box->srcMemoryType, host ? (uint64_t)(uintptr_t)box->srcHost : box->srcDevice,
                         box->srcArray,      box->srcXInBytes,
                         box->srcY,          box->srcZ,
                         box->srcLOD,        box->srcPitch,
                         box->srcHeight,     false};
}

static struct side destination(const CUDA_MEMCPY3D *box)
{
    bool host = box->dstMemoryType == CU_MEMORYTYPE_HOST;
    return (struct side){box->dstMemoryType, host ? (uint64_t)(uintptr_t)box->dstHost : box->dstDevice,
                         box->dstArray,      box->dstXInBytes,
                         box->dstY,          box->dstZ,
                         box->dstLOD,        box->dstPitch,
                         box->dstHeight,     true};
}

static bool within(size_t begin, size_t count, size_t end) { return begin <= end && count <= end - begin; }

static CUresult array_end(const struct driver *driver, const struct side *side, struct extent extent,
                          struct copy_end *end)
{
    const struct CUarray_st *array = side->array;
    if (!handle_is(driver->handles, HANDLE_ARRAY, array))
        return CUDA_ERROR_INVALID_HANDLE;
    size_t rows = array->layout.height, slices = array->layout.depth;
    if (side->x % array->layout.element != 0 || extent.width % array->layout.element != 0 ||
        !within(side->x, extent.width, array->layout.row) || !within(side->y, extent.height, rows) ||
        !within(side->z, extent.depth, slices))
        return CUDA_ERROR_INVALID_VALUE;
    *end = (struct copy_end){
        .space = COPY_ARRAY,
        .address = array->address,
        .array = side->array,
        .x = side->x,
        .y = side->y,
        .z = side->z,
        .pitch = array->layout.pitch,
        .height = rows,
        .memory = PROFILE_ARRAY,
    };
    return CUDA_SUCCESS;
}

/* Offset of a place in pitched memory; false when it is no number of 64 bits. */
static bool offset_of(const struct copy_end *end, size_t z, size_t y, size_t x, uint64_t *offset)
{
    uint64_t rows;
    return !__builtin_mul_overflow(z, end->height, &rows) && !__builtin_add_overflow(rows, y, &rows) &&
           !__builtin_mul_overflow(rows, end->pitch, offset) && !__builtin_add_overflow(*offset, x, offset);
}

/* The first byte that is touched, and how many until the last one. */
static bool span_of(const struct copy_end *end, struct extent extent, uint64_t *first, uint64_t *bytes)
{
    uint64_t begin, last;
    if (!offset_of(end, end->z, end->y, end->x, &begin) ||
        !offset_of(end, extent.depth - 1, extent.height - 1, extent.width, bytes))
        return false;
    return !__builtin_add_overflow(end->address, begin, first) && !__builtin_add_overflow(*first, *bytes, &last);
}

/* Pitch and height may be left out where there is one row or one slice. */
static bool fill_pitch(const struct side *side, struct extent extent, struct copy_end *end)
{
    bool flat = extent.depth == 1 && side->z == 0, line = flat && extent.height == 1 && side->y == 0;
    end->pitch = side->pitch ? side->pitch : line ? side->x + extent.width : 0;
    end->height = flat ? side->y + extent.height : side->height;
    return (line || end->pitch <= MOST_PITCH) && within(side->x, extent.width, end->pitch) &&
           within(side->y, extent.height, end->height);
}

static CUresult check_span(const struct driver *driver, const struct side *side, uint64_t first, uint64_t bytes,
                           struct copy_end *end)
{
    const struct allocation *found = allocation_find(driver, first);
    bool ours = device_covers(driver, first);
    bool as_device = side->type == CU_MEMORYTYPE_DEVICE || (side->type == CU_MEMORYTYPE_UNIFIED && (found || ours));
    if (as_device || (found && found->kind != ALLOCATION_REGISTERED) || ours) {
        if (!found || !allocation_holds(driver, first, bytes))
            return CUDA_ERROR_INVALID_VALUE;
        bool host_sees = allocation_is_host(found) || found->kind == ALLOCATION_MANAGED;
        if (!as_device && !host_sees)
            return CUDA_ERROR_INVALID_VALUE;
        end->space = allocation_is_host(found) ? COPY_HOST : COPY_DEVICE;
        end->memory = allocation_memory(found);
        return CUDA_SUCCESS;
    }
    end->space = COPY_HOST;
    end->memory = allocation_memory(found);
    bool can = side->written ? host_writable(first, bytes) : host_readable(first, bytes);
    return can ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult end_make(const struct driver *driver, const struct side *side, struct extent extent,
                         struct copy_end *end)
{
    if (side->level != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (side->type == CU_MEMORYTYPE_ARRAY)
        return array_end(driver, side, extent, end);
    if (side->type != CU_MEMORYTYPE_HOST && side->type != CU_MEMORYTYPE_DEVICE && side->type != CU_MEMORYTYPE_UNIFIED)
        return CUDA_ERROR_INVALID_VALUE;
    *end = (struct copy_end){.address = side->address, .x = side->x, .y = side->y, .z = side->z};
    uint64_t first, bytes;
    if (side->address == 0 || !fill_pitch(side, extent, end) || !span_of(end, extent, &first, &bytes))
        return CUDA_ERROR_INVALID_VALUE;
    return check_span(driver, side, first, bytes, end);
}

CUresult copy_make(struct driver *driver, const CUDA_MEMCPY3D *box, struct command *command)
{
    *command = (struct command){.kind = COMMAND_EMPTY};
    struct extent extent = {box->WidthInBytes, box->Height, box->Depth};
    if (extent.width == 0 || extent.height == 0 || extent.depth == 0)
        return CUDA_SUCCESS;
    struct copy_command copy = {.width = extent.width, .height = extent.height, .depth = extent.depth};
    struct side from = source(box), to = destination(box);
    CUresult result = end_make(driver, &from, extent, &copy.from);
    if (result == CUDA_SUCCESS)
        result = end_make(driver, &to, extent, &copy.to);
    if (result == CUDA_SUCCESS) {
        command->kind = COMMAND_COPY;
        command->copy = copy;
    }
    return result;
}

static CUmemorytype type_of(enum copy_space space)
{
    return space == COPY_HOST ? CU_MEMORYTYPE_HOST : space == COPY_ARRAY ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_DEVICE;
}

CUDA_MEMCPY3D copy_describe(const struct copy_command *c)
{
    CUDA_MEMCPY3D box = {
        .srcXInBytes = c->from.x,
        .srcY = c->from.y,
        .srcZ = c->from.z,
        .srcMemoryType = type_of(c->from.space),
        .srcArray = c->from.array,
        .dstXInBytes = c->to.x,
        .dstY = c->to.y,
        .dstZ = c->to.z,
        .dstMemoryType = type_of(c->to.space),
        .dstArray = c->to.array,
        .WidthInBytes = c->width,
        .Height = c->height,
        .Depth = c->depth,
    };
    if (c->from.space == COPY_HOST)
        box.srcHost = (const void *)(uintptr_t)c->from.address;
    else if (c->from.space == COPY_DEVICE)
        box.srcDevice = c->from.address;
    if (c->from.space != COPY_ARRAY) {
        box.srcPitch = c->from.pitch;
        box.srcHeight = c->from.height;
    }
    if (c->to.space == COPY_HOST)
        box.dstHost = (void *)(uintptr_t)c->to.address;
    else if (c->to.space == COPY_DEVICE)
        box.dstDevice = c->to.address;
    if (c->to.space != COPY_ARRAY) {
        box.dstPitch = c->to.pitch;
        box.dstHeight = c->to.height;
    }
    return box;
}

CUDA_MEMCPY3D copy_linear(CUmemorytype to_type, uint64_t to, CUmemorytype from_type, uint64_t from, size_t bytes)
{
    CUDA_MEMCPY3D box = {
        .srcMemoryType = from_type,
        .srcDevice = from,
        .dstMemoryType = to_type,
        .dstDevice = to,
        .WidthInBytes = bytes,
        .Height = 1,
        .Depth = 1,
    };
    if (from_type == CU_MEMORYTYPE_HOST)
        box.srcHost = (const void *)(uintptr_t)from;
    if (to_type == CU_MEMORYTYPE_HOST)
        box.dstHost = (void *)(uintptr_t)to;
    return box;
}
