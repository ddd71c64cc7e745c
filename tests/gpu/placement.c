/* Which slots CTA groups get: the rule by itself, and on a GPU, to which groups of several CTAs are given. */
#include "base/file.h"
#include "gpu/gpu.h"
#include "gpu/occupancy.h"
#include "gpu/placement_policy.h"
#include "mem/topology.h"
#include "tests/unit.h"

/* ---- the rule ---------------------------------------------------------------------------------------------------- */

enum { SMS = 6 };

struct board {
    uint16_t sm[SMS];
    uint32_t free[SMS];
    uint8_t gpc[SMS];
    struct placement_view view;
};

/* GPC 0: SM 0, 2, 4; GPC 1: SM 1, 3, 5. */
static void board_begin(struct board *b, uint32_t group, uint32_t slots)
{
    *b = (struct board){.view = {.group = group, .slots = slots, .count = SMS}};
    for (uint16_t i = 0; i < SMS; i++) {
        b->sm[i] = i;
        b->gpc[i] = i % 2;
        b->free[i] = (UINT32_C(1) << slots) - 1;
    }
    b->view.sm = b->sm, b->view.free = b->free, b->view.gpc = b->gpc;
}

static void take(struct board *b, const struct cta_place *place)
{
    for (uint32_t i = 0; i < b->view.group; i++) {
        assert_true(b->free[place[i].sm] >> place[i].slot & 1);
        b->free[place[i].sm] &= ~(UINT32_C(1) << place[i].slot);
        assert_int_equal(b->gpc[place[i].sm], b->gpc[place[0].sm]);
    }
}

static void expect_first(struct board *b, const struct cta_place *expected)
{
    struct cta_place place[CTA_GROUP_MOST];
    assert_true(placement_in_turn.first(&b->view, place));
    take(b, place);
    for (uint32_t i = 0; i < b->view.group; i++) {
        assert_int_equal(place[i].sm, expected[i].sm);
        assert_int_equal(place[i].slot, expected[i].slot);
    }
}

static void expect_full(struct board *b)
{
    struct cta_place place[CTA_GROUP_MOST];
    assert_false(placement_in_turn.first(&b->view, place));
}

static void single_ctas_go_to_the_sms_in_turn_and_then_where_one_has_ended(void **state)
{
    (void)state;
    struct board b;
    struct cta_place place[CTA_GROUP_MOST];
    board_begin(&b, 1, 2);
    for (uint16_t slot = 0; slot < 2; slot++)
        for (uint16_t i = 0; i < SMS; i++)
            expect_first(&b, &(struct cta_place){i, slot});
    expect_full(&b);
    assert_true(placement_in_turn.next(&b.view, (struct cta_place){4, 1}, place));
    assert_int_equal(place[0].sm, 4);
    assert_int_equal(place[0].slot, 1);
}

static void sms_that_have_been_free_for_longer_come_first(void **state)
{
    (void)state;
    struct board b;
    board_begin(&b, 1, 1);
    const uint16_t order[SMS] = {5, 1, 0, 2, 4, 3};
    memcpy(b.sm, order, sizeof order);
    for (uint16_t i = 0; i < SMS; i++)
        expect_first(&b, &(struct cta_place){order[i], 0});
}

static void the_ctas_of_a_group_of_two_are_in_one_gpc(void **state)
{
    (void)state;
    struct board b;
    board_begin(&b, 2, 2);
    expect_first(&b, (struct cta_place[]){{0, 0}, {2, 0}});
    expect_first(&b, (struct cta_place[]){{1, 0}, {3, 0}});
    expect_first(&b, (struct cta_place[]){{4, 0}, {0, 1}});
    expect_first(&b, (struct cta_place[]){{5, 0}, {1, 1}});
    expect_first(&b, (struct cta_place[]){{2, 1}, {4, 1}});
    expect_first(&b, (struct cta_place[]){{3, 1}, {5, 1}});
    expect_full(&b);
}

/* Six slots in each GPC: one group of four, and two slots in which no second one fits. */
static void a_group_of_four_is_placed_at_once_or_not_at_all(void **state)
{
    (void)state;
    struct board b;
    board_begin(&b, 4, 2);
    expect_first(&b, (struct cta_place[]){{0, 0}, {2, 0}, {4, 0}, {0, 1}});
    expect_first(&b, (struct cta_place[]){{1, 0}, {3, 0}, {5, 0}, {1, 1}});
    expect_full(&b);
    for (uint16_t i = 2; i < SMS; i++)
        assert_int_equal(b.free[i], 2);
}

static void a_group_waits_until_its_gpc_has_room_for_all_of_it(void **state)
{
    (void)state;
    struct board b;
    struct cta_place place[CTA_GROUP_MOST];
    board_begin(&b, 4, 2);
    for (uint16_t i = 0; i < SMS; i++)
        b.free[i] = 0;
    b.free[5] = 3; /* in the other GPC */
    b.free[1] = b.free[3] = 1;
    b.free[2] = 2;
    b.free[4] = 1;
    b.free[0] = 2;
    assert_false(placement_in_turn.next(&b.view, (struct cta_place){0, 1}, place));
    b.free[2] = 3;
    assert_true(placement_in_turn.next(&b.view, (struct cta_place){2, 0}, place));
    take(&b, place);
    const struct cta_place expected[] = {{2, 0}, {4, 0}, {0, 1}, {2, 1}};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(place[i].sm, expected[i].sm);
        assert_int_equal(place[i].slot, expected[i].slot);
    }
    for (uint16_t i = 0; i < SMS; i += 2)
        assert_int_equal(b.free[i], 0);
}

/* ---- how many a GPU holds ---------------------------------------------------------------------------------------- */

static void a_gpu_holds_as_many_groups_as_its_gpcs_hold(void **state)
{
    (void)state;
    struct config config;
    struct status status = {0};
    assert_true(config_load(&config, "rtx-a6000", &status));
    assert_true(config_set(&config, "gpu.sms=10", &status) && config_set(&config, "gpu.gpcs=6 4", &status));
    assert_int_equal(occupancy_resident(&config, 3, 1), 30);
    assert_int_equal(occupancy_resident(&config, 3, 2), 30);
    assert_int_equal(occupancy_resident(&config, 3, 4), 16 + 12);
    assert_int_equal(occupancy_resident(&config, 1, 4), 4 + 4);
    assert_int_equal(occupancy_resident(&config, 1, 8), 0);
}

/* ---- on a GPU ---------------------------------------------------------------------------------------------------- */

enum { CTAS = 320, SLOTS = 16, FIRST_SM = 0xffff };

struct rig {
    struct gpu *gpu;
    struct exec_module *module;
    struct config config;
    struct topology topology;
    struct kernel_result result;
    struct status status;
    uint64_t out;
    uint16_t sm[CTAS]; /* of a CTA */
    uint64_t begin[CTAS];
};

static void see(void *self, uint16_t sm, uint32_t slot, uint64_t cta, const struct code *code,
                const struct issued *issued, uint64_t cycle)
{
    struct rig *r = self;
    (void)slot, (void)code, (void)issued;
    if (r->sm[cta] == FIRST_SM)
        r->begin[cta] = cycle;
    r->sm[cta] = sm;
}

/* A GPU of two GPCs. */
static void rig_begin_as(struct rig *r, const struct gpu_options *options, const char *gpu, const char *cubin)
{
    char path[4096];
    struct file_bytes file;
    memset(r, 0, sizeof *r);
    assert_true(config_load(&r->config, gpu, &r->status));
    assert_true(config_set(&r->config, "gpu.memory=1", &r->status));
    assert_true(config_set(&r->config, "gpu.sms=10", &r->status) && config_set(&r->config, "gpu.gpcs=6 4", &r->status));
    topology_init(&r->topology, &r->config, 1);
    r->gpu = gpu_create(&r->config, options, &r->status);
    assert_non_null(r->gpu);
    assert_true(file_read(unit_path(path, cubin), 1 << 20, &file, &r->status));
    r->module = gpu_load(r->gpu, (struct cubin_bytes){file.data, file.size}, "launches", &r->status);
    assert_non_null(r->module);
    file_free(&file);
    r->out = memory_alloc(gpu_memory(r->gpu), 16 * CTAS);
}

static void rig_begin(struct rig *r, const struct gpu_options *options)
{
    rig_begin_as(r, options, "h200", "tests/gpu/cubin/launches.sm_90.cubin");
}

static bool run(struct rig *r, uint32_t group, uint32_t ctas)
{
    const struct {
        uint64_t out;
        uint32_t steps, unused;
    } arguments = {r->out, 100, 0};
    const struct sm_observer observer = {.self = r, .issued = see};
    const struct gpu_launch l = {.module = r->module,
                                 .kernel = "timer",
                                 .grid = {ctas, 1, 1},
                                 .block = {32, 1, 1},
                                 .parameters = &arguments,
                                 .parameter_bytes = 12,
                                 .start_ns = 1,
                                 .cluster = {group, 1, 1},
                                 .observer = &observer};
    memset(r->sm, 0xff, sizeof r->sm);
    return gpu_launch(r->gpu, &l, &r->result, &r->status);
}

static void groups_of_a_launch_are_timed_each_in_one_gpc(void **state)
{
    (void)state;
    static const uint32_t groups[] = {1, 2, 4, 16};
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        struct rig r;
        const struct gpu_options options = {.threads = 1};
        rig_begin(&r, &options);
        if (!run(&r, groups[i], CTAS))
            fail_msg("%s", r.status.text);
        assert_true(r.result.complete);
        assert_int_equal(r.result.ctas_done, CTAS);
        for (uint32_t c = 0; c < CTAS; c++) {
            uint32_t leader = c / groups[i] * groups[i];
            assert_int_not_equal(r.sm[c], FIRST_SM);
            if (c != leader)
                assert_int_equal(r.topology.gpc[r.sm[c]], r.topology.gpc[r.sm[leader]]);
            assert_true(*(const uint64_t *)(const void *)memory_at(gpu_memory(r.gpu), r.out + 16 * c) > 0);
        }
        gpu_destroy(r.gpu);
    }
}

/* First instructions of an SM's CTAs, in the order of the grid. */
static uint32_t begins_of(const struct rig *r, uint16_t sm, uint64_t begin[CTAS])
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < CTAS; c++)
        if (r->sm[c] == sm)
            begin[count++] = r->begin[c];
    return count;
}

static void an_sm_begins_its_first_ctas_at_once_and_later_ones_one_after_another(void **state)
{
    (void)state;
    struct rig r;
    const struct gpu_options options = {.threads = 1};
    rig_begin_as(&r, &options, "rtx-a6000", "tests/gpu/cubin/launches.sm_86.cubin");
    assert_true(run(&r, 1, CTAS));
    for (uint16_t sm = 0; sm < 10; sm++) {
        uint64_t begin[CTAS];
        uint32_t count = begins_of(&r, sm, begin);
        assert_int_equal(count, 2 * SLOTS);
        for (uint32_t i = 0; i < SLOTS; i++) /* all wait for the same line of code, and the youngest goes first */
            assert_in_range(begin[i], begin[SLOTS - 1], begin[SLOTS - 1] + 60);
        for (uint32_t i = SLOTS + 1; i < count; i++) /* a warp of the same sub-core may issue before */
            assert_in_range(begin[i] - begin[i - 1], 150, 157);
        assert_in_range(begin[count - 1] - begin[SLOTS], (SLOTS - 1) * 153, (SLOTS - 1) * 154 + 3);
    }
    gpu_destroy(r.gpu);
}

static void a_group_that_does_not_divide_the_grid_or_fits_no_gpc_is_refused(void **state)
{
    (void)state;
    struct rig r;
    const struct gpu_options options = {.threads = 1};
    rig_begin(&r, &options);
    assert_false(run(&r, 3, CTAS));
    assert_non_null(strstr(r.status.text, "grid 320 x 1 x 1 is no multiple of cluster 3 x 1 x 1"));
    r.status = (struct status){0};
    assert_false(run(&r, 32, CTAS));
    assert_int_equal(r.status.code, STATUS_USAGE);
    gpu_destroy(r.gpu);
}

static void groups_are_executed_without_time_as_well(void **state)
{
    (void)state;
    struct rig r;
    struct plan plan = {0};
    const struct gpu_options options = {.threads = 1, .functional = true}, windows = {.threads = 1, .plan = &plan};
    rig_begin(&r, &options);
    assert_true(run(&r, 4, CTAS));
    assert_int_equal(r.result.ctas_done, CTAS);
    uint64_t instructions = r.result.warp_instructions;
    gpu_destroy(r.gpu);
    /* a window begins and ends with a group */
    rig_begin(&r, &windows);
    assert_true(plan_add(&plan, "window", "window", "98-197", &r.status));
    assert_true(run(&r, 4, CTAS));
    for (uint32_t c = 0; c < CTAS; c++)
        assert_int_equal(r.sm[c] != FIRST_SM, c >= 100 && c < 200);
    assert_int_equal(r.result.warp_instructions + r.result.rest_instructions, instructions);
    gpu_destroy(r.gpu);
    plan_free(&plan);
}

UNIT_TESTS(UNIT(single_ctas_go_to_the_sms_in_turn_and_then_where_one_has_ended),
           UNIT(sms_that_have_been_free_for_longer_come_first), UNIT(the_ctas_of_a_group_of_two_are_in_one_gpc),
           UNIT(a_group_of_four_is_placed_at_once_or_not_at_all),
           UNIT(a_group_waits_until_its_gpc_has_room_for_all_of_it), UNIT(a_gpu_holds_as_many_groups_as_its_gpcs_hold),
           UNIT(groups_of_a_launch_are_timed_each_in_one_gpc),
           UNIT(an_sm_begins_its_first_ctas_at_once_and_later_ones_one_after_another),
           UNIT(a_group_that_does_not_divide_the_grid_or_fits_no_gpc_is_refused),
           UNIT(groups_are_executed_without_time_as_well))
