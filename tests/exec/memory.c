#include "exec/memory.h"
#include "tests/unit.h"

static struct memory *create(uint64_t limit)
{
    struct status status = {0};
    struct memory *m = memory_create(limit, &status);
    assert_non_null(m);
    return m;
}

static void an_access_is_good_up_to_the_last_byte_and_not_beyond(void **state)
{
    (void)state;
    struct memory *m = create(1 << 20);
    for (unsigned n = 1; n <= 600; n++) {
        uint64_t a = memory_alloc(m, n);
        assert_int_equal(a % MEMORY_GRANULE, 0);
        assert_true(memory_ok(m, a, 1));
        assert_true(memory_ok(m, a + n - 1, 1));
        assert_false(memory_ok(m, a + n, 1));
        assert_false(memory_ok(m, a - 1, 1));
        for (unsigned bytes = 2; bytes <= 32; bytes *= 2)
            for (uint64_t at = 0; at < n + 64; at += bytes)
                assert_int_equal(memory_ok(m, a + at, bytes), at + bytes <= n);
        assert_true(memory_free(m, a));
        assert_false(memory_ok(m, a, 1));
    }
    memory_destroy(m);
}

static void addresses_outside_of_the_range_are_never_good(void **state)
{
    (void)state;
    struct memory *m = create(1 << 16);
    assert_int_equal(memory_alloc(m, 1 << 16), MEMORY_BASE);
    const uint64_t bad[] = {0, 1, MEMORY_BASE - 1, MEMORY_BASE + (1 << 16), UINT64_MAX, UINT64_MAX - 31};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(memory_ok(m, bad[i], 1));
    assert_true(memory_ok(m, MEMORY_BASE + (1 << 16) - 32, 32));
    memory_destroy(m);
}

static void neighbours_are_kept_apart(void **state)
{
    (void)state;
    struct memory *m = create(1 << 20);
    uint64_t a = memory_alloc(m, 256), b = memory_alloc(m, 256);
    assert_int_equal(b - a, 512);
    assert_true(memory_ok(m, a + 255, 1));
    assert_false(memory_ok(m, a + 256, 1));
    memory_destroy(m);
}

static void the_same_calls_give_the_same_addresses(void **state)
{
    (void)state;
    struct memory *one = create(1 << 24), *two = create(1 << 24);
    uint64_t kept[64] = {0};
    for (uint32_t i = 0, random = 1; i < 4000; i++) {
        random = random * 1664525 + 1013904223;
        uint64_t *slot = &kept[random >> 8 & 63];
        if (*slot) {
            assert_true(memory_free(one, *slot));
            assert_true(memory_free(two, *slot));
            *slot = 0;
        } else {
            *slot = memory_alloc(one, random >> 16 & 0x3fff);
            assert_int_equal(memory_alloc(two, random >> 16 & 0x3fff), *slot);
        }
    }
    memory_destroy(one);
    memory_destroy(two);
}

/* A shadow of the granules' owners. */
static void live_allocations_never_overlap_and_freed_ranges_are_used_again(void **state)
{
    (void)state;
    enum { LIMIT = 1 << 20, SLOTS = 48 };
    struct memory *m = create(LIMIT);
    static uint8_t owner[LIMIT / MEMORY_GRANULE];
    struct {
        uint64_t address, bytes;
    } kept[SLOTS] = {{0, 0}};
    unsigned failures = 0;
    for (uint32_t i = 0, random = 7; i < 20000; i++) {
        random = random * 1664525 + 1013904223;
        unsigned n = (random >> 24) % SLOTS;
        uint64_t first = (kept[n].address - MEMORY_BASE) / MEMORY_GRANULE;
        uint64_t count = (kept[n].bytes + MEMORY_GRANULE - 1) / MEMORY_GRANULE;
        if (kept[n].address) {
            memset(owner + first, 0, count);
            assert_true(memory_free(m, kept[n].address));
            kept[n].address = 0;
            continue;
        }
        kept[n].bytes = 1 + (random >> 4 & 0x7fff);
        kept[n].address = memory_alloc(m, kept[n].bytes);
        failures += kept[n].address == 0;
        if (!kept[n].address)
            continue;
        first = (kept[n].address - MEMORY_BASE) / MEMORY_GRANULE;
        count = (kept[n].bytes + MEMORY_GRANULE - 1) / MEMORY_GRANULE;
        for (uint64_t g = first; g < first + count; g++) {
            assert_int_equal(owner[g], 0);
            owner[g] = 1;
        }
        const uint8_t *bytes = memory_at(m, kept[n].address);
        for (uint64_t k = 0; k < kept[n].bytes; k++)
            assert_int_equal(bytes[k], 0);
        memset(memory_at(m, kept[n].address), 0xa5, kept[n].bytes);
    }
    assert_true(failures < 2000);
    memory_destroy(m);
}

static void what_is_freed_can_be_allocated_as_a_whole(void **state)
{
    (void)state;
    struct memory *m = create(1 << 20);
    uint64_t part[16];
    for (unsigned i = 0; i < 16; i++)
        part[i] = memory_alloc(m, 60000);
    assert_int_equal(memory_alloc(m, 900000), 0);
    for (unsigned i = 0; i < 16; i++)
        assert_true(memory_free(m, part[(i * 5) % 16]));
    assert_int_equal(memory_alloc(m, 1 << 20), MEMORY_BASE);
    memory_destroy(m);
}

static void only_the_start_of_a_live_allocation_can_be_freed(void **state)
{
    (void)state;
    struct memory *m = create(1 << 20);
    uint64_t a = memory_alloc(m, 1000);
    assert_false(memory_free(m, a + 256));
    assert_false(memory_free(m, a + 4096));
    assert_false(memory_free(m, 0));
    assert_true(memory_free(m, a));
    assert_false(memory_free(m, a));
    memory_destroy(m);
}

static void nothing_is_given_beyond_the_limit(void **state)
{
    (void)state;
    struct memory *m = create(4096);
    assert_int_equal(memory_alloc(m, 4097), 0);
    assert_int_equal(memory_alloc(m, UINT64_MAX), 0);
    assert_int_not_equal(memory_alloc(m, 4096), 0);
    assert_int_equal(memory_alloc(m, 1), 0);
    memory_destroy(m);
}

static void host_copies_stay_inside_one_allocation(void **state)
{
    (void)state;
    struct memory *m = create(1 << 20);
    uint64_t a = memory_alloc(m, 100), b = memory_alloc(m, 100);
    char text[101];
    memset(text, 'x', sizeof text);
    assert_true(memory_write(m, a, text, 100));
    assert_false(memory_write(m, a, text, 101));
    assert_false(memory_write(m, a + 1, text, 100));
    assert_true(memory_write(m, a + 99, text, 1));
    assert_false(memory_write(m, a + 100, text, 1));
    assert_true(memory_write(m, a + 4096, text, 0));
    assert_true(memory_read(m, text, b, 100));
    assert_int_equal(text[0], 0);
    assert_false(memory_read(m, text, a, 1000));
    assert_false(memory_read(m, text, UINT64_MAX, 2));
    memory_destroy(m);
}

static void assert_described(const struct memory *m, uint64_t address, const char *expected)
{
    char text[200];
    memory_describe(m, address, text, sizeof text);
    assert_string_equal(text, expected);
}

static void an_address_is_described_by_the_nearest_allocation(void **state)
{
    (void)state;
    struct memory *m = create(1 << 20);
    assert_described(m, 4, "0x4 is outside of all allocations: there are none");
    uint64_t a = memory_alloc(m, 4096), b = memory_alloc(m, 512);
    (void)b;
    assert_described(m, a + 4096 + 12,
                     "0x70000000100c is 12 bytes past the end of the allocation 0x700000000000-0x700000001000 "
                     "(4096 bytes)");
    assert_described(m, a + 4096 + 250,
                     "0x7000000010fa is 6 bytes before the allocation 0x700000001100-0x700000001300 (512 bytes)");
    assert_described(m, a + 8,
                     "0x700000000008 is 8 bytes into the allocation 0x700000000000-0x700000001000 (4096 bytes)");
    assert_described(m, 0,
                     "0x0 is 123145302310912 bytes before the allocation 0x700000000000-0x700000001000 (4096 bytes)");
    assert_true(memory_free(m, a));
    assert_described(m, a + 8,
                     "0x700000000008 is in freed memory; the nearest is the allocation 0x700000001100-0x700000001300 "
                     "(512 bytes)");
    memory_destroy(m);
}

static void the_digest_sees_every_live_byte_and_no_other(void **state)
{
    (void)state;
    struct memory *m = create(1 << 20);
    uint64_t a = memory_alloc(m, 100), b = memory_alloc(m, 100);
    uint64_t clean = memory_digest(m);
    for (unsigned i = 0; i < 100; i++) {
        memory_at(m, a)[i] ^= 1;
        assert_int_not_equal(memory_digest(m), clean);
        memory_at(m, a)[i] ^= 1;
    }
    memory_at(m, a)[100] ^= 1;
    assert_int_equal(memory_digest(m), clean);
    assert_true(memory_free(m, b));
    assert_int_not_equal(memory_digest(m), clean);
    memory_destroy(m);
}

UNIT_TESTS(UNIT(an_access_is_good_up_to_the_last_byte_and_not_beyond),
           UNIT(addresses_outside_of_the_range_are_never_good), UNIT(neighbours_are_kept_apart),
           UNIT(the_same_calls_give_the_same_addresses),
           UNIT(live_allocations_never_overlap_and_freed_ranges_are_used_again),
           UNIT(what_is_freed_can_be_allocated_as_a_whole), UNIT(only_the_start_of_a_live_allocation_can_be_freed),
           UNIT(nothing_is_given_beyond_the_limit), UNIT(host_copies_stay_inside_one_allocation),
           UNIT(an_address_is_described_by_the_nearest_allocation), UNIT(the_digest_sees_every_live_byte_and_no_other))
