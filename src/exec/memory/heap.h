/* The heap of malloc and free in device code: one allocation of device memory for all modules, made when the first
 * program that calls malloc is loaded, and kept until the memory goes. */
#ifndef SUBCORE_EXEC_HEAP_H
#define SUBCORE_EXEC_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/archive.h"
#include "base/status.h"
#include "exec/memory.h"

#define HEAP_BYTES (UINT64_C(8) << 20)              /* CUDA's default for cudaLimitMallocHeapSize */
#define HEAP_UNIT UINT64_C(16)                      /* of places and sizes */
#define HEAP_MOST ((uint64_t)INT32_MAX * HEAP_UNIT) /* bytes: just below 32 GiB */

/* Makes the heap, of memory->heap_bytes, if there is none yet. */
bool heap_prepare(struct memory *memory, struct status *status);
void heap_destroy(struct heap *heap);
/* Another size, a multiple of 16 up to HEAP_MOST, for a heap that has not been used (false: it has, or there is no
 * memory). */
bool heap_resize(struct memory *memory, uint64_t bytes, struct status *status);

/* All blocks are free again, as before the first use. NULL: nothing to do. */
void heap_clear(struct heap *heap);

/* The lowest free place, a multiple of 16; 0 when no place is large enough, and for 0 bytes. The addresses depend only
 * on the sequence of calls. */
uint64_t heap_alloc(struct heap *heap, uint64_t bytes);
bool heap_free(struct heap *heap, uint64_t address);

/* The heap in an archive, in either direction. */
void heap_archive(struct archive *a, struct heap *heap);

#endif
