/* Host memory of the program that the device may use at its own address. The device sees a shadow of it in device
 * memory: pages are copied when a launch first touches them, and bytes that the launch has changed are copied back when
 * it ends. Until then host and kernel do not see each other's writes.
 *
 * An address that is not in device memory is looked up here by the check of accesses (exec/memory/access.c), which
 * is the slow way. Launches without windows never come here. */
#ifndef SUBCORE_EXEC_WINDOW_H
#define SUBCORE_EXEC_WINDOW_H

#include <stdatomic.h>

#include "exec/memory.h"

struct memory_window {
    void *host; /* of the program */
    uint64_t bytes;
    uint64_t shadow;      /* address in device memory of what stands for *host */
    uint8_t *before;      /* the copied bytes, [bytes] */
    atomic_uchar *loaded; /* enum window_page of each host page that the window touches */
    struct memory_window *next;
};

/* False: no memory, or part of the range is in a window already. */
bool memory_window_add(struct memory *memory, void *host, uint64_t bytes);
/* False: no window begins there. No launch is running. */
bool memory_window_remove(struct memory *memory, const void *host);
/* The window that holds the host address (NULL: none). */
const struct memory_window *memory_window_find(const struct memory *memory, const void *host);

/* Replaces an address inside of a window by the one in device memory, its page loaded. False: in no window, or the host
 * memory is gone. Any number of threads at the same time. */
bool memory_translate(const struct memory *memory, uint64_t *address, unsigned bytes);

/* At the end of a launch: changed bytes go to the host. */
void memory_windows_flush(struct memory *memory);

/* As memory_ok, with the windows: the address may be replaced. */
static inline bool memory_reach(const struct memory *m, uint64_t *address, unsigned bytes)
{
    return memory_ok(m, *address, bytes) || (m->windows && memory_translate(m, address, bytes));
}

#endif
