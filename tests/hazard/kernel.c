#include "tests/hazard/kernel.h"

#include "asm/asm.h"

static const char prologue[] = ".kernel test\n"
                               ".param in, ptr\n"
                               ".param out, ptr\n"
                               ".registers 40\n"
                               "[B------:R-:W0:-:S02] S2R R24, SR_LANEID\n"
                               "[B------:R-:W-:-:S06] MOV R20, c[0x0][in]\n"
                               "[B------:R-:W-:-:S06] MOV R21, c[0x0][in+4]\n"
                               "[B------:R-:W-:-:S06] MOV R22, c[0x0][out]\n"
                               "[B------:R-:W-:-:S06] MOV R23, c[0x0][out+4]\n"
                               "[B0-----:R-:W-:-:S06] LOP3.LUT R26, R24, 0x1, RZ, 0xc0, !PT\n"
                               "[B------:R-:W-:-:S11] ISETP.EQ.U32.AND P6, PT, R26, 0x0, PT\n";
static const char epilogue[] = "[B------:R-:W-:-:S11] NOP\n"
                               "[B012345:R-:W-:-:S11] IMAD.WIDE.U32 R28, R24, 0x4, R22\n"
                               "[B------:R-:W-:-:S05] STG.E [R28.64], R10\n"
                               "[B------:R-:W-:-:S05] EXIT\n"
                               ".end\n";

static uint8_t *assembled(const char *lines, unsigned architecture, size_t *size)
{
    char *text = calloc(1, 1 << 16);
    struct asm_output output;
    struct status status = {0};
    size_t used = (size_t)sprintf(text, ".arch sm_%u\n%s", architecture, prologue);
    for (unsigned i = 0; i < 16; i++)
        used += (size_t)sprintf(text + used, "[B------:R-:W-:-:S0%u] MOV R%u, 0x3f800000\n", i == 15 ? 9 : 6, i);
    used += (size_t)sprintf(text + used, "%s%s", lines, epilogue);
    const struct asm_input input = {.text = text, .size = used};
    if (!asm_assemble(&input, &output, &status)) {
        diagnostics_print(&output.errors, "test", text, used, stderr);
        fail_msg("%s", status.text);
    }
    free(text);
    *size = output.size;
    return output.cubin;
}

static struct config config(const char *name)
{
    struct config c;
    struct status status = {0};
    if (!config_load(&c, name, &status) || !config_set(&c, "gpu.sms=1", &status))
        fail_msg("%s", status.text);
    return c;
}

struct kernel_run kernel_run_on(const char *name, const char *lines, const struct gpu_options *options)
{
    struct kernel_run run = {0};
    struct status status = {0};
    size_t size;
    struct config c = config(name);
    uint8_t *cubin = assembled(lines, c.gpu.architecture, &size);
    struct gpu *gpu = gpu_create(&c, options, &status);
    assert_non_null(gpu);
    struct exec_module *module = gpu_load(gpu, (struct cubin_bytes){cubin, size}, "test", &status);
    if (!module)
        fail_msg("%s", status.text);
    uint64_t arguments[2] = {memory_alloc(gpu_memory(gpu), sizeof run.in),
                             memory_alloc(gpu_memory(gpu), sizeof run.out)};
    for (unsigned i = 0; i < KERNEL_WORDS; i++)
        run.in[i] = 100 + i;
    memory_write(gpu_memory(gpu), arguments[0], run.in, sizeof run.in);
    memory_write(gpu_memory(gpu), arguments[1], run.out, sizeof run.out);
    struct gpu_launch launch = {.module = module,
                                .kernel = "test",
                                .grid = {1, 1, 1},
                                .block = {32, 1, 1},
                                .dynamic_shared_bytes = 1024,
                                .parameters = arguments,
                                .parameter_bytes = sizeof arguments};
    if (!gpu_launch(gpu, &launch, &run.result, &status))
        fail_msg("%s", status.text);
    memory_read(gpu_memory(gpu), run.out, arguments[1], sizeof run.out);
    gpu_destroy(gpu);
    free(cubin);
    return run;
}

struct kernel_run kernel_run(const char *lines, const struct gpu_options *options)
{
    return kernel_run_on("rtx-a6000", lines, options);
}
