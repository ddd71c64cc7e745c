/* Kernels that go wrong end with a status that names the place, executed only and timed. */
#include "cli/demo.h"
#include "gpu/gpu.h"
#include "tests/unit.h"

/* Code of a kernel: where its .text section lies in the file. */
static uint8_t *code_of(uint8_t *image, size_t size, const char *name, uint64_t *bytes)
{
    uint64_t table;
    uint16_t count, names;
    memcpy(&table, image + 40, 8);
    memcpy(&count, image + 60, 2);
    memcpy(&names, image + 62, 2);
    uint64_t strings;
    memcpy(&strings, image + table + 64 * names + 24, 8);
    for (unsigned i = 0; i < count; i++) {
        uint32_t at;
        uint64_t offset;
        memcpy(&at, image + table + 64 * i, 4);
        memcpy(&offset, image + table + 64 * i + 24, 8);
        memcpy(bytes, image + table + 64 * i + 32, 8);
        if (strcmp((const char *)image + strings + at, name) == 0) {
            assert_true(offset + *bytes <= size);
            return image + offset;
        }
    }
    fail_msg("no section %s", name);
    return NULL;
}

/* Runs vecadd with every instruction replaced by `word`. */
static struct status run_filled(struct word128 word, bool functional)
{
    struct status status = {0};
    struct cubin_bytes cubin;
    struct cli_options options = {.gpu = "rtx-a6000", .functional = functional, .threads = 1, .quiet = true};
    struct session session;
    assert_true(demo_cubin("vecadd", 86, &cubin, &status));
    uint8_t *image = malloc(cubin.size);
    memcpy(image, cubin.data, cubin.size);
    uint64_t bytes = 0;
    uint8_t *code = code_of(image, cubin.size, ".text.vecadd", &bytes);
    for (uint64_t i = 0; i < bytes; i += 16) {
        memcpy(code + i, &word.lo, 8);
        memcpy(code + i + 8, &word.hi, 8);
    }
    assert_true(session_begin(&session, &options, &status));
    struct exec_module *module =
        gpu_load(session.gpu, (struct cubin_bytes){image, cubin.size}, "filled.cubin", &status);
    assert_non_null(module);
    uint64_t parameters[4] = {0};
    const struct gpu_launch launch = {.module = module,
                                      .kernel = "vecadd",
                                      .grid = {1, 1, 1},
                                      .block = {32, 1, 1},
                                      .parameters = parameters,
                                      .parameter_bytes = sizeof parameters};
    struct kernel_result result;
    assert_false(gpu_launch(session.gpu, &launch, &result, &status));
    assert_false(result.complete);
    session_end(&session);
    free(image);
    return status;
}

static void code_that_runs_past_its_end_is_an_error(void **state)
{
    (void)state;
    const struct word128 nop = {0x0000000000007918, 0x000fc00000000000};
    for (int functional = 0; functional < 2; functional++) {
        struct status status = run_filled(nop, functional);
        /* A timed SM finds nothing to fetch. The functional machine runs into the end. */
        assert_int_equal(status.code, functional ? STATUS_FAULT : STATUS_DEADLOCK);
        assert_non_null(strstr(status.text, "kernel vecadd"));
    }
}

static void a_word_that_is_no_instruction_is_refused_with_its_bits(void **state)
{
    (void)state;
    for (int functional = 0; functional < 2; functional++) {
        struct status status = run_filled((struct word128){0x123456789abcdfff, 0xfffffffffffffff0}, functional);
        assert_int_equal(status.code, STATUS_UNSUPPORTED);
        assert_non_null(strstr(status.text, "pc 0x0"));
        assert_non_null(strstr(status.text, "123456789abcdfff"));
    }
}

UNIT_TESTS(UNIT(code_that_runs_past_its_end_is_an_error), UNIT(a_word_that_is_no_instruction_is_refused_with_its_bits))
