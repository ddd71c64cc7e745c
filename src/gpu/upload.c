#include "gpu/upload.h"

#include "exec/memory.h"
#include "sm/front/l15.h"

#define CODE_BASE UINT64_C(0x0000600000000000)

uint64_t upload_address(const struct exec_launch *launch)
{
    enum { RANGE_SHIFT = 26, RANGES = 1 << 14 };
    _Static_assert(CODE_BASE + 2 * L15_CONSTANTS <= MEMORY_BASE, "code, constants and memory");
    return CODE_BASE + ((uint64_t)(launch->kernel - launch->module->kernels) % RANGES << RANGE_SHIFT);
}

static bool read_lines(struct mem *mem, uint64_t address, uint64_t bytes, uint64_t cycle)
{
    bool ok = true;
    for (uint64_t line = address; line < address + bytes; line += PORT_LINE) {
        const struct request request = {.arrival = cycle,
                                        .line = line,
                                        .client = PORT_NOBODY,
                                        .sectors = (1 << PORT_SECTORS) - 1,
                                        .kind = REQUEST_LOAD};
        ok = ok && mem_accept(mem, &request);
    }
    return ok;
}

void upload_banks(const struct exec_launch *launch, uint32_t bytes[MACHINE_BANKS])
{
    const struct cubin_kernel *kernel = launch->kernel->cubin;
    const struct cubin *cubin = &launch->module->cubin;
    bytes[0] = kernel->parameter_base + kernel->parameter_bytes;
    bytes[1] = 0;
    bytes[2] = (uint32_t)kernel->constant2.size;
    bytes[3] = (uint32_t)cubin->constant3.size;
    bytes[4] = (uint32_t)cubin->constant4.size;
}

bool upload(struct mem *mem, const struct timed_launch *launch, uint64_t cycle)
{
    uint64_t address = launch->code_address;
    bool ok = read_lines(mem, address, (uint64_t)launch->code.count * 16, cycle);
    for (uint64_t bank = 0; bank < MACHINE_BANKS; bank++)
        ok = ok && read_lines(mem, address + L15_CONSTANTS + (bank << 16), launch->bank_bytes[bank], cycle);
    return ok;
}
