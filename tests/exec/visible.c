/* Device memory of a driver: its addresses belong to the process, and some blocks are there for the host as well. */
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "exec/memory.h"
#include "exec/memory/heap.h"
#include "tests/unit.h"

enum { PAGE = MEMORY_PAGE };

static struct memory *create(uint64_t capacity)
{
    struct status status = {0};
    struct memory *m = memory_create_visible(capacity, &status);
    if (!m)
        fail_msg("%s", status.text);
    return m;
}

static uint8_t *host_pointer(uint64_t address) { return (uint8_t *)(uintptr_t)address; }

/* Whether this process can read there, without trying. */
static bool readable(uint64_t address)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    bool ok = write(ends[1], host_pointer(address), 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return ok;
}

static void the_host_cannot_touch_device_memory_at_its_address(void **state)
{
    (void)state;
    struct memory *m = create(1 << 24);
    uint64_t a = memory_alloc(m, 4 * PAGE);
    assert_true(memory_ok(m, a, 4));
    memset(memory_at(m, a), 1, 4 * PAGE);
    for (unsigned i = 0; i < 4; i++)
        assert_false(readable(a + i * PAGE));
    assert_false(readable(m->base + m->limit - 1));
    memory_destroy(m);
}

static void a_visible_block_is_the_same_memory_at_both_places(void **state)
{
    (void)state;
    struct memory *m = create(1 << 24);
    uint64_t device = memory_alloc(m, 100), a = memory_alloc_visible(m, 3 * PAGE + 5), b = memory_alloc_visible(m, 1);
    assert_int_equal(a % PAGE, 0);
    assert_true(a && b && a != b);
    for (unsigned i = 0; i < 3 * PAGE + 5; i++) {
        assert_int_equal(host_pointer(a)[i], 0);
        host_pointer(a)[i] = (uint8_t)i;
        assert_int_equal(*memory_at(m, a + i), (uint8_t)i);
        *memory_at(m, a + i) = (uint8_t)(i + 1);
        assert_int_equal(host_pointer(a)[i], (uint8_t)(i + 1));
    }
    assert_true(memory_ok(m, a + 3 * PAGE + 4, 1));
    assert_false(memory_ok(m, a + 3 * PAGE + 5, 1));
    assert_int_equal(*host_pointer(b), 0);
    assert_false(readable(device));
    memory_destroy(m);
}

static void a_freed_visible_block_is_gone_and_comes_back_zero(void **state)
{
    (void)state;
    struct memory *m = create(1 << 24);
    uint64_t keep = memory_alloc_visible(m, PAGE), a = memory_alloc_visible(m, 2 * PAGE),
             last = memory_alloc_visible(m, PAGE);
    memset(host_pointer(keep), 3, PAGE);
    memset(host_pointer(last), 4, PAGE);
    for (unsigned round = 0; round < 3; round++) {
        memset(host_pointer(a), 7, 2 * PAGE);
        assert_true(memory_free(m, a));
        assert_false(readable(a));
        assert_false(memory_ok(m, a, 1));
        uint64_t again = round == 1 ? memory_alloc(m, 2 * PAGE) : memory_alloc_visible(m, 2 * PAGE);
        assert_int_equal(again, a);
        assert_int_equal(readable(a), round != 1);
        for (unsigned i = 0; i < 2 * PAGE; i++)
            assert_int_equal(*memory_at(m, a + i), 0);
        if (round == 1) { /* as a device's own block, then visible again */
            memset(memory_at(m, a), 9, 2 * PAGE);
            assert_true(memory_free(m, a));
            assert_int_equal(memory_alloc_visible(m, 2 * PAGE), a);
            assert_int_equal(host_pointer(a)[100], 0);
        }
    }
    assert_int_equal(host_pointer(keep)[PAGE - 1], 3);
    assert_int_equal(host_pointer(last)[0], 4);
    memory_destroy(m);
    assert_false(readable(keep));
}

static void the_device_holds_what_it_has_and_the_host_gives_its_own(void **state)
{
    (void)state;
    struct memory *m = create(1 << 20);
    assert_int_not_equal(memory_alloc_visible(m, 8 << 20), 0);
    assert_int_equal(m->allocated, 0);
    uint64_t a = memory_alloc(m, 1 << 20);
    assert_int_not_equal(a, 0);
    assert_int_equal(m->allocated, 1 << 20);
    assert_int_equal(memory_alloc(m, 1), 0);
    assert_int_equal(memory_backing(m, PAGE), -1);
    assert_true(memory_free(m, a));
    assert_int_equal(m->allocated, 0);
    memory_destroy(m);
}

static void blocks_lie_on_multiples_of_their_alignment(void **state)
{
    (void)state;
    struct memory *m = create(1 << 28);
    uint64_t kept[64] = {0};
    for (uint32_t i = 0, random = 5; i < 4000; i++) {
        random = random * 1664525 + 1013904223;
        unsigned n = random >> 26;
        if (kept[n]) {
            assert_int_equal(*memory_at(m, kept[n]), n + 1);
            assert_true(memory_free(m, kept[n]));
            kept[n] = 0;
            continue;
        }
        uint64_t alignment = UINT64_C(256) << (random >> 8) % 14, bytes = 1 + (random >> 12 & 0xffff);
        kept[n] = memory_alloc_aligned(m, bytes, alignment);
        assert_int_not_equal(kept[n], 0);
        assert_int_equal(kept[n] % alignment, 0);
        assert_int_equal(*memory_at(m, kept[n]), 0);
        assert_int_equal(*memory_at(m, kept[n] + bytes - 1), 0);
        assert_true(memory_ok(m, kept[n] + bytes - 1, 1));
        assert_false(memory_ok(m, kept[n] + bytes, 1));
        memset(memory_at(m, kept[n]), (int)n + 1, bytes);
    }
    for (unsigned n = 0; n < 64; n++)
        assert_true(!kept[n] || memory_free(m, kept[n]));
    assert_int_equal(m->block_count, 0);
    assert_int_equal(m->top, 0);
    assert_int_equal(m->allocated, 0);
    memory_destroy(m);
}

/* ---- reserved addresses ------------------------------------------------------------------------------------------ */

static void reserved_addresses_have_no_memory_until_it_is_mapped_and_allowed(void **state)
{
    (void)state;
    struct memory *m = create(1 << 24);
    uint64_t r = memory_reserve(m, 64 * PAGE, 1 << 21), other = memory_alloc(m, PAGE);
    uint8_t byte = 9;
    assert_int_equal(r % (1 << 21), 0);
    assert_int_equal(m->allocated, PAGE);
    assert_false(memory_ok(m, r, 1));
    assert_false(memory_write(m, r, &byte, 1));
    char place[200];
    memory_place(m, r + 16, place, sizeof place);
    assert_memory_equal(place, "16 bytes into the reserved range 0x", 35);
    assert_non_null(strstr(place, "(262144 bytes), where the device has no access"));
    int backing = memory_backing(m, 4 * PAGE);
    assert_true(backing >= 0);
    assert_int_equal(m->allocated, 5 * PAGE);
    assert_true(memory_map(m, r + 2 * PAGE, 4 * PAGE, backing, 0));
    assert_false(memory_ok(m, r + 2 * PAGE, 1));
    assert_true(memory_allow(m, r + 2 * PAGE, 4 * PAGE, true));
    assert_true(memory_ok(m, r + 2 * PAGE, 1));
    assert_true(memory_ok(m, r + 6 * PAGE - 1, 1));
    assert_false(memory_ok(m, r + 6 * PAGE, 1));
    assert_true(memory_write(m, r + 6 * PAGE - 1, &byte, 1));
    assert_true(memory_inside(m, r + 2 * PAGE, 4 * PAGE));
    assert_false(memory_inside(m, r + 2 * PAGE, 4 * PAGE + 1));
    assert_false(memory_inside(m, r + 2 * PAGE - 1, 2));
    assert_true(memory_map(m, r + 20 * PAGE, PAGE, backing, 3 * PAGE)); /* the same memory once more */
    assert_int_equal(*memory_at(m, r + 21 * PAGE - 1), 9);
    assert_true(memory_unmap(m, r + 2 * PAGE, 4 * PAGE));
    assert_false(memory_ok(m, r + 5 * PAGE, 1));
    assert_int_equal(*memory_at(m, r + 21 * PAGE - 1), 9);
    assert_false(memory_map(m, r + 63 * PAGE, 2 * PAGE, backing, 0));
    assert_false(memory_map(m, r + 1, PAGE, backing, 0));
    assert_false(memory_map(m, other, PAGE, backing, 0));
    assert_false(memory_unmap(m, other, PAGE));
    memory_backing_close(m, backing, 4 * PAGE);
    assert_int_equal(m->allocated, PAGE);
    assert_true(memory_free(m, r));
    assert_int_equal(memory_reserve(m, 64 * PAGE, 1 << 21), r);
    assert_int_equal(*memory_at(m, r + 21 * PAGE - 1), 0);
    memory_destroy(m);
}

static void access_can_be_taken_away_page_by_page(void **state)
{
    (void)state;
    struct memory *m = create(1 << 24);
    uint64_t r = memory_reserve(m, 4 * PAGE, PAGE);
    assert_true(memory_allow(m, r, 4 * PAGE, true));
    assert_true(memory_allow(m, r + PAGE, PAGE, false));
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(memory_ok(m, r + i * PAGE, 16), i != 1);
    char text[256];
    memory_place(m, r + PAGE + 5, text, sizeof text);
    assert_non_null(strstr(text, "4101 bytes into the reserved range 0x"));
    assert_non_null(strstr(text, "where the device has no access"));
    memory_place(m, r + 5, text, sizeof text);
    assert_null(strstr(text, "no access"));
    memory_destroy(m);
}

static void a_process_with_few_addresses_has_fewer_of_the_device(void **state)
{
    (void)state;
    struct rlimit before, few = {UINT64_C(48) << 30, RLIM_INFINITY};
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    few.rlim_max = before.rlim_max;
    if (setrlimit(RLIMIT_AS, &few) != 0)
        skip();
    /* A sanitizer has taken the addresses already: then there is nothing to ask. */
    uint64_t probe = UINT64_C(40) << 30;
    void *free_range = mmap(NULL, probe, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (free_range != MAP_FAILED)
        munmap(free_range, probe);
    struct status status = {0};
    struct memory *m = free_range != MAP_FAILED ? memory_create_visible(probe, &status) : NULL;
    setrlimit(RLIMIT_AS, &before);
    if (free_range == MAP_FAILED)
        skip();
    assert_non_null(m);
    assert_int_equal(status.code, STATUS_OK);
    assert_int_equal(m->capacity, UINT64_C(40) << 30);
    assert_true(m->limit <= UINT64_C(16) << 30);
    uint64_t p = memory_alloc(m, UINT64_C(1) << 29);
    assert_true(memory_ok(m, p + (1 << 29) - 1, 1));
    assert_int_equal(memory_alloc(m, UINT64_C(17) << 30), 0);
    memory_destroy(m);
}

/* ---- the device heap --------------------------------------------------------------------------------------------- */

static void the_device_heap_has_the_size_that_was_asked_for(void **state)
{
    (void)state;
    struct status status = {0};
    struct memory *m = create(1 << 26);
    assert_true(heap_resize(m, HEAP_MOST, &status)); /* no heap yet: none of it is taken */
    assert_false(heap_resize(m, HEAP_MOST + HEAP_UNIT, &status));
    status = (struct status){0};
    assert_true(heap_resize(m, 1 << 20, &status));
    assert_true(heap_prepare(m, &status));
    assert_int_equal(m->allocated, 1 << 20);
    assert_true(heap_resize(m, 1 << 24, &status)); /* nothing has used it yet */
    assert_int_equal(m->allocated, 1 << 24);
    uint64_t all = heap_alloc(m->heap, 1 << 24);
    assert_int_not_equal(all, 0);
    assert_int_equal(heap_alloc(m->heap, 16), 0);
    assert_true(heap_free(m->heap, all));
    assert_false(heap_resize(m, 1 << 20, &status));
    assert_non_null(strstr(status.text, "keeps its 16777216 bytes"));
    heap_clear(m->heap);
    heap_clear(NULL);
    assert_int_equal(heap_alloc(m->heap, 1 << 24), all);
    heap_clear(m->heap);
    assert_true(heap_resize(m, 1 << 20, &status)); /* as before the first use */
    memory_destroy(m);
    m = create(1 << 20);
    status = (struct status){0};
    assert_true(heap_prepare(m, &status) == false); /* 8 MiB of 1 */
    assert_true(heap_resize(m, 1 << 18, &status));
    assert_false(heap_resize(m, 1 << 18 | 8, &status));
    assert_true(heap_prepare(m, &status));
    memory_destroy(m);
}

UNIT_TESTS(UNIT(the_host_cannot_touch_device_memory_at_its_address),
           UNIT(a_visible_block_is_the_same_memory_at_both_places),
           UNIT(a_freed_visible_block_is_gone_and_comes_back_zero),
           UNIT(the_device_holds_what_it_has_and_the_host_gives_its_own),
           UNIT(blocks_lie_on_multiples_of_their_alignment),
           UNIT(reserved_addresses_have_no_memory_until_it_is_mapped_and_allowed),
           UNIT(access_can_be_taken_away_page_by_page), UNIT(a_process_with_few_addresses_has_fewer_of_the_device),
           UNIT(the_device_heap_has_the_size_that_was_asked_for))
