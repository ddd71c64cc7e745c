/* Code without a size: the choice from containers in memory, and the refusals. */
#include "cubin/code.h"

#include <zstd.h>

#include "cubin/fatbin.h"
#include "tests/cubin/fixture.h"

#define PLACE UINT64_C(0x10000) /* where the buffer appears to lie */

enum { ROOM = 1 << 16 };

struct place {
    uint8_t bytes[ROOM];
    size_t size; /* readable */
};

static bool read_place(void *self, void *to, uint64_t from, size_t bytes)
{
    const struct place *p = self;
    if (from < PLACE || from - PLACE > p->size || bytes > p->size - (from - PLACE))
        return false;
    memcpy(to, p->bytes + (from - PLACE), bytes);
    return true;
}

enum { KIND_PTX = 1, KIND_ELF = 2, LZ4 = 0x2000, ZSTD = 0x8000 };

/* Begins a container. */
static void begin(struct place *p)
{
    memset(p, 0, sizeof *p);
    put(p->bytes, FATBIN_MAGIC, 4);
    put(p->bytes + 4, 1, 2);
    put(p->bytes + 6, FATBIN_HEADER, 2);
    p->size = FATBIN_HEADER;
}

/* Adds an entry with stored bytes. `whole` is the size when these are unpacked. */
static void add_stored(struct place *p, unsigned kind, unsigned sm, uint64_t flags, const void *stored, size_t size,
                       size_t whole)
{
    uint8_t *e = p->bytes + p->size;
    size_t padded = (size + 7) / 8 * 8;
    put(e, kind, 2);
    put(e + 2, 0x101, 2);
    put(e + 4, FATBIN_ENTRY, 4);
    put(e + 8, padded, 8);
    put(e + 0x10, whole ? size : 0, 4);
    put(e + 0x1c, sm, 4);
    put(e + 0x28, flags, 8);
    put(e + 0x38, whole, 8);
    memcpy(e + FATBIN_ENTRY, stored, size);
    p->size += FATBIN_ENTRY + padded;
    put(p->bytes + 8, p->size - FATBIN_HEADER, 8);
}

static void add(struct place *p, unsigned kind, unsigned sm, uint64_t flags, const char *text)
{
    add_stored(p, kind, sm, flags, text, strlen(text) + 1, 0);
}

static enum cubin_code_answer find(struct place *p, uint64_t at, unsigned sm, bool ptx_only, struct cubin_code *code)
{
    struct status status = {0};
    const struct cubin_code_memory memory = {read_place, p};
    const struct cubin_code_wish wish = {sm, ptx_only};
    enum cubin_code_answer answer = cubin_code_find(code, &memory, at, &wish, &status);
    assert_int_equal(status.code == STATUS_OK, answer == CUBIN_CODE_FOUND);
    return answer;
}

/* The image that a device gets from the container, by its text. */
static void expect(struct place *p, unsigned sm, const char *text)
{
    struct cubin_code code;
    struct cubin_bytes bytes;
    struct status status = {0};
    uint8_t *owned;
    enum cubin_code_answer answer = find(p, PLACE, sm, false, &code);
    if (!text) {
        assert_int_equal(answer, CUBIN_CODE_NONE);
        assert_null(code.stored);
        return;
    }
    assert_int_equal(answer, CUBIN_CODE_FOUND);
    assert_true(cubin_code_unpack(&code, &bytes, &owned, &status));
    assert_string_equal((const char *)bytes.data, text);
    free(owned);
    cubin_code_free(&code);
}

static void the_own_architecture_comes_first_and_then_the_highest_below_of_its_generation(void **state)
{
    (void)state;
    struct place p;
    begin(&p);
    add(&p, KIND_ELF, 75, 0x11, "75");
    add(&p, KIND_ELF, 86, 0x11, "86");
    add(&p, KIND_ELF, 80, 0x11, "80");
    add(&p, KIND_PTX, 80, 0x11, "ptx80");
    expect(&p, 75, "75");
    expect(&p, 80, "80");
    expect(&p, 86, "86");
    expect(&p, 87, "86");
    expect(&p, 89, "86");
    expect(&p, 90, "ptx80");
    expect(&p, 120, "ptx80");
    expect(&p, 70, NULL);
}

static void code_for_one_architecture_runs_on_no_other(void **state)
{
    (void)state;
    struct place p;
    begin(&p);
    add(&p, KIND_ELF, 90, 0x11, "90");
    add(&p, KIND_ELF, 90, 0x11 | FATBIN_ARCHITECTURE, "90a");
    add(&p, KIND_ELF, 100, 0x11 | FATBIN_ARCHITECTURE, "100a");
    add(&p, KIND_PTX, 100, 0x11 | FATBIN_ARCHITECTURE, "ptx100a");
    add(&p, KIND_ELF, 103, 0x11, "103");
    expect(&p, 90, "90a");
    expect(&p, 100, "100a");
    expect(&p, 103, "103");
    expect(&p, 107, "103");
    expect(&p, 120, NULL);
}

static void code_for_a_family_runs_within_it(void **state)
{
    (void)state;
    struct place p;
    begin(&p);
    add(&p, KIND_ELF, 100, 0x11 | FATBIN_FAMILY, "100f");
    add(&p, KIND_ELF, 120, 0x11 | FATBIN_FAMILY, "120f");
    add(&p, KIND_PTX, 120, 0x11 | FATBIN_FAMILY, "ptx120f");
    add(&p, KIND_PTX, 110, 0x11 | FATBIN_FAMILY, "ptx110f");
    expect(&p, 100, "100f");
    expect(&p, 103, "100f");
    expect(&p, 110, "ptx110f");
    expect(&p, 120, "120f");
    expect(&p, 121, "120f");
    expect(&p, 122, NULL);
}

static void ptx_of_the_highest_architecture_not_above_is_taken(void **state)
{
    (void)state;
    struct place p;
    struct cubin_code code;
    begin(&p);
    add(&p, KIND_PTX, 75, 0x11, "ptx75");
    add(&p, KIND_PTX, 86, 0x11, "ptx86");
    add(&p, KIND_PTX, 90, 0x11, "ptx90");
    add(&p, KIND_ELF, 80, 0x11, "80");
    expect(&p, 89, "80");
    expect(&p, 75, "ptx75");
    expect(&p, 120, "ptx90");
    assert_int_equal(find(&p, PLACE, 89, true, &code), CUBIN_CODE_FOUND);
    assert_string_equal((const char *)code.stored, "ptx86");
    cubin_code_free(&code);
}

static void both_compressions_are_unpacked(void **state)
{
    (void)state;
    static const char text[] = "abcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabc";
    /* Three literals, a match of 44 bytes at distance 3, and the last five bytes as literals. */
    static const uint8_t lz4[] = {0x3f, 'a', 'b', 'c', 3, 0, 25, 0x50, 'c', 'a', 'b', 'c', 0};
    struct place p;
    uint8_t packed[256];
    size_t size = ZSTD_compress(packed, sizeof packed, text, sizeof text, 3);
    begin(&p);
    add_stored(&p, KIND_ELF, 80, 0x11 | ZSTD, packed, size, sizeof text);
    expect(&p, 80, text);
    begin(&p);
    add_stored(&p, KIND_ELF, 80, 0x11 | LZ4, lz4, sizeof lz4, sizeof text);
    expect(&p, 80, text);
}

static void a_wrapper_leads_to_its_container(void **state)
{
    (void)state;
    struct place p;
    struct cubin_code code;
    begin(&p);
    add(&p, KIND_ELF, 80, 0x11, "80");
    uint8_t *w = p.bytes + p.size;
    put(w, 0x466243b1, 4);
    put(w + 4, 1, 4);
    put(w + 8, PLACE, 8);
    uint64_t at = PLACE + p.size;
    p.size += 24;
    assert_int_equal(find(&p, at, 80, false, &code), CUBIN_CODE_FOUND);
    assert_string_equal((const char *)code.stored, "80");
    cubin_code_free(&code);
    put(w + 8, 12, 8);
    assert_int_equal(find(&p, at, 80, false, &code), CUBIN_CODE_WRONG);
    put(w + 8, at, 8);
    assert_int_equal(find(&p, at, 80, false, &code), CUBIN_CODE_WRONG);
    p.size -= 1;
    assert_int_equal(find(&p, at, 80, false, &code), CUBIN_CODE_WRONG);
}

static void a_cubin_ends_where_its_headers_say(void **state)
{
    (void)state;
    struct file_bytes file = fixture_read("tests/cubin/data/probe.sm_80.cuda12.cubin");
    struct place p = {.size = 0};
    struct cubin_code code;
    assert_true(file.size + 100 < ROOM);
    memcpy(p.bytes, file.data, file.size);
    p.size = ROOM;
    assert_int_equal(find(&p, PLACE, 80, false, &code), CUBIN_CODE_FOUND);
    assert_int_equal(code.image.kind, CUBIN_IMAGE_ELF);
    assert_int_equal(code.image.stored_bytes, file.size);
    cubin_code_free(&code);
    for (size_t size = 0; size < file.size; size += 7) {
        p.size = size;
        assert_int_equal(find(&p, PLACE, 80, false, &code), CUBIN_CODE_WRONG);
    }
    file_free(&file);
}

static void ptx_is_text_up_to_a_zero_byte(void **state)
{
    (void)state;
    static const char ptx[] = "\n//\n.version 9.0\n.target sm_90\n";
    struct place p = {.size = sizeof ptx};
    struct cubin_code code;
    memcpy(p.bytes, ptx, sizeof ptx);
    assert_int_equal(find(&p, PLACE, 80, false, &code), CUBIN_CODE_FOUND);
    assert_int_equal(code.image.kind, CUBIN_IMAGE_PTX);
    assert_int_equal(code.image.stored_bytes, sizeof ptx - 1);
    assert_string_equal((const char *)code.stored, ptx);
    cubin_code_free(&code);
    p.size = sizeof ptx - 1;
    assert_int_equal(find(&p, PLACE, 80, false, &code), CUBIN_CODE_WRONG);
    memset(p.bytes, 'x', sizeof ptx - 1);
    p.size = ROOM;
    assert_int_equal(find(&p, PLACE, 80, false, &code), CUBIN_CODE_WRONG);
}

static void a_container_that_is_cut_anywhere_is_refused(void **state)
{
    (void)state;
    struct place p;
    struct cubin_code code;
    begin(&p);
    add(&p, KIND_ELF, 75, 0x11, "of another device");
    add(&p, KIND_ELF, 80, 0x11, "this one");
    size_t whole = p.size;
    for (size_t size = 0; size < whole; size++) {
        p.size = size;
        assert_int_equal(find(&p, PLACE, 80, false, &code), CUBIN_CODE_WRONG);
    }
    p.size = whole;
    assert_int_equal(find(&p, PLACE, 80, false, &code), CUBIN_CODE_FOUND);
    cubin_code_free(&code);
}

struct patch {
    size_t offset;
    uint64_t value;
    unsigned bytes;
};

static void wrong_fields_of_a_container_are_refused(void **state)
{
    (void)state;
    /* In the container: version, header size, size; in its entry: header size, payload, compressed size. */
    static const struct patch patches[] = {
        {4, 2, 2},    {6, 15, 2},          {8, UINT64_MAX, 8}, {8, 63, 8},      {20, 63, 4},
        {20, ~0u, 4}, {24, UINT64_MAX, 8}, {24, 9, 8},         {32, 0xffff, 4},
    };
    for (size_t i = 0; i < sizeof patches / sizeof *patches; i++) {
        struct place p;
        struct cubin_code code;
        begin(&p);
        add(&p, KIND_ELF, 80, 0x11, "80");
        put(p.bytes + patches[i].offset, patches[i].value, patches[i].bytes);
        assert_int_equal(find(&p, PLACE, 80, false, &code), CUBIN_CODE_WRONG);
    }
}

UNIT_TESTS(UNIT(the_own_architecture_comes_first_and_then_the_highest_below_of_its_generation),
           UNIT(code_for_one_architecture_runs_on_no_other), UNIT(code_for_a_family_runs_within_it),
           UNIT(ptx_of_the_highest_architecture_not_above_is_taken), UNIT(both_compressions_are_unpacked),
           UNIT(a_wrapper_leads_to_its_container), UNIT(a_cubin_ends_where_its_headers_say),
           UNIT(ptx_is_text_up_to_a_zero_byte), UNIT(a_container_that_is_cut_anywhere_is_refused),
           UNIT(wrong_fields_of_a_container_are_refused))
