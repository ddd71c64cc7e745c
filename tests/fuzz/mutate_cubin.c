/* Damages cubins, fatbins and host files in thousands of ways and reads each one. The mutations come from a seed and
 * are the same in every run. The conditions are in exercise.c, and the sanitizers see the rest. */
#include "base/file.h"
#include "base/hash.h"
#include "cubin/cubin.h"
#include "tests/fuzz/exercise.h"
#include "tests/unit.h"

#include <glob.h>

enum {
    CORPUS_MAX = 128,
    FLIPS = 4000,
    SPLICES = 4000,
    FIELDS = 8000,
    LINES = 20000,
    GROWTH_MAX = 4096, /* bytes that a splice may add */
    FIELD_SIZE = 8
};

struct corpus {
    struct file_bytes file[CORPUS_MAX];
    size_t count;
};

struct random {
    uint64_t seed, step;
};

static uint64_t draw(struct random *r, uint64_t below) { return hash_mix(r->seed ^ hash_mix(r->step++)) % below; }

/* A copy of a file with room to grow. */
struct mutant {
    uint8_t *data;
    size_t size;
};

static struct mutant copy_of(const struct file_bytes *file)
{
    struct mutant m = {malloc(file->size + GROWTH_MAX), file->size};
    assert_non_null(m.data);
    memcpy(m.data, file->data, file->size);
    return m;
}

static void run_and_free(struct mutant *m)
{
    exercise(m->data, m->size);
    free(m->data);
}

/* ---- corpus ------------------------------------------------------------------------------------------------------ */

static void add_files(struct corpus *c, const char *pattern)
{
    char full[4096];
    glob_t found;
    assert_int_equal(glob(unit_path(full, pattern), 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc && c->count < CORPUS_MAX; i++) {
        struct status status = {0};
        if (!file_read(found.gl_pathv[i], 1 << 20, &c->file[c->count++], &status))
            fail_msg("%s", status.text);
    }
    globfree(&found);
}

static int open_corpus(void **state)
{
    struct corpus *c = calloc(1, sizeof *c);
    *state = c;
    add_files(c, "tests/cubin/data/*.cubin");
    add_files(c, "tests/cubin/data/*.fatbin");
    add_files(c, "tests/cubin/data/*.elf");
    add_files(c, "examples/cubin/*.cubin");
    return 0;
}

static int close_corpus(void **state)
{
    struct corpus *c = *state;
    for (size_t i = 0; i < c->count; i++)
        file_free(&c->file[i]);
    free(c);
    return 0;
}

/* Most mutations go to the small files, which have all the structure and less code. */
static const struct file_bytes *pick(const struct corpus *c, struct random *r)
{
    for (;;) {
        const struct file_bytes *f = &c->file[draw(r, c->count)];
        if (f->size < 24000 || draw(r, 8) == 0)
            return f;
    }
}

/* ---- where the fields are ---------------------------------------------------------------------------------------- */

static uint64_t get(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

static void set(uint8_t *p, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        p[i] = (uint8_t)(value >> 8 * i);
}

struct section {
    uint64_t header, offset, size;
    uint32_t type;
};

static bool is_elf(const struct mutant *m) { return m->size >= 64 && memcmp(m->data, "\177ELF", 4) == 0; }

static uint64_t section_count(const struct mutant *m) { return is_elf(m) ? get(m->data + 60, 2) : 0; }

/* The files of the corpus are well formed, so this needs no checks. */
static struct section section_at(const struct mutant *m, uint64_t index)
{
    uint64_t header = get(m->data + 40, 8) + 64 * index;
    const uint8_t *p = m->data + header;
    struct section s = {header, get(p + 24, 8), get(p + 32, 8), (uint32_t)get(p + 4, 4)};
    if (s.type == 8 || s.type == 0)
        s.size = 0;
    return s;
}

static uint64_t interesting(struct random *r, const struct mutant *m)
{
    static const uint64_t values[] = {0,
                                      1,
                                      2,
                                      7,
                                      8,
                                      15,
                                      16,
                                      0x40,
                                      0x7f,
                                      0x80,
                                      0xff,
                                      0xfff0,
                                      0xffff,
                                      0x10000,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      0x100000000,
                                      INT64_MAX,
                                      UINT64_C(1) << 63,
                                      UINT64_MAX - 63,
                                      UINT64_MAX};
    switch (draw(r, 4)) {
    case 0: return m->size - draw(r, 3);
    case 1: return draw(r, m->size + 1);
    default: return values[draw(r, sizeof values / sizeof *values)];
    }
}

/* Writes an interesting value of 1, 2, 4 or 8 bytes over, or adds a little to, the bytes at `at`. */
static void disturb(struct mutant *m, struct random *r, uint64_t at)
{
    unsigned bytes = 1u << draw(r, 4);
    if (at > m->size || m->size - at < FIELD_SIZE)
        return;
    uint64_t old = get(m->data + at, bytes);
    set(m->data + at, draw(r, 3) == 0 ? old + draw(r, 33) - 16 : interesting(r, m), bytes);
}

/* Sections whose contents are structure: symbols, relocations, attributes, strings, line tables; not code. */
static bool is_structure(const struct mutant *m, const struct section *s)
{
    static const char *const prefixes[] = {".nv.info", ".debug_line",   ".symtab",    ".strtab",       ".shstrtab",
                                           ".rel",     ".nv.constant2", ".nv_fatbin", "__nv_relfatbin"};
    struct section names = section_at(m, get(m->data + 62, 2));
    const char *name = (const char *)m->data + names.offset + get(m->data + s->header, 4);
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return s->size > 0;
    return false;
}

static uint64_t structure_offset(const struct mutant *m, struct random *r)
{
    for (int attempt = 0; attempt < 64; attempt++) {
        struct section s = section_at(m, draw(r, section_count(m)));
        if (is_structure(m, &s))
            return s.offset + (draw(r, 2) == 0 ? draw(r, s.size) : draw(r, s.size) / 4 * 4);
    }
    return 0;
}

/* Of a fatbin: the container header, or somewhere in the first part of an entry. */
static uint64_t fatbin_offset(const struct mutant *m, struct random *r)
{
    uint64_t at = 16;
    for (uint64_t steps = draw(r, 4); steps > 0; steps--) {
        uint64_t next = at + get(m->data + at + 4, 4) + get(m->data + at + 8, 8);
        at = next + 64 <= m->size ? next : at;
    }
    return draw(r, 4) == 0 ? draw(r, 16) : at + draw(r, 80);
}

static uint64_t field_offset(const struct mutant *m, struct random *r)
{
    static const uint8_t header_fields[] = {7, 16, 18, 32, 40, 48, 52, 58, 60, 62};
    static const uint8_t section_fields[] = {0, 4, 8, 16, 24, 32, 40, 44, 48, 56};
    if (!is_elf(m))
        return fatbin_offset(m, r);
    switch (draw(r, 5)) {
    case 0: return header_fields[draw(r, sizeof header_fields)];
    case 1:
    case 2: return section_at(m, draw(r, section_count(m))).header + section_fields[draw(r, sizeof section_fields)];
    default: return structure_offset(m, r);
    }
}

/* ---- the mutations ----------------------------------------------------------------------------------------------- */

static size_t truncate_at(const struct file_bytes *file, uint64_t size)
{
    if (size > file->size)
        return 0;
    exercise(file->data, (size_t)size);
    return 1;
}

static size_t truncate_around(const struct file_bytes *file, uint64_t size)
{
    return truncate_at(file, size - 1) + truncate_at(file, size) + truncate_at(file, size + 1);
}

static void files_cut_at_every_boundary_are_read_to_an_end(void **state)
{
    const struct corpus *c = *state;
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++) {
        const struct mutant m = {c->file[i].data, c->file[i].size};
        for (uint64_t size = 0; size < 96; size++)
            count += truncate_at(&c->file[i], size);
        for (uint64_t k = 0; k < section_count(&m); k++) {
            struct section s = section_at(&m, k);
            count += truncate_around(&c->file[i], s.header) + truncate_around(&c->file[i], s.offset + s.size);
        }
        for (uint64_t size = 96; !is_elf(&m) && size < m.size; size += 7)
            count += truncate_at(&c->file[i], size);
        count += truncate_at(&c->file[i], m.size);
    }
    print_message("# %zu truncations\n", count);
    assert_true(count >= 3000);
}

static void flipped_bits_are_read_to_an_end(void **state)
{
    struct random r = {.seed = 1};
    for (size_t i = 0; i < FLIPS; i++) {
        struct mutant m = copy_of(pick(*state, &r));
        for (uint64_t flips = 1 + draw(&r, 8); flips > 0; flips--)
            m.data[draw(&r, m.size)] ^= (uint8_t)(1u << draw(&r, 8));
        run_and_free(&m);
    }
}

/* Overwrites, inserts or removes a range. The bytes come from any file of the corpus. */
static void splice(struct mutant *m, const struct file_bytes *from, struct random *r)
{
    size_t length = (size_t)draw(r, draw(r, 2) == 0 ? 32 : 512), at = (size_t)draw(r, m->size);
    size_t start = (size_t)draw(r, from->size);
    length = length > from->size - start ? from->size - start : length;
    length = length > m->size - at ? m->size - at : length;
    uint8_t *p = m->data + at;
    switch (draw(r, 3)) {
    case 0: break;
    case 1:
        memmove(p + length, p, m->size - at);
        m->size += length;
        break;
    default:
        memmove(p, p + length, m->size - at - length);
        m->size -= length;
        return;
    }
    memcpy(p, from->data + start, length);
}

static void spliced_files_are_read_to_an_end(void **state)
{
    struct random r = {.seed = 2};
    for (size_t i = 0; i < SPLICES; i++) {
        struct mutant m = copy_of(pick(*state, &r));
        for (uint64_t splices = 1 + draw(&r, 3); splices > 0 && m.size > 0; splices--)
            splice(&m, pick(*state, &r), &r);
        run_and_free(&m);
    }
}

static void disturbed_fields_are_read_to_an_end(void **state)
{
    struct random r = {.seed = 3};
    for (size_t i = 0; i < FIELDS; i++) {
        struct mutant m = copy_of(pick(*state, &r));
        uint64_t offsets[4], count = 1 + draw(&r, 4);
        for (uint64_t k = 0; k < count; k++)
            offsets[k] = field_offset(&m, &r);
        for (uint64_t k = 0; k < count; k++)
            disturb(&m, &r, offsets[k]);
        run_and_free(&m);
    }
}

static void flip_words(struct random *r, unsigned sm, struct cubin_bytes code)
{
    for (size_t pc = 0; pc + 16 <= code.size; pc += 16) {
        uint64_t word[2];
        memcpy(word, code.data + pc, sizeof word);
        for (uint64_t flips = 1 + draw(r, 3); flips > 0; flips--) {
            uint64_t bit = draw(r, 105); /* not the control bits */
            word[bit / 64] ^= UINT64_C(1) << bit % 64;
        }
        exercise_word(sm, (struct word128){word[0], word[1]}, (uint32_t)pc);
    }
}

static void instructions_with_flipped_bits_decode_or_are_refused(void **state)
{
    const struct corpus *c = *state;
    struct random r = {.seed = 5};
    for (size_t i = 0; i < c->count; i++) {
        struct cubin cubin;
        struct status status = {0};
        if (!cubin_open(&cubin, (struct cubin_bytes){c->file[i].data, c->file[i].size}, "corpus", &status))
            continue;
        for (size_t k = 0; k < cubin.kernel_count; k++)
            for (int round = 0; round < 4; round++)
                flip_words(&r, cubin.sm, cubin.kernels[k].code);
        cubin_close(&cubin);
    }
}

/* Version 5, which nvcc 13 does not write: two directories, two files, a short program. */
/* clang-format off */
static const uint8_t line_table[] = {
    97, 0, 0, 0, 5, 0, 8, 0, 73, 0, 0, 0, 1, 1, 1, 0xfd, 12, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1,
    1, 1, 0x1f, 2, 0, 0, 0, 0, 5, 0, 0, 0,                                /* directories, in .debug_line_str */
    3, 1, 0x08, 2, 0x0b, 5, 0x1e, 2,                                      /* files: name, directory, MD5 */
    'a', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    'b', 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 9, 2, 0, 16, 0, 0, 0, 0, 0, 0, 1, 209, 0, 1, 1};                    /* set_address, two rows, end_sequence */
/* clang-format on */

static void line_tables_of_version_5_are_read_to_an_end(void **state)
{
    (void)state;
    struct random r = {.seed = 4};
    assert_int_equal(exercise_lines(line_table, sizeof line_table), 2);
    for (size_t i = 0; i < LINES; i++) {
        uint8_t bytes[sizeof line_table];
        memcpy(bytes, line_table, sizeof bytes);
        for (uint64_t changes = draw(&r, 5); changes > 0; changes--)
            bytes[draw(&r, sizeof bytes)] = (uint8_t)(draw(&r, 2) == 0 ? draw(&r, 256) : draw(&r, 40));
        exercise_lines(bytes, draw(&r, 4) == 0 ? (size_t)draw(&r, sizeof bytes) : sizeof bytes);
    }
}

static void undamaged_files_are_read_too(void **state)
{
    const struct corpus *c = *state;
    assert_true(c->count >= 50);
    for (size_t i = 0; i < c->count; i++)
        exercise(c->file[i].data, c->file[i].size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {UNIT(undamaged_files_are_read_too),
                                       UNIT(files_cut_at_every_boundary_are_read_to_an_end),
                                       UNIT(flipped_bits_are_read_to_an_end),
                                       UNIT(spliced_files_are_read_to_an_end),
                                       UNIT(disturbed_fields_are_read_to_an_end),
                                       UNIT(line_tables_of_version_5_are_read_to_an_end),
                                       UNIT(instructions_with_flipped_bits_decode_or_are_refused)};
    return cmocka_run_group_tests(tests, open_corpus, close_corpus);
}
