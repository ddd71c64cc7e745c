/* Accesses to the shared memory of other CTAs: how they are cut into messages, and how fast an SM sends these. */
#include "config/config.h"
#include "isa/isa.h"
#include "sm/memory/remote_path.h"
#include "sm/port/port.h"
#include "tests/unit.h"

enum { RANK = 1 << 24 };

static struct config h200(void)
{
    struct config config;
    struct status status = {0};
    assert_true(config_load(&config, "h200", &status));
    return config;
}

/* An addition of a lane each `stride` bytes, in the memory of the CTA with rank lane % ranks. */
static unsigned parts_of(uint64_t stride, unsigned ranks, struct line_access out[32])
{
    struct config config = h200();
    struct code code = {.memory = ISA_MEM_REDUCTION};
    struct issued is = {.bytes = 4, .active = UINT32_MAX, .space = ISA_SPACE_CLUSTER};
    for (unsigned lane = 0; lane < 32; lane++)
        is.address[lane] = (uint64_t)(lane % ranks) * RANK + lane * stride;
    return remote_path_split(&config.shared, &code, &is, out);
}

static void words_in_a_row_are_one_message_of_four_segments(void **state)
{
    (void)state;
    struct line_access part[32];
    assert_int_equal(parts_of(4, 1, part), 1);
    assert_int_equal(part[0].lanes, UINT32_MAX);
    assert_int_equal(part[0].bytes, 128);
}

static void a_lane_alone_in_its_segment_takes_32_bytes_and_four_of_them_a_message(void **state)
{
    (void)state;
    struct line_access part[32];
    assert_int_equal(parts_of(32, 1, part), 8);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(part[i].lanes, 0xfu << 4 * i);
        assert_int_equal(part[i].bytes, 128);
    }
    assert_int_equal(parts_of(16, 1, part), 4);
    assert_int_equal(part[0].lanes, 0xff);
}

static void each_cta_gets_messages_of_its_own(void **state)
{
    (void)state;
    struct line_access part[32];
    assert_int_equal(parts_of(4, 32, part), 32);
    assert_int_equal(part[31].line, 31);
    assert_int_equal(part[31].bytes, 32);
    assert_int_equal(parts_of(4, 2, part), 2);
    assert_int_equal(part[1].lanes, 0xaaaaaaaa);
    assert_int_equal(part[1].bytes, 128);
}

static void every_lane_is_in_one_message(void **state)
{
    (void)state;
    struct line_access part[32];
    for (uint64_t stride = 0; stride <= 128; stride += 4)
        for (unsigned ranks = 1; ranks <= 16; ranks *= 2) {
            uint32_t lanes = 0;
            unsigned count = parts_of(stride, ranks, part);
            for (unsigned i = 0; i < count; i++) {
                assert_int_equal(lanes & part[i].lanes, 0);
                assert_in_range(part[i].bytes, 32, 128);
                lanes |= part[i].lanes;
            }
            assert_int_equal(lanes, UINT32_MAX);
        }
}

/* The cycle at which each of `count` messages leaves, with so many bytes of data, all ready at cycle 100. */
static void leave(unsigned count, uint8_t bytes, uint64_t at[8])
{
    struct config config = h200();
    struct sm_counters n = {0};
    struct port port = {.to = {.noc = &config.noc, .n = &n}};
    assert_true(outbox_init(&port.out, 64));
    for (unsigned i = 0; i < count; i++)
        port_send_peer(&port, PORT_REMOTE, (struct request){.arrival = 100, .bytes = bytes, .to = 1});
    for (unsigned i = 0; i < count; i++)
        at[i] = port.out.request[i].arrival;
    assert_int_equal(port.egress_free[PORT_WAY_DATA], 0); /* requests to the L2 have a way of their own */
    outbox_free(&port.out);
}

static void an_sm_sends_136_bytes_to_others_each_seven_cycles(void **state)
{
    (void)state;
    uint64_t at[8];
    leave(8, 128, at); /* 136 / 19.2 = 7.083 */
    const uint64_t want[8] = {100, 107, 114, 121, 128, 135, 142, 149};
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(at[i], want[i]);
    leave(8, 0, at); /* 8 / 19.2 = 0.417: five messages in two cycles */
    assert_int_equal(at[2], 100);
    assert_int_equal(at[3], 101);
    assert_int_equal(at[4], 101);
    assert_int_equal(at[5], 102);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_in_a_row_are_one_message_of_four_segments),
        cmocka_unit_test(a_lane_alone_in_its_segment_takes_32_bytes_and_four_of_them_a_message),
        cmocka_unit_test(each_cta_gets_messages_of_its_own),
        cmocka_unit_test(every_lane_is_in_one_message),
        cmocka_unit_test(an_sm_sends_136_bytes_to_others_each_seven_cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
