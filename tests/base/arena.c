/* Memory that is given back all at once. */
#include "base/arena.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/host_line.h"
#include "base/team.h"
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
        piece[i] = i % 3 ? arena_take(&arena, bytes) : arena_take_sparse(&arena, bytes);
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

static void a_sparse_piece_takes_only_the_pages_that_are_touched(void **state)
{
    (void)state;
    struct arena arena = {0};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char resident = 1;
    uint8_t *piece = arena_take_sparse(&arena, MEBI);
    piece[0] = 1;
    uint8_t *last = piece + MEBI - 1, *at = last - (uintptr_t)last % page;
    assert_int_equal(mincore(at, page, &resident), 0);
    assert_int_equal(resident & 1, 0);
    *last = 1;
    assert_int_equal(mincore(at, page, &resident), 0);
    assert_int_equal(resident & 1, 1);
    arena_free(&arena);
}

static void a_larger_piece_begins_with_what_was_in_the_smaller_one(void **state)
{
    (void)state;
    struct arena arena = {0};
    uint8_t *piece = arena_take(&arena, 100);
    memset(piece, 7, 100);
    piece = arena_more(&arena, piece, 100, 200);
    for (unsigned i = 0; i < 200; i++)
        assert_int_equal(piece[i], i < 100 ? 7 : 0);
    assert_non_null(arena_more(&arena, NULL, 0, 64));
    arena_free(&arena);
}

enum { TAKERS = 4, EACH = 2000, BYTES = 192 };

struct takers {
    struct arena arena;
    uint8_t *piece[TAKERS][EACH];
};

static void take_many(void *context, unsigned index)
{
    struct takers *t = context;
    for (unsigned i = 0; i < EACH; i++) {
        t->piece[index][i] = arena_take(&t->arena, BYTES);
        memset(t->piece[index][i], (int)(index + 1), BYTES);
    }
}

static void threads_that_take_at_once_get_pieces_of_their_own(void **state)
{
    (void)state;
    struct takers *t = calloc(1, sizeof *t);
    struct team *team = team_create(TAKERS);
    assert_true(t && team);
    team_run(team, TAKERS, take_many, t);
    for (unsigned index = 0; index < TAKERS; index++)
        for (unsigned i = 0; i < EACH; i++)
            for (unsigned k = 0; k < BYTES; k++)
                assert_int_equal(t->piece[index][i][k], index + 1);
    team_destroy(team);
    arena_free(&t->arena);
    free(t);
}

UNIT_TESTS(UNIT(pieces_are_zeros_from_a_cache_line_on_and_do_not_overlap),
           UNIT(a_piece_can_be_larger_than_a_chunk_and_an_arena_used_again),
           UNIT(a_sparse_piece_takes_only_the_pages_that_are_touched),
           UNIT(a_larger_piece_begins_with_what_was_in_the_smaller_one),
           UNIT(threads_that_take_at_once_get_pieces_of_their_own))
