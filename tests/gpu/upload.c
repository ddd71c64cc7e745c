/* A kernel's code and constants in the L2. */
#include "gpu/upload.h"

#include "exec/memory.h"
#include "sm/front/l15.h"
#include "tests/unit.h"

enum { CODE_LINES = 13, BANK0_LINES = 5, BANK3_LINES = 2 };

struct rig {
    struct config config;
    struct mem *mem;
    struct exec_kernel kernels[2];
    struct cubin_kernel cubin_kernel;
    struct exec_module module;
    struct exec_launch launch;
    uint64_t now;
};

static void no_effect(void *self, const struct request *request)
{
    (void)self;
    (void)request;
}

static void rig_begin(struct rig *r)
{
    struct status status = {0};
    *r = (struct rig){.cubin_kernel = {.parameter_base = 0x160, .parameter_bytes = 0x100}};
    config_defaults(&r->config);
    r->mem = mem_create(&r->config, (struct memory_effects){NULL, no_effect}, &status);
    assert_non_null(r->mem);
    r->kernels[1] = (struct exec_kernel){.cubin = &r->cubin_kernel, .count = CODE_LINES * 8 - 3};
    r->module.kernels = r->kernels;
    r->module.cubin.constant3.size = 200;
    r->launch = (struct exec_launch){.module = &r->module, .kernel = &r->kernels[1]};
}

/* Until nothing is under way. Returns the replies, and the SM and token of the last one. */
static uint32_t run(struct rig *r, struct reply *last)
{
    uint32_t replies = 0;
    for (uint64_t end = r->now + 4000; r->now < end; r->now += mem_quantum(r->mem)) {
        for (unsigned g = 0; g < mem_groups(r->mem); g++) {
            uint32_t count;
            mem_run(r->mem, g, r->now + mem_quantum(r->mem));
            const struct reply *reply = mem_replies(r->mem, g, &count);
            replies += count;
            if (count)
                *last = reply[count - 1];
        }
    }
    return replies;
}

static uint64_t lines_read(const struct rig *r, uint64_t *hits)
{
    struct mem_counters n;
    mem_counters(r->mem, &n);
    *hits = n.l2_sectors_read_hit / PORT_SECTORS;
    return n.l2_sectors_read / PORT_SECTORS;
}

static void the_l2_reads_each_line_of_code_and_constants_once_before_the_kernel(void **state)
{
    (void)state;
    enum { ALL = CODE_LINES + BANK0_LINES + BANK3_LINES };
    struct rig r;
    struct reply last;
    uint64_t hits;
    rig_begin(&r);
    struct timed_launch launch = {.code.count = r.kernels[1].count, .code_address = upload_address(&r.launch)};
    upload_banks(&r.launch, launch.bank_bytes);
    assert_true(upload(r.mem, &launch, 0));
    assert_int_equal(run(&r, &last), ALL);
    assert_int_equal(last.client, PORT_NOBODY);
    assert_int_equal(lines_read(&r, &hits), ALL);
    assert_int_equal(hits, 0);
    for (uint16_t sm = 0; sm < 4; sm++) {
        struct request ask = {.arrival = r.now + 100,
                              .line = upload_address(&r.launch) + (CODE_LINES - 1) * PORT_LINE,
                              .sm = sm,
                              .token = 7,
                              .sectors = 0xf,
                              .kind = REQUEST_LOAD};
        assert_true(mem_accept(r.mem, &ask));
        ask.line = upload_address(&r.launch) + L15_CONSTANTS + (3 << 16) + PORT_LINE;
        assert_true(mem_accept(r.mem, &ask));
    }
    assert_int_equal(run(&r, &last), 8);
    assert_int_equal(last.token, 7);
    assert_int_equal(lines_read(&r, &hits), ALL + 8);
    assert_int_equal(hits, 8);
    mem_destroy(r.mem);
}

static void ranges_of_kernels_and_allocations_are_apart(void **state)
{
    (void)state;
    static struct exec_kernel kernels[16384];
    struct exec_module module = {.kernels = kernels};
    uint64_t before = 0;
    for (unsigned k = 0; k < 16384; k++) {
        struct exec_launch launch = {.module = &module, .kernel = &kernels[k]};
        uint64_t address = upload_address(&launch);
        assert_true(address >= before + (k ? 64 << 20 : 1));
        assert_true(address + 2 * L15_CONSTANTS <= MEMORY_BASE);
        before = address;
    }
    struct exec_launch first = {.module = &module, .kernel = kernels};
    assert_true(before + (64 << 20) <= upload_address(&first) + L15_CONSTANTS); /* code before constants */
}

UNIT_TESTS(UNIT(the_l2_reads_each_line_of_code_and_constants_once_before_the_kernel),
           UNIT(ranges_of_kernels_and_allocations_are_apart))
