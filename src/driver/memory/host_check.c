#include "driver/memory/host_check.h"

#include <errno.h>
#include <sys/mman.h>

/* From madvise(2); older headers lack them. */
enum { POPULATE_READ = 22, POPULATE_WRITE = 23, PAGE = 4096 };

/* Of the pages that hold the range: 0, or the answer of madvise. It needs the pages' real size; 4096 is right for
 * all hosts with smaller pages, and the answer is EINVAL, "cannot be asked", on others. */
static int populate(uint64_t address, uint64_t bytes, int advice)
{
    uint64_t first = address / PAGE * PAGE, last = address + bytes - 1;
    uint64_t length = (last / PAGE - first / PAGE + 1) * PAGE;
    int result;
    do
        result = madvise((void *)(uintptr_t)first, length, advice);
    while (result != 0 && (errno == EINTR || errno == EAGAIN));
    return result == 0 ? 0 : errno;
}

static bool can(uint64_t address, uint64_t bytes, int advice)
{
    if (bytes == 0)
        return true;
    if (address == 0 || address + (bytes - 1) < address)
        return false;
    int why = populate(address, bytes, advice);
    if (why != EINVAL) /* a later touch shows the rest when memory is short */
        return why != ENOMEM && why != EFAULT;
    char ours = 0; /* a page that can be touched for certain: does the system know the question? */
    return populate((uint64_t)(uintptr_t)&ours, 1, advice) != 0;
}

bool host_readable(uint64_t address, uint64_t bytes) { return can(address, bytes, POPULATE_READ); }
bool host_writable(uint64_t address, uint64_t bytes) { return can(address, bytes, POPULATE_WRITE); }
