/* Files of arbitrary bytes are read as programs for the CPU, as `subcore exec` does before it runs one. */
#include "cubin/host.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct host_program program;
    struct status status = {0};
    if (!host_program_open(&program, (struct cubin_bytes){data, size}, "fuzz", &status))
        return 0;
    for (size_t i = 0; i < program.needed_count; i++)
        host_program_mentions(&program, program.needed[i]);
    host_program_mentions(&program, "__cudaRegisterFatBinary");
    host_program_close(&program);
    return 0;
}
