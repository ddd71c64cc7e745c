/* Shuffles, votes and reductions against straightforward models of PTX. */
#include "machine.h"

static uint64_t random_state = 1;

static uint32_t draw(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 32);
}

static uint32_t draw_lanes(void)
{
    uint32_t lanes = draw() & 1 ? UINT32_MAX : draw() | 1u << (draw() & 31);
    return lanes;
}

/* One instruction on a warp of which `active` lanes execute it, with random registers. */
static struct machine *prepare(struct isa_inst isa, uint32_t active)
{
    struct machine *m = machine_create(true, 32);
    add(m, when(0, isa));
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    for (unsigned r = 0; r < MACHINE_REGISTERS; r++)
        for (unsigned lane = 0; lane < 32; lane++)
            row(m, r)[lane] = draw();
    for (unsigned p = 1; p < PT; p++)
        m->cta->warps[0].pred[p] = draw();
    m->cta->warps[0].pred[0] = active;
    return m;
}

/* ---- shuffles -------------------------------------------------------------------------------------------------- */

static bool shuffle_model(unsigned mode, int lane, uint32_t b, uint32_t c, int *source)
{
    int bval = (int)(b & 31), cval = (int)(c & 31), segmask = (int)(c >> 8 & 31), j = 0;
    int max_lane = (lane & segmask) | (cval & ~segmask), min_lane = lane & segmask;
    bool good = false;
    switch (mode) {
    case 0:
        j = min_lane | (bval & ~segmask);
        good = j <= max_lane;
        break;
    case 1:
        j = lane - bval;
        good = j >= max_lane;
        break;
    case 2:
        j = lane + bval;
        good = j <= max_lane;
        break;
    case 3:
        j = lane ^ bval;
        good = j <= max_lane;
        break;
    }
    *source = good ? j : lane;
    return good;
}

static void check_shuffle(unsigned mode, bool b_register, bool c_register, uint32_t c, uint32_t active)
{
    struct isa_inst i = inst(ISA_OP_SHFL);
    uint32_t b = draw() & 31;
    i.d = reg(draw() & 1 ? 4 : 5);
    i.a = reg(4);
    i.b = b_register ? reg(6) : value(b);
    i.c = c_register ? reg(7) : value(c);
    i.pu = predicate(2, false);
    i.mod[ISA_MOD_MODE] = (uint8_t)mode;
    struct machine *m = prepare(i, active);
    uint32_t before[32], kept[32], predicate_before = m->cta->warps[0].pred[2];
    memcpy(before, row(m, 4), sizeof before);
    memcpy(kept, row(m, i.d.index), sizeof kept);
    for (unsigned lane = 0; lane < 32 && c_register; lane++)
        row(m, 7)[lane] = c | (row(m, 7)[lane] & UINT32_C(0xffffe0e0));
    machine_step(m, 0);
    for (unsigned lane = 0; lane < 32; lane++) {
        int source;
        bool good = shuffle_model(mode, (int)lane, b_register ? row(m, 6)[lane] : b, c, &source);
        bool executes = active >> lane & 1;
        uint32_t expected = active >> source & 1 ? before[source] : before[lane];
        assert_int_equal(row(m, i.d.index)[lane], executes ? expected : kept[lane]);
        assert_int_equal(m->cta->warps[0].pred[2] >> lane & 1, executes ? good : predicate_before >> lane & 1);
    }
    machine_destroy(m);
}

static void shuffles_read_the_lane_that_the_rules_name(void **state)
{
    (void)state;
    static const uint32_t controls[] = {0x1f, 0x00, 0x181f, 0x1c1f, 0x1e03, 0x100f, 0x0c03};
    for (unsigned trial = 0; trial < 1200; trial++)
        check_shuffle(trial & 3, trial & 4, trial & 8, controls[trial % 7], draw_lanes());
}

/* ---- votes ----------------------------------------------------------------------------------------------------- */

static void votes_see_only_the_executing_lanes(void **state)
{
    (void)state;
    for (unsigned trial = 0; trial < 400; trial++) {
        unsigned mode = trial % 3;
        bool inverted = trial & 1, uniform = trial & 2;
        uint32_t active = draw_lanes();
        struct isa_inst i = inst(uniform ? ISA_OP_VOTEU : ISA_OP_VOTE);
        i.d = uniform ? (struct isa_operand){.kind = ISA_UREG, .index = 9, .words = 1} : reg(5);
        i.pu = (struct isa_predicate){2, false, uniform, true};
        i.pp = predicate(3, inverted);
        i.mod[ISA_MOD_MODE] = (uint8_t)mode;
        struct machine *m = prepare(i, active);
        if (trial % 5 == 0)
            m->cta->warps[0].pred[3] = trial % 2 ? 0 : UINT32_MAX;
        uint32_t kept = row(m, 5)[7];
        machine_step(m, 0);
        uint32_t votes = m->cta->warps[0].pred[3] ^ (inverted ? UINT32_MAX : 0), yes = 0, no = 0;
        for (unsigned lane = 0; lane < 32; lane++) {
            yes += active >> lane & votes >> lane & 1;
            no += active >> lane & ~votes >> lane & 1;
        }
        bool expected = mode == 0 ? no == 0 : mode == 1 ? yes > 0 : no == 0 || yes == 0;
        if (uniform) {
            assert_int_equal(m->cta->warps[0].ureg[9], votes & active);
            assert_int_equal(m->cta->warps[0].upred >> 2 & 1, expected);
        } else {
            assert_int_equal(row(m, 5)[7], active >> 7 & 1 ? votes & active : kept);
            assert_int_equal(m->cta->warps[0].pred[2] & active, expected ? active : 0);
        }
        machine_destroy(m);
    }
}

/* ---- uniform results ------------------------------------------------------------------------------------------- */

static uint32_t reduction_model(unsigned function, bool is_signed, const uint32_t *values, uint32_t active)
{
    int64_t result = 0;
    bool first = true;
    for (unsigned lane = 0; lane < 32; lane++) {
        if (!(active >> lane & 1))
            continue;
        int64_t v = is_signed ? (int64_t)(int32_t)values[lane] : (int64_t)values[lane];
        if (first)
            result = v;
        else if (function == 0)
            result &= v;
        else if (function == 1)
            result |= v;
        else if (function == 2)
            result ^= v;
        else if (function == 3)
            result += v;
        else if (function == 4)
            result = v < result ? v : result;
        else
            result = v > result ? v : result;
        first = false;
    }
    return (uint32_t)result;
}

static void reductions_combine_the_executing_lanes(void **state)
{
    (void)state;
    for (unsigned trial = 0; trial < 300; trial++) {
        uint32_t active = draw_lanes();
        struct isa_inst i = inst(ISA_OP_REDUX);
        i.d = (struct isa_operand){.kind = ISA_UREG, .index = 9, .words = 1};
        i.a = reg(5);
        i.mod[ISA_MOD_FUNCTION] = (uint8_t)(trial % 6);
        i.mod[ISA_MOD_SIGNED] = trial / 6 % 2;
        struct machine *m = prepare(i, active);
        machine_step(m, 0);
        assert_int_equal(m->cta->warps[0].ureg[9], reduction_model(trial % 6, trial / 6 % 2, row(m, 5), active));
        machine_destroy(m);
    }
}

/* For a register, and for one that a uniform register was put by in (mode FILL). */
static void the_first_executing_lane_gives_the_uniform_value(void **state)
{
    (void)state;
    for (unsigned trial = 0; trial < 128; trial++) {
        uint32_t active = draw_lanes();
        struct isa_inst i = inst(ISA_OP_R2UR);
        i.mod[ISA_MOD_MODE] = trial & 1;
        i.d = (struct isa_operand){.kind = ISA_UREG, .index = 9, .words = 1};
        i.a = reg(5);
        struct machine *m = prepare(i, active);
        machine_step(m, 0);
        assert_int_equal(m->cta->warps[0].ureg[9], row(m, 5)[__builtin_ctz(active)]);
        machine_destroy(m);
    }
}

/* Which lane .BROADCAST takes is not known. With one value in all it does not matter. */
static void a_broadcast_of_one_value_is_that_value_and_others_are_refused(void **state)
{
    (void)state;
    for (unsigned trial = 0; trial < 64; trial++) {
        uint32_t active = draw_lanes() | 3;
        struct isa_inst i = inst(ISA_OP_R2UR);
        i.d = (struct isa_operand){.kind = ISA_UREG, .index = 9, .words = 1};
        i.a = reg(5);
        i.pu = predicate(ISA_PT, false);
        i.mod[ISA_MOD_MODE] = 2;
        struct machine *m = prepare(i, active);
        for (unsigned lane = 0; lane < 32; lane++)
            row(m, 5)[lane] = active >> lane & 1 ? 1234 : lane;
        row(m, 5)[1] += trial & 1;
        machine_step(m, 0);
        assert_int_equal(m->core.fault.code, trial & 1 ? STATUS_UNSUPPORTED : STATUS_OK);
        if (!(trial & 1))
            assert_int_equal(m->cta->warps[0].ureg[9], 1234);
        machine_destroy(m);
    }
}

/* The lanes with another value than the first one, added to the old predicate with .OR. */
static void the_predicate_tells_which_lanes_have_another_value(void **state)
{
    (void)state;
    for (unsigned trial = 0; trial < 128; trial++) {
        uint32_t active = draw_lanes();
        struct isa_inst i = inst(ISA_OP_R2UR);
        i.d = (struct isa_operand){.kind = ISA_UREG, .index = 9, .words = 1};
        i.a = reg(5);
        i.pu = predicate(2, false);
        i.mod[ISA_MOD_FLAG] = trial & 1;
        struct machine *m = prepare(i, active);
        for (unsigned lane = 0; lane < 32; lane++)
            row(m, 5)[lane] &= 1;
        uint32_t before = m->cta->warps[0].pred[2], first = row(m, 5)[__builtin_ctz(active)];
        machine_step(m, 0);
        for (unsigned lane = 0; lane < 32; lane++) {
            bool was = before >> lane & 1, other = row(m, 5)[lane] != first || (trial & 1 && was);
            assert_int_equal(m->cta->warps[0].pred[2] >> lane & 1, active >> lane & 1 ? other : was);
        }
        machine_destroy(m);
    }
}

static void matches_name_the_lanes_with_the_same_value(void **state)
{
    (void)state;
    for (unsigned trial = 0; trial < 400; trial++) {
        uint32_t active = draw_lanes();
        bool any = trial & 1, two = trial & 2;
        struct isa_inst i = inst(ISA_OP_MATCH);
        i.d = reg(9);
        i.a = wide(4, two ? 2 : 1);
        i.pu = predicate(2, false);
        i.mod[ISA_MOD_MODE] = any;
        i.mod[ISA_MOD_WIDE64] = two;
        struct machine *m = prepare(i, active);
        for (unsigned lane = 0; lane < 32; lane++) {
            row(m, 4)[lane] &= trial & 12 ? 3 : 0;
            row(m, 5)[lane] &= trial & 16 ? 1 : 0;
        }
        uint32_t before = m->cta->warps[0].pred[2], kept[32], all = active;
        memcpy(kept, row(m, 9), sizeof kept);
        machine_step(m, 0);
        uint32_t same[32] = {0};
        for (unsigned lane = 0; lane < 32; lane++) {
            for (unsigned other = 0; other < 32; other++)
                if ((active >> other & 1) && row(m, 4)[lane] == row(m, 4)[other] &&
                    (!two || row(m, 5)[lane] == row(m, 5)[other]))
                    same[lane] |= 1u << other;
            all &= active >> lane & 1 ? same[lane] : UINT32_MAX;
        }
        bool agree = all == active;
        unsigned values = 0; /* each counts where its lowest lane is */
        for (unsigned lane = 0; lane < 32; lane++)
            values += active >> lane & 1 && lowest_bit32(same[lane]) == lane;
        assert_int_equal(m->out.values, any ? values : 0);
        for (unsigned lane = 0; lane < 32; lane++) {
            bool executes = active >> lane & 1;
            uint32_t expected = any ? same[lane] : agree ? active : 0;
            assert_int_equal(row(m, 9)[lane], executes ? expected : kept[lane]);
            assert_int_equal(m->cta->warps[0].pred[2] >> lane & 1, executes && !any ? agree : before >> lane & 1);
        }
        machine_destroy(m);
    }
}

/* PTX ISA, redux.sync of floats: NaN is passed over, or wins with .NaN; .abs takes magnitudes first. */
static uint32_t float_model(bool minimum, bool magnitude, bool nan, const uint32_t *values, uint32_t active)
{
    float best = 0;
    bool some = false, nans = false;
    for (unsigned lane = 0; lane < 32; lane++) {
        uint32_t bits = magnitude ? values[lane] & 0x7fffffff : values[lane];
        float v;
        memcpy(&v, &bits, sizeof v);
        if (!(active >> lane & 1))
            continue;
        nans = nans || v != v;
        if (v == v && (!some || (minimum ? v < best : v > best)))
            best = v;
        some = some || v == v;
    }
    uint32_t result;
    memcpy(&result, &best, sizeof result);
    return !some || (nan && nans) ? 0x7fffffff : result;
}

static void float_reductions_follow_the_rules_for_nan(void **state)
{
    (void)state;
    for (unsigned trial = 0; trial < 400; trial++) {
        uint32_t active = draw_lanes();
        unsigned function = trial & 3;
        bool nan = trial & 4, minimum = function >= 2, magnitude = function & 1;
        struct isa_inst i = inst(ISA_OP_CREDUX);
        i.d = (struct isa_operand){.kind = ISA_UREG, .index = 9, .words = 1};
        i.a = reg(5);
        i.mod[ISA_MOD_FUNCTION] = (uint8_t)function;
        i.mod[ISA_MOD_SRC_TYPE] = 2;
        i.mod[ISA_MOD_NAN] = nan;
        struct machine *m = prepare(i, active);
        for (unsigned lane = 0; lane < 32; lane++)
            if (trial & 8 && draw() % 8 == 0)
                row(m, 5)[lane] |= 0x7fc00000;
        machine_step(m, 0);
        assert_int_equal(m->cta->warps[0].ureg[9], float_model(minimum, magnitude, nan, row(m, 5), active));
        machine_destroy(m);
    }
}

UNIT_TESTS(UNIT(the_predicate_tells_which_lanes_have_another_value), UNIT(matches_name_the_lanes_with_the_same_value),
           UNIT(float_reductions_follow_the_rules_for_nan), UNIT(shuffles_read_the_lane_that_the_rules_name),
           UNIT(votes_see_only_the_executing_lanes), UNIT(reductions_combine_the_executing_lanes),
           UNIT(the_first_executing_lane_gives_the_uniform_value),
           UNIT(a_broadcast_of_one_value_is_that_value_and_others_are_refused))
