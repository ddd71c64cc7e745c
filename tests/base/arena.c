/* Memory that is given back all at once. */
#include "base/arena.h"

#include <string.h>

#include "base/host_line.h"
#include "tests/unit.h"

enum { MEBI = 1 << 20 };

static void pieces_are_zeros_from_a_cache_line_on_and_do_not_overlap(void **state)
{
    (void)state;
    enum { PIECES = 3000 };
    struct arena arena = {0};
    uint8_t *piece[PIECES];
    for (unsigned i = 0; i < PIECES; i++) {
        size_t bytes = i % 97 * 100 + 1;
        piece[i] = arena_take(&arena, bytes);
        assert_non_null(piece[i]);
        assert_int_equal((uintptr_t)piece[i] % HOST_LINE, 0);
        for (size_t k = 0; k < bytes; k++)
            assert_int_equal(piece[i][k], 0);
        memset(piece[i], (int)(i % 255 + 1), bytes);
    }
    for (unsigned i = 0; i < PIECES; i++)
        for (size_t k = 0; k < i % 97 * 100 + 1; k++)
            assert_int_equal(piece[i][k], i % 255 + 1);
    arena_free(&arena);
}

static void a_piece_can_be_larger_than_a_chunk_and_an_arena_used_again(void **state)
{
    (void)state;
    struct arena arena = {0};
    for (unsigned again = 0; again < 2; again++) {
        uint8_t *small = arena_take(&arena, 1), *large = arena_take(&arena, 33 * (size_t)MEBI);
        assert_true(small && large && !small[0] && !large[0] && !large[33 * (size_t)MEBI - 1]);
        small[0] = large[0] = large[33 * (size_t)MEBI - 1] = 1;
        arena_free(&arena);
        assert_null(arena.chunks);
    }
}

UNIT_TESTS(UNIT(pieces_are_zeros_from_a_cache_line_on_and_do_not_overlap),
           UNIT(a_piece_can_be_larger_than_a_chunk_and_an_arena_used_again))
