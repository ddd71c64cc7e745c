#include "driver/memory/memory_peek.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { STEP = 1 << 30 }; /* one call copies no more than 2 GiB */

bool memory_peek(void *to, uint64_t from, size_t bytes)
{
    uint8_t *out = to;
    while (bytes > 0) {
        struct iovec local = {out, bytes < STEP ? bytes : STEP};
        struct iovec remote = {(void *)(uintptr_t)from, local.iov_len}; /* NOLINT: an address of the program */
        ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
        if (n < 0 && (errno == ENOSYS || errno == EPERM)) { /* seccomp filters of some containers */
            if (from < 4096)
                return false;
            memcpy(out, remote.iov_base, bytes);
            return true;
        }
        if (n <= 0)
            return false;
        out += n;
        from += (uint64_t)n;
        bytes -= (size_t)n;
    }
    return true;
}
