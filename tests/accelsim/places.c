/* Places of copies: from boxes, and back to them. */
#include "accelsim/places.h"

#include <string.h>

#include "isa/contract.h"
#include "tests/unit.h"

static uint64_t state;

static uint32_t below(uint32_t limit)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(state >> 33) % limit;
}

/* Rows that the tensor has, of a box with room between them. */
static struct transfer random_box(void)
{
    struct transfer t = {.kind = TRANSFER_LOAD, .base = UINT64_C(0x700000000000) + 16 * below(1000), .rows = 1};
    t.element_bytes = 1u << below(5);
    t.extent[0] = 16u / t.element_bytes * (1 + below(16));
    t.stride[0] = t.element_bytes;
    uint64_t room = (uint64_t)t.extent[0] * t.element_bytes;
    for (unsigned d = 1; d < TRANSFER_DIMENSIONS; d++) {
        bool flat = d > 1 && t.extent[d - 1] == 1;
        t.extent[d] = flat ? 1 : 1 + below(5);
        t.stride[d] = room + 64 + 16 * below(9); /* of one digit too, whose distance nobody sees */
        t.from[d] = below(t.extent[d]);
        t.to[d] = t.from[d] + 1 + below(t.extent[d] - t.from[d]);
        t.rows *= t.extent[d];
        room = t.stride[d] * t.extent[d];
    }
    return t;
}

static unsigned present(const struct transfer *t, uint64_t address[4096])
{
    unsigned n = 0;
    for (uint32_t row = 0; row < t->rows; row++)
        n += transfer_row(t, row, &address[n]);
    return n;
}

static void boxes_come_back_with_their_rows(void **unused)
{
    (void)unused;
    struct places places = {0};
    uint64_t want[4096], got[4096];
    state = 1;
    for (unsigned round = 0; round < 2000; round++) {
        struct transfer t = random_box(), back = {0};
        unsigned rows = present(&t, want);
        assert_true(places_list(&places, &t));
        assert_int_equal(places.width, ISA_SECTOR);
        assert_true(places_fit(&places, rows * transfer_span(&t), &back));
        assert_int_equal(present(&back, got), rows);
        assert_int_equal(transfer_span(&back), transfer_span(&t));
        assert_memory_equal(want, got, rows * sizeof *want);
    }
    places_free(&places);
}

/* A column of im2col begins within a row of pixels and ends within one. */
static void columns_come_back_with_their_rows(void **unused)
{
    (void)unused;
    struct places places = {0};
    uint64_t want[4096], got[4096];
    struct transfer t = {.kind = TRANSFER_LOAD,
                         .base = UINT64_C(0x700000000000),
                         .rows = 29,
                         .element_bytes = 16,
                         .stride = {16, 256, 4096, 65536, 0},
                         .extent = {8, 7, 3, 4, 1},
                         .start = {0, 3, 1, 0, 0},
                         .to = {0, 7, 3, 4, 1}};
    struct transfer back = {0};
    unsigned rows = present(&t, want);
    assert_int_equal(rows, 29);
    for (unsigned within = 0; within < 2; within++) {
        t.start[2] = within;
        rows = present(&t, want);
        assert_true(places_list(&places, &t) && places_fit(&places, 29 * 128, &back));
        assert_int_equal(present(&back, got), rows);
        assert_memory_equal(want, got, rows * sizeof *want);
    }
    places_free(&places);
}

static void pieces_end_at_sectors_and_at_the_ends_of_rows(void **unused)
{
    (void)unused;
    struct places places = {0};
    const struct transfer t = {.kind = TRANSFER_STORE,
                               .base = 0x1010,
                               .rows = 2,
                               .element_bytes = 16,
                               .stride = {16, 0x1000},
                               .extent = {5, 2, 1, 1, 1},
                               .to = {0, 2, 1, 1, 1}};
    static const uint64_t want[] = {0x1010, 0x1020, 0x1040, 0x2010, 0x2020, 0x2040};
    assert_true(places_list(&places, &t));
    assert_int_equal(places.count, 6);
    assert_memory_equal(places.at, want, sizeof want);
    places_free(&places);
}

static void rows_that_touch_are_one(void **unused)
{
    (void)unused;
    struct places places = {.width = 32};
    struct transfer t = {0};
    for (uint64_t at = 0x1000; at < 0x1100; at += 32)
        assert_true(places_add(&places, at));
    assert_true(places_fit(&places, 0x100, &t));
    assert_int_equal(t.rows, 1);
    assert_int_equal(t.base, 0x1000);
    assert_int_equal(transfer_span(&t), 0x100);
    places_free(&places);
}

static void places_without_an_order_are_one_row_from_the_lowest(void **unused)
{
    (void)unused;
    struct places places = {.width = 32};
    struct transfer t = {0};
    static const uint64_t at[] = {0x9000, 0x1000, 0x5000, 0x2000};
    for (unsigned i = 0; i < 4; i++)
        assert_true(places_add(&places, at[i]));
    assert_false(places_fit(&places, 128, &t));
    assert_int_equal(t.rows, 1);
    assert_int_equal(t.base, 0x1000);
    assert_int_equal(transfer_span(&t), 128);
    places.count = 0;
    assert_true(places_fit(&places, 128, &t)); /* all of it is outside the tensor */
    assert_int_equal(t.rows, 0);
    places_free(&places);
}

static void too_many_pieces_for_a_line_are_larger_ones(void **unused)
{
    (void)unused;
    struct places places = {0};
    struct transfer t = {.kind = TRANSFER_PREFETCH,
                         .base = 0x100000,
                         .rows = 1,
                         .element_bytes = 16,
                         .stride = {16},
                         .extent = {1 << 19, 1, 1, 1, 1},
                         .to = {0, 1, 1, 1, 1}};
    assert_true(places_list(&places, &t));
    assert_int_equal(places.width, 512);
    assert_int_equal(places.count, 1 << 14);
    assert_true(places_fit(&places, 1 << 23, &t));
    assert_int_equal(transfer_span(&t), 1 << 23);
    places_free(&places);
}

UNIT_TESTS(UNIT(boxes_come_back_with_their_rows), UNIT(columns_come_back_with_their_rows),
           UNIT(pieces_end_at_sectors_and_at_the_ends_of_rows), UNIT(rows_that_touch_are_one),
           UNIT(places_without_an_order_are_one_row_from_the_lowest), UNIT(too_many_pieces_for_a_line_are_larger_ones))
