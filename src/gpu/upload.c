#include "gpu/upload.h"

#include "exec/memory.h"
#include "sm/l15.h"

#define CODE_BASE UINT64_C(0x0000600000000000)

uint64_t upload_address(const struct exec_launch *launch)
{
    enum { RANGE_SHIFT = 26, RANGES = 1 << 14 };
    _Static_assert(CODE_BASE + 2 * L15_CONSTANTS <= MEMORY_BASE, "code, constants and memory");
    return CODE_BASE + ((uint64_t)(launch->kernel - launch->module->kernels) % RANGES << RANGE_SHIFT);
}

static bool read_lines(struct mem *mem, uint64_t address, uint64_t bytes)
{
    bool ok = true;
    for (uint64_t line = address; line < address + bytes; line += PORT_LINE) {
        const struct request request = {
            .line = line, .token = PORT_NOBODY, .sectors = (1 << PORT_SECTORS) - 1, .kind = REQUEST_LOAD};
        ok = ok && mem_accept(mem, &request);
    }
    return ok;
}

bool upload(struct mem *mem, const struct exec_launch *launch)
{
    const struct cubin_kernel *kernel = launch->kernel->cubin;
    const struct cubin *cubin = &launch->module->cubin;
    const struct {
        uint64_t number, bytes;
    } bank[] = {{0, kernel->parameter_base + kernel->parameter_bytes},
                {2, kernel->constant2.size},
                {3, cubin->constant3.size},
                {4, cubin->constant4.size}};
    uint64_t address = upload_address(launch);
    bool ok = read_lines(mem, address, (uint64_t)launch->kernel->count * 16);
    for (unsigned i = 0; i < sizeof bank / sizeof bank[0]; i++)
        ok = ok && read_lines(mem, address + L15_CONSTANTS + (bank[i].number << 16), bank[i].bytes);
    return ok;
}
