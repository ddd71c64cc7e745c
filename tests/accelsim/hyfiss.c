/* HyFiSS traces, written here: for the grid or for each CTA, with warps in any order. */
#include <inttypes.h>
#include <sys/stat.h>

#include "tests/accelsim/traces.h"

enum { GRID_X = 3, GRID_Y = 2, CTAS = GRID_X * GRID_Y, WARPS = 2, STEPS = 5 };

#define APP                                                                                                            \
    "# a comment\n-kernel_1_kernel_name copy_it\n-kernel_1_num_registers 18\n-kernel_1_shared_mem_bytes 512\n"         \
    "-kernel_1_grid_size 6\n-kernel_1_block_size 64\n-kernel_1_cuda_stream_id 3\n-kernel_1_grid_dim_x 3\n"             \
    "-kernel_1_grid_dim_y 2\n-kernel_1_grid_dim_z 1\n-kernel_1_tb_dim_x 64\n-kernel_1_tb_dim_y 1\n"                    \
    "-kernel_1_tb_dim_z 1\n-kernel_1_shmem_base_addr 139637976727552\n-kernel_1_local_base_addr 139638043836416\n"     \
    "-app_kernels_id 1\n-device_concurrentKernels 1\n"
#define CODE                                                                                                           \
    "1 0 S2R 1 R2 0\n1 10 @!P0 LDG.E.64.SYS 1 R4 1 R2\n1 20 STS 1 [R7] 1 R4\n1 30 STG.E.SYS 1 [R8] 1 R5\n"             \
    "1 40 EXIT 0 0\n2 0 EXIT 0 0\n"

/* A folder of HyFiSS. */
struct app {
    char path[TEMPORARY_PATH], app[TEMPORARY_PATH + 64];
};

static void put(const struct app *a, const char *name, const char *text)
{
    char path[TEMPORARY_PATH + 96];
    snprintf(path, sizeof path, "%s/%s", a->path, name);
    put_text(path, text);
}

static void make_app(struct app *a, const char *app, const char *code)
{
    static const char *const folders[] = {"configs", "sass_traces", "memory_traces", "sass_traces/kernel-1",
                                          "memory_traces/kernel-1"};
    temporary_folder(a->path);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[TEMPORARY_PATH + 32];
        snprintf(path, sizeof path, "%s/%s", a->path, folders[i]);
        assert_int_equal(mkdir(path, 0777), 0);
    }
    snprintf(a->app, sizeof a->app, "%s/configs/app.config", a->path);
    put(a, "configs/app.config", app);
    put(a, "configs/instn.config", code);
}

static void remove_app(const struct app *a)
{
    char command[TEMPORARY_PATH + 32];
    snprintf(command, sizeof command, "rm -r '%s'", a->path);
    assert_int_equal(system(command), 0);
}

static uint64_t load_from(unsigned warp) { return UINT64_C(0x7f0010000000) + warp * UINT64_C(4096); }
static uint64_t store_to(unsigned warp) { return UINT64_C(0x7f0020000000) - warp * UINT64_C(4096); }

/* Loads of odd warps have 16 lanes. */
static uint32_t mask_of(unsigned warp, unsigned step) { return step == 1 && warp % 2 ? 0xffff : UINT32_MAX; }

/* The order in which a step's executions arrive differs from that of other steps. */
static unsigned warp_at(unsigned step, unsigned i, unsigned warps) { return step % 2 ? warps - 1 - i : i; }

struct texts {
    char executed[8192], memory[8192];
    size_t n, m;
};

static void add_step(struct texts *t, unsigned step, unsigned warp, bool by_cta)
{
    char block[16] = "";
    if (!by_cta)
        snprintf(block, sizeof block, "%x ", warp / WARPS);
    t->n += (size_t)snprintf(t->executed + t->n, sizeof t->executed - t->n, by_cta ? "%x0 %x %u\n" : "%x0 %x %x ", step,
                             mask_of(warp, step), warp);
    if (step == 1)
        t->m += (size_t)snprintf(t->memory + t->m, sizeof t->memory - t->m,
                                 "%s10 LDG.E.64.SYS %x 4 1 0x%" PRIx64 " 2 8:16 -8:15\n", block, mask_of(warp, step),
                                 load_from(warp));
    if (step == 3)
        t->m += (size_t)snprintf(t->memory + t->m, sizeof t->memory - t->m,
                                 "%s30 STG.E.SYS ! 9 1 0x%" PRIx64 " 1 4:31\n", block, store_to(warp));
}

static void put_grid(const struct app *a)
{
    struct texts t = {.n = 0};
    for (unsigned step = 0; step < STEPS; step++)
        for (unsigned i = 0; i < CTAS * WARPS; i++)
            add_step(&t, step, warp_at(step, i, CTAS * WARPS), false);
    put(a, "sass_traces/kernel_1.sass", t.executed);
    put(a, "memory_traces/kernel_1.mem", t.memory);
}

static void put_ctas(const struct app *a)
{
    for (unsigned cta = 0; cta < CTAS; cta++) {
        struct texts t = {.n = 0};
        char name[64];
        for (unsigned step = 0; step < STEPS; step++)
            for (unsigned i = 0; i < WARPS; i++)
                add_step(&t, step, cta * WARPS + warp_at(step, i, WARPS), true);
        snprintf(name, sizeof name, "sass_traces/kernel-1/kernel_1_block_%u.sass", cta);
        put(a, name, t.executed);
        snprintf(name, sizeof name, "memory_traces/kernel-1/kernel_1_block_%u.mem", cta);
        put(a, name, t.memory);
    }
}

static struct trace_file *open_app(const struct app *a, struct status *status)
{
    struct accelsim_options options = ACCELSIM_DEFAULTS;
    struct accelsim_report report;
    options.architecture = 70;
    return accelsim_open(a->app, &options, &report, status);
}

static void check_warp(struct trace_file *file, unsigned cta, unsigned warp)
{
    struct stream s;
    unsigned number = cta * WARPS + warp;
    read_stream(&s, file, 0, cta, warp);
    assert_int_equal(s.count, STEPS);
    for (unsigned step = 0; step < STEPS; step++) {
        assert_int_equal(s.issued[step].pc, 16 * step);
        assert_int_equal(s.issued[step].active, mask_of(number, step));
    }
    for (unsigned lane = 0; lane < 32; lane++) {
        uint64_t from = load_from(number) + (lane <= 16 ? 8 * lane : 8 * (32 - lane));
        if (s.issued[1].active >> lane & 1)
            assert_int_equal(s.issued[1].address[lane], from);
        assert_int_equal(s.issued[3].address[lane], store_to(number) + 4 * lane);
    }
    assert_int_equal(s.issued[1].bytes, 8);
    assert_int_equal(s.issued[1].space, ISA_SPACE_GLOBAL);
    assert_int_equal(s.issued[2].space, ISA_SPACE_SHARED);
    trace_kernel_close(s.kernel);
}

static void check_launch(struct trace_file *file)
{
    struct stream s;
    char text[ISA_TEXT];
    read_stream(&s, file, 0, 0, 0);
    assert_string_equal(s.launch->name, "copy_it");
    assert_int_equal(s.launch->architecture, 70);
    assert_int_equal(s.launch->grid[0], GRID_X);
    assert_int_equal(s.launch->grid[1], GRID_Y);
    assert_int_equal(s.launch->block[0], 64);
    assert_int_equal(s.launch->registers, 18);
    assert_int_equal(s.launch->static_shared + s.launch->dynamic_shared, 512);
    assert_int_equal(s.launch->stream, 3);
    isa_print(&s.launch->code[1].isa, text);
    assert_string_equal(text, "LDG.E.64.SYS R4, [R2]");
    isa_print(&s.launch->code[3].isa, text);
    assert_string_equal(text, "STG.E.SYS [R8], R5");
    trace_kernel_close(s.kernel);
}

static void files_of_the_grid_and_of_ctas_give_each_warp_its_own_addresses(void **state)
{
    (void)state;
    for (unsigned by_cta = 0; by_cta < 2; by_cta++) {
        struct app a;
        struct status status = {0};
        make_app(&a, APP, CODE);
        by_cta ? put_ctas(&a) : put_grid(&a);
        assert_true(accelsim_is_list(a.app));
        struct trace_file *file = open_app(&a, &status);
        assert_string_equal(status.text, "");
        check_launch(file);
        for (unsigned cta = 0; cta < CTAS; cta++)
            for (unsigned warp = 0; warp < WARPS; warp++)
                check_warp(file, cta, warp);
        trace_close(file);
        remove_app(&a);
    }
}

static void a_trace_needs_the_architecture_of_a_gpu(void **state)
{
    (void)state;
    struct app a;
    struct status status = {0};
    struct accelsim_report report;
    make_app(&a, APP, CODE);
    put_grid(&a);
    assert_null(accelsim_open(a.app, &ACCELSIM_DEFAULTS, &report, &status));
    assert_non_null(strstr(status.text, "does not tell its architecture: name a GPU with --gpu"));
    remove_app(&a);
}

/* One CTA with one warp. */
#define ONE                                                                                                            \
    "-kernel_1_kernel_name k\n-kernel_1_grid_dim_x 1\n-kernel_1_grid_dim_y 1\n-kernel_1_grid_dim_z 1\n"                \
    "-kernel_1_tb_dim_x 32\n-kernel_1_tb_dim_y 1\n-kernel_1_tb_dim_z 1\n-app_kernels_id 1\n"

static void check_message(const char *app, const char *code, const char *executed, const char *memory,
                          const char *message)
{
    struct app a;
    struct status status = {0};
    make_app(&a, app, code);
    put(&a, "sass_traces/kernel_1.sass", executed);
    put(&a, "memory_traces/kernel_1.mem", memory);
    assert_null(open_app(&a, &status));
    if (!strstr(status.text, message))
        print_message("# %s\n", status.text);
    assert_non_null(strstr(status.text, message));
    remove_app(&a);
}

static void damage_is_named_with_its_place(void **state)
{
    static const char load[] = "0 10 LDG.E.64 ! 0 1 0x1000 1 4:31\n";
    (void)state;
    check_message(ONE, CODE, "0 ! 0 10 ! 0 40 ! 0", "", "has not as many lines of pc 10 with these lanes");
    check_message(ONE, CODE, "0 ! 0 40 ! 0", load, "has not as many lines of pc 10 with these lanes");
    check_message(ONE, CODE, "10 ! 0 40 ! 0", "0 10 LDG f 0 1 0x1000 1 4:31\n", "with these lanes as executions");
    check_message(ONE, CODE, "10 ! 0 40 ! 0", "0 10 LDG ! 0 1 0x1000 1 4:30\n", "kernel_1.mem:1: behind the mask");
    check_message(ONE, CODE, "10 ! 0 40 ! 0", "0 10 LDG ! 0 3 0x1000 1 4:31\n", "kernel_1.mem:1: behind the mask");
    check_message(ONE, CODE, "10 ! 0 40 ! 0", "x\n", "kernel_1.mem:1: a memory line is");
    check_message(ONE, CODE, "0 ! 1 40 ! 1", "", "warp 0 of CTA 0 executes nothing");
    check_message(ONE, CODE, "0 ! 0 40 ! 0 40 ! 1", "", "warp 1 is not in the grid");
    check_message(ONE, CODE, "50 ! 0", "", "no instruction at pc 50");
    check_message(ONE, CODE, "0 ! 0 40 q 0", "", "an execution is 'PC MASK WARP'");
    check_message(ONE, "1 0 S2R 9\n", "0 ! 0", "", "instn.config:1: an instruction is");
    check_message(ONE, "2 0 EXIT 0 0\n", "0 ! 0", "", "kernel 1 has no instruction");
    check_message("-app_kernels_id 1\n", CODE, "0 ! 0", "", "kernel 1 needs a kernel_name");
    check_message("-kernel_1_tb_dim_x q\n-app_kernels_id 1\n", CODE, "0 ! 0", "", "app.config:1: the value must be");
    check_message("-app_kernels_id 1,,2\n", CODE, "0 ! 0", "", "kernels are numbered from 1 on");
}

UNIT_TESTS(UNIT(files_of_the_grid_and_of_ctas_give_each_warp_its_own_addresses),
           UNIT(a_trace_needs_the_architecture_of_a_gpu), UNIT(damage_is_named_with_its_place))
