/* The results of cubin_open, against cuobjdump -res-usage and -elf of the same files. */
#include "tests/cubin/fixture.h"

#include <glob.h>

struct expected {
    const char *file, *kernel;
    uint32_t registers, shared, parameters, parameter_bytes, constant0;
};

static const struct expected recorded[] = {
    {"examples/cubin/vecadd.sm_80.cubin", "vecadd", 12, 0, 4, 28, 380},
    {"examples/cubin/saxpy.sm_90.cubin", "saxpy", 14, 0, 4, 28, 556},
    {"examples/cubin/transpose.sm_86.cubin", "transpose_padded", 24, 4224, 4, 24, 376},
    {"examples/cubin/transpose.sm_86.cubin", "transpose_naive", 20, 0, 4, 24, 376},
    {"examples/cubin/histogram.sm_80.cubin", "histogram_shared", 11, 1024, 3, 20, 372},
    {"tests/cubin/data/probe.sm_75.cubin", "exchange", 12, 96, 1, 8, 360},
    {"tests/cubin/data/probe.sm_75.cubin", "mixed", 10, 0, 6, 48, 400},
    {"tests/cubin/data/probe.sm_89.cubin", "exchange", 18, 96, 1, 8, 360},
    {"tests/cubin/data/probe.sm_89.cubin", "_ZN6shapes4growILi5EEEvPi", 8, 0, 1, 8, 360},
    {"tests/cubin/data/probe.sm_100.cubin", "exchange", 16, 1120, 1, 8, 904},
    {"tests/cubin/data/probe.sm_120.cubin", "mixed", 14, 0, 6, 48, 944},
    {"tests/cubin/data/deep.sm_90.cubin", "framed", 22, 0, 2, 12, 540},
};

static void kernels_have_the_resources_that_cuobjdump_reports(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++) {
        const struct expected *e = &recorded[i];
        struct fixture f = fixture_open(e->file);
        const struct cubin_kernel *k = fixture_kernel(&f, e->kernel);
        assert_int_equal(k->registers, e->registers);
        assert_int_equal(k->static_shared_bytes, e->shared);
        assert_int_equal(k->parameter_count, e->parameters);
        assert_int_equal(k->parameter_bytes, e->parameter_bytes);
        assert_int_equal(k->constant0.size, e->constant0);
        assert_int_equal(k->parameter_base + k->parameter_bytes, e->constant0);
        fixture_close(&f);
    }
}

static void check_example(const char *path)
{
    struct status status = {0};
    struct file_bytes file;
    struct cubin c;
    if (!file_read(path, (size_t)1 << 30, &file, &status) || !cubin_open(&c, fixture_view(file), path, &status))
        fail_msg("%s", status.text);
    unsigned sm = (unsigned)strtoul(strstr(path, ".sm_") + 4, NULL, 10);
    assert_int_equal(c.sm, sm);
    assert_false(c.relocatable);
    assert_true(c.kernel_count > 0);
    assert_int_equal(c.line_status.code, STATUS_OK);
    for (size_t i = 0; i < c.kernel_count; i++) {
        const struct cubin_kernel *k = &c.kernels[i];
        assert_in_range(k->registers, 1, 255);
        assert_true(k->code.size > 0 && k->code.size % (sm < 70 ? 64 : 128) == 0);
        assert_int_equal(k->parameter_base, cubin_abi(sm)->parameters);
        assert_true(k->parameter_count > 0);
        assert_false(k->stack_unknown);
    }
    cubin_close(&c);
    file_free(&file);
}

static void every_example_opens(void **state)
{
    (void)state;
    char pattern[4096];
    glob_t found;
    assert_int_equal(glob(unit_path(pattern, "examples/cubin/*.cubin"), 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= 30);
    for (size_t i = 0; i < found.gl_pathc; i++)
        check_example(found.gl_pathv[i]);
    globfree(&found);
}

/* char, short, 12-byte struct, float4, pointer, double. */
static void parameters_lie_in_declaration_order_at_their_alignment(void **state)
{
    (void)state;
    static const uint32_t offsets[] = {0, 2, 4, 16, 32, 40}, sizes[] = {1, 2, 12, 16, 8, 8};
    static const char *const files[] = {"tests/cubin/data/probe.sm_75.cubin", "tests/cubin/data/probe.sm_120.cubin",
                                        "tests/cubin/data/probe.sm_80.cuda12.cubin"};
    for (size_t f = 0; f < 3; f++) {
        struct fixture x = fixture_open(files[f]);
        const struct cubin_kernel *k = fixture_kernel(&x, "mixed");
        assert_int_equal(k->parameter_count, 6);
        for (uint32_t i = 0; i < 6; i++) {
            assert_int_equal(k->parameters[i].ordinal, i);
            assert_int_equal(k->parameters[i].offset, offsets[i]);
            assert_int_equal(k->parameters[i].size, sizes[i]);
        }
        fixture_close(&x);
    }
}

static void module_data_are_found(void **state)
{
    (void)state;
    static const float initial[3] = {1, 2, 3};
    struct fixture f = fixture_open("tests/cubin/data/probe.sm_100.cubin");
    assert_int_equal(f.cubin.constant3.size, 64);
    assert_int_equal(f.cubin.constant3.data[4], 2);
    assert_int_equal(f.cubin.constant4.size, 16);
    assert_int_equal(f.cubin.global_init.size, sizeof initial);
    assert_memory_equal(f.cubin.global_init.data, initial, sizeof initial);
    assert_int_equal(f.cubin.global_bytes, 4);
    fixture_close(&f);
}

static void launch_bounds_barriers_and_code_belong_to_their_kernel(void **state)
{
    (void)state;
    struct fixture f = fixture_open("tests/cubin/data/probe.sm_89.cubin");
    const struct cubin_kernel *mixed = fixture_kernel(&f, "mixed"), *exchange = fixture_kernel(&f, "exchange");
    assert_int_equal(mixed->max_threads[0], 96);
    assert_int_equal(mixed->max_threads[1], 1);
    assert_int_equal(mixed->barriers, 0);
    assert_int_equal(exchange->max_threads[0], 0);
    assert_int_equal(exchange->barriers, 1);
    assert_string_equal(f.cubin.sections[exchange->section].name, ".text._ZN6shapes8exchangeEPi");
    assert_ptr_equal(exchange->code.data, fixture_contents(&f, ".text._ZN6shapes8exchangeEPi"));
    assert_int_equal(exchange->code.size, 512);
    fixture_close(&f);
}

static void the_header_of_cuda_12_is_read_like_that_of_cuda_13(void **state)
{
    (void)state;
    struct fixture f = fixture_open("tests/cubin/data/probe.sm_80.cuda12.cubin");
    assert_int_equal(f.file.data[7], 0x33);
    assert_int_equal(f.cubin.abi, 7);
    assert_int_equal(f.cubin.sm, 80);
    assert_int_equal(f.cubin.kernel_count, 4);
    const struct cubin_kernel *k = fixture_kernel(&f, "exchange");
    assert_int_equal(k->registers, 18);
    assert_int_equal(k->static_shared_bytes, 96);
    assert_int_equal(k->parameter_base, 0x160);
    assert_int_equal(k->barriers, 1);
    fixture_close(&f);
}

static void stacks_are_exact_or_marked_as_unknown(void **state)
{
    (void)state;
    static const char *const files[] = {"tests/cubin/data/deep.sm_80.cubin", "tests/cubin/data/deep.sm_80.linked.cubin",
                                        "tests/cubin/data/deep.sm_90.cubin",
                                        "tests/cubin/data/deep.sm_90.linked.cubin"};
    for (size_t i = 0; i < 4; i++) {
        struct fixture f = fixture_open(files[i]);
        const struct cubin_kernel *framed = fixture_kernel(&f, "framed"), *deep = fixture_kernel(&f, "recursive");
        assert_int_equal(framed->frame_bytes, 32);
        assert_int_equal(framed->stack_bytes, 32);
        assert_false(framed->stack_unknown);
        assert_true(deep->stack_unknown);
        fixture_close(&f);
    }
}

static void an_object_for_the_device_linker_is_marked(void **state)
{
    (void)state;
    struct fixture object = fixture_open("tests/cubin/data/deep.sm_90.object.cubin");
    struct fixture linked = fixture_open("tests/cubin/data/deep.sm_90.linked.cubin");
    assert_true(object.cubin.relocatable);
    assert_int_equal(object.cubin.kernel_count, 2);
    assert_false(linked.cubin.relocatable);
    assert_int_equal(linked.cubin.kernel_count, 2);
    fixture_close(&object);
    fixture_close(&linked);
}

static size_t count_relocations(const struct cubin *c, const char *section, uint32_t type, const char *symbol)
{
    size_t count = 0;
    for (size_t i = 0; i < c->relocation_count; i++) {
        const struct cubin_relocation *r = &c->relocations[i];
        count += strcmp(c->sections[r->section].name, section) == 0 && r->type == type &&
                 strcmp(c->symbols[r->symbol].name, symbol) == 0;
    }
    return count;
}

/* readelf -r of the same files: the kernel reaches climb() and its own return address by address. Bank 4 holds the
 * addresses of two variables. */
static void relocations_name_section_type_and_symbol(void **state)
{
    (void)state;
    struct fixture linked = fixture_open("tests/cubin/data/deep.sm_90.linked.cubin");
    struct fixture whole = fixture_open("tests/cubin/data/probe.sm_75.cubin");
    assert_int_equal(count_relocations(&linked.cubin, ".text.recursive", 0x4b, "_Z5climbi"), 1);
    assert_int_equal(count_relocations(&linked.cubin, ".text.recursive", 0x38, "recursive"), 1);
    assert_int_equal(count_relocations(&whole.cubin, ".nv.constant4", 0x02, "counter"), 1);
    assert_int_equal(count_relocations(&whole.cubin, ".nv.constant4", 0x02, "initial"), 1);
    for (size_t i = 0; i < linked.cubin.relocation_count; i++) {
        const struct cubin_relocation *r = &linked.cubin.relocations[i];
        if (r->type == 0x38 && strcmp(linked.cubin.symbols[r->symbol].name, "recursive") == 0) {
            assert_int_equal(r->offset, 0x40);
            assert_int_equal(r->addend, 0x70);
        }
    }
    fixture_close(&linked);
    fixture_close(&whole);
}

/* sm_100 and later carry every table twice. The twins' flag takes them out. */
static void mercury_twins_do_not_count(void **state)
{
    (void)state;
    struct fixture f = fixture_open("tests/cubin/data/probe.sm_100.cubin");
    size_t twins = 0;
    for (size_t i = 0; i < f.cubin.section_count; i++)
        twins += (f.cubin.sections[i].flags & 0x10000000) != 0;
    assert_true(twins > 10);
    assert_int_equal(f.cubin.kernel_count, 4);
    for (size_t i = 0; i < f.cubin.relocation_count; i++)
        assert_int_equal(f.cubin.sections[f.cubin.relocations[i].section].flags & 0x10000000, 0);
    fixture_close(&f);
}

static void a_section_with_the_twin_flag_is_left_out(void **state)
{
    (void)state;
    struct fixture f = fixture_open("tests/cubin/data/probe.sm_89.cubin");
    struct cubin c;
    struct status status = {0};
    put(fixture_header(&f, ".nv.constant3") + 8, 0x10000002, 8);
    assert_true(cubin_open(&c, fixture_view(f.file), "flagged", &status));
    assert_int_equal(c.constant3.size, 0);
    assert_int_equal(c.constant4.size, 16);
    cubin_close(&c);
    fixture_close(&f);
}

UNIT_TESTS(UNIT(kernels_have_the_resources_that_cuobjdump_reports), UNIT(every_example_opens),
           UNIT(parameters_lie_in_declaration_order_at_their_alignment), UNIT(module_data_are_found),
           UNIT(launch_bounds_barriers_and_code_belong_to_their_kernel),
           UNIT(the_header_of_cuda_12_is_read_like_that_of_cuda_13), UNIT(stacks_are_exact_or_marked_as_unknown),
           UNIT(an_object_for_the_device_linker_is_marked), UNIT(relocations_name_section_type_and_symbol),
           UNIT(mercury_twins_do_not_count), UNIT(a_section_with_the_twin_flag_is_left_out))
