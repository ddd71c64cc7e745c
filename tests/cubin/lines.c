/* Source lines, against readelf --debug-dump=decodedline of the same fixtures, and made-up line tables. */
#include "cubin/line.h"
#include "tests/cubin/fixture.h"

struct expected_row {
    uint32_t pc, line;
    const char *file;
};

static void expect_rows(const struct fixture *f, const char *kernel, const struct expected_row *expected, size_t count)
{
    struct cubin_line *rows;
    size_t n = cubin_lines(&f->cubin, fixture_kernel(f, kernel), &rows);
    assert_int_equal(n, count);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(rows[i].pc, expected[i].pc);
        assert_int_equal(rows[i].line, expected[i].line);
        assert_string_equal(cubin_line_file(&f->cubin, rows[i].file), expected[i].file);
        assert_string_equal(cubin_line_directory(&f->cubin, rows[i].file), "/subcore/tests/cubin");
    }
    free(rows);
}

static void each_kernel_gets_the_rows_of_its_own_sequence(void **state)
{
    (void)state;
    static const struct expected_row first[] = {{0x00, 4, "lines.cu"},
                                                {0x10, 6, "lines.cu"},
                                                {0x60, 4, "lines.h"},
                                                {0x70, 7, "lines.cu"},
                                                {0x80, 8, "lines.cu"}};
    static const struct expected_row second[] = {
        {0x00, 10, "lines.cu"}, {0x10, 12, "lines.cu"}, {0x70, 13, "lines.cu"}};
    struct fixture f = fixture_open("tests/cubin/data/lines.sm_89.cubin");
    expect_rows(&f, "first", first, 5);
    expect_rows(&f, "second", second, 3);
    fixture_close(&f);
}

static void rows_ascend_and_name_the_source_on_every_architecture(void **state)
{
    (void)state;
    static const char *const files[] = {"tests/cubin/data/lines.sm_75.cubin", "tests/cubin/data/lines.sm_89.cubin",
                                        "tests/cubin/data/lines.sm_100.cubin", "tests/cubin/data/lines.sm_120.cubin"};
    for (size_t i = 0; i < 4; i++) {
        struct fixture f = fixture_open(files[i]);
        const struct cubin_kernel *k = fixture_kernel(&f, "first");
        struct cubin_line *rows;
        size_t n = cubin_lines(&f.cubin, k, &rows);
        bool inlined = false;
        assert_true(n >= 4);
        assert_int_equal(rows[0].pc, 0);
        for (size_t r = 0; r < n; r++) {
            bool header = strcmp(cubin_line_file(&f.cubin, rows[r].file), "lines.h") == 0;
            assert_true(r == 0 || rows[r].pc > rows[r - 1].pc);
            assert_true(rows[r].pc < k->code.size && rows[r].pc % 16 == 0);
            assert_true(header ? rows[r].line == 4 : rows[r].line >= 4 && rows[r].line <= 8);
            inlined |= header;
        }
        assert_true(inlined);
        free(rows);
        fixture_close(&f);
    }
}

static void a_module_without_line_information_has_no_rows(void **state)
{
    (void)state;
    struct fixture f = fixture_open("tests/cubin/data/probe.sm_89.cubin");
    struct cubin_line *rows;
    assert_int_equal(cubin_lines(&f.cubin, fixture_kernel(&f, "mixed"), &rows), 0);
    assert_null(rows);
    assert_null(cubin_line_file(&f.cubin, 0));
    assert_null(cubin_line_directory(&f.cubin, 0));
    fixture_close(&f);
}

static void a_damaged_table_leaves_the_module_usable_and_says_so(void **state)
{
    (void)state;
    struct fixture f = fixture_open("tests/cubin/data/lines.sm_89.cubin");
    uint8_t *table = fixture_contents(&f, ".debug_line");
    char expected[256];
    snprintf(expected, sizeof expected,
             "damaged: section %zu (.debug_line): unit at 0x%zx: unknown version of the line table",
             fixture_section(&f.cubin, ".debug_line"), (size_t)(table - f.file.data));
    put(table + 4, 9, 2);
    struct cubin c;
    struct cubin_line *rows;
    struct status status = {0};
    assert_true(cubin_open(&c, fixture_view(f.file), "damaged", &status));
    assert_int_equal(c.line_status.code, STATUS_FORMAT);
    assert_string_equal(c.line_status.text, expected);
    assert_int_equal(cubin_lines(&c, &c.kernels[0], &rows), 0);
    cubin_close(&c);
    fixture_close(&f);
}

/* Rows of the first kernel in a file whose .debug_line has lost its relocations. */
static size_t rows_without_relocations(const char *path, const char *table, size_t *before)
{
    struct fixture f = fixture_open(path);
    struct cubin_line *rows;
    struct cubin c;
    struct status status = {0};
    *before = cubin_lines(&f.cubin, &f.cubin.kernels[0], &rows);
    free(rows);
    put(fixture_header(&f, table) + 4, 1, 4);
    assert_true(cubin_open(&c, fixture_view(f.file), "unrelocated", &status));
    size_t after = cubin_lines(&c, &c.kernels[0], &rows);
    free(rows);
    cubin_close(&c);
    fixture_close(&f);
    return after;
}

static void without_relocations_rows_can_only_be_those_of_a_single_kernel(void **state)
{
    (void)state;
    size_t before, after;
    after = rows_without_relocations("examples/cubin/vecadd.sm_90.cubin", ".rela.debug_line", &before);
    assert_true(before > 3);
    assert_int_equal(after, before);
    after = rows_without_relocations("tests/cubin/data/lines.sm_89.cubin", ".rel.debug_line", &before);
    assert_int_equal(before, 3);
    assert_int_equal(after, 0);
}

/* ---- made-up tables ---------------------------------------------------------------------------------------------- */

struct maker {
    uint8_t bytes[512];
    size_t size, length_at, header_at;
};

static void emit(struct maker *m, uint64_t value, unsigned bytes)
{
    put(m->bytes + m->size, value, bytes);
    m->size += bytes;
}

static void emit_string(struct maker *m, const char *text)
{
    memcpy(m->bytes + m->size, text, strlen(text) + 1);
    m->size += strlen(text) + 1;
}

/* Header up to the opcode lengths, with line_base -3, line_range 12, opcode_base 10. */
static void begin_unit(struct maker *m, unsigned version)
{
    m->length_at = m->size;
    emit(m, 0, 4);
    emit(m, version, 2);
    if (version >= 5)
        emit(m, 0x0008, 2);
    m->header_at = m->size;
    emit(m, 0, 4);
    emit(m, 1, 1);
    if (version >= 4)
        emit(m, 1, 1);
    emit(m, 1, 1);
    emit(m, 0xfd, 1);
    emit(m, 12, 1);
    emit(m, 10, 1);
    static const uint8_t counts[] = {0, 1, 1, 1, 1, 0, 0, 0, 1};
    for (size_t i = 0; i < sizeof counts; i++)
        emit(m, counts[i], 1);
}

static void end_header(struct maker *m) { put(m->bytes + m->header_at, m->size - m->header_at - 4, 4); }

static void end_unit(struct maker *m) { put(m->bytes + m->length_at, m->size - m->length_at - 4, 4); }

static void emit_tables_2(struct maker *m)
{
    emit_string(m, "src");
    emit(m, 0, 1);
    emit_string(m, "here.cu");
    emit(m, 0, 3);
    emit_string(m, "there.cu");
    emit(m, 1, 3);
    emit(m, 0, 1);
    end_header(m);
}

struct heard {
    struct line_state rows[16];
    size_t count, ends, addresses;
};

static uint64_t hear_address(void *context, size_t offset, uint64_t operand)
{
    (void)offset;
    ((struct heard *)context)->addresses++;
    return operand;
}

static void hear_row(void *context, const struct line_unit *unit, const struct line_state *row)
{
    (void)unit;
    struct heard *h = context;
    assert_true(h->count < 16);
    h->rows[h->count++] = *row;
}

static void hear_end(void *context) { ((struct heard *)context)->ends++; }

static bool run(struct line_walk *w, struct heard *h)
{
    const struct line_sink sink = {
        .context = h, .set_address = hear_address, .row = hear_row, .end_sequence = hear_end};
    struct line_unit unit;
    bool ok = true;
    while (line_next_unit(w, &unit))
        ok &= line_run(w->section, &unit, &sink);
    return ok;
}

static struct line_walk walk_of(const struct maker *m)
{
    return (struct line_walk){.section = {m->bytes, m->size}, .collect = true};
}

static void every_opcode_moves_the_registers_that_it_should(void **state)
{
    (void)state;
    struct maker m = {.size = 0};
    struct heard h = {.count = 0};
    begin_unit(&m, 2);
    emit_tables_2(&m);
    emit(&m, 0x0900, 2), emit(&m, 2, 1), emit(&m, 0x1000, 8);    /* set_address 0x1000 */
    emit(&m, 1, 1);                                              /* copy: 0x1000 file 1 line 1 */
    emit(&m, 2, 1), emit(&m, 0x01a0, 2);                         /* advance_pc 160 */
    emit(&m, 3, 1), emit(&m, 0x7f, 1);                           /* advance_line -1 */
    emit(&m, 4, 1), emit(&m, 2, 1);                              /* file 2 */
    emit(&m, 10 + 12 * 16 + 7, 1);                               /* special: 16 bytes, 4 lines */
    emit(&m, 0x0300, 2), emit(&m, 0x90, 1), emit(&m, 0x0101, 2); /* a vendor's opcode, skipped by its length */
    emit(&m, 8, 1);                                              /* const_add_pc: 245 / 12 = 20 */
    emit(&m, 9, 1), emit(&m, 0x0102, 2);                         /* fixed_advance_pc 258 */
    emit(&m, 5, 1), emit(&m, 77, 1), emit(&m, 6, 1), emit(&m, 7, 1);
    emit(&m, 1, 1);
    emit(&m, 0x0100, 2), emit(&m, 1, 1); /* end_sequence */
    emit(&m, 1, 1);                      /* copy: registers start again */
    end_unit(&m);
    struct line_walk w = walk_of(&m);
    assert_true(run(&w, &h));
    assert_null(w.problem);
    assert_int_equal(h.count, 4);
    assert_int_equal(h.rows[0].address, 0x1000);
    assert_int_equal(h.rows[0].line, 1);
    assert_int_equal(h.rows[1].address, 0x10b0);
    assert_int_equal(h.rows[1].line, 4);
    assert_int_equal(h.rows[1].file, 2);
    assert_int_equal(h.rows[2].address, 0x10b0 + 20 + 258);
    assert_int_equal(h.rows[2].line, 4);
    assert_int_equal(h.rows[3].address, 0);
    assert_int_equal(h.rows[3].line, 1);
    assert_int_equal(h.ends, 1);
    assert_int_equal(h.addresses, 1);
    free(w.table);
}

static void file_tables_of_version_2_to_4_join_directory_and_name(void **state)
{
    (void)state;
    for (unsigned version = 2; version <= 4; version++) {
        struct maker m = {.size = 0};
        struct heard h = {.count = 0};
        begin_unit(&m, version);
        emit_tables_2(&m);
        emit(&m, 1, 1);
        end_unit(&m);
        struct line_walk w = walk_of(&m);
        assert_true(run(&w, &h));
        assert_null(w.problem);
        assert_int_equal(h.count, 1);
        assert_int_equal(w.files, 2);
        assert_string_equal(w.table[0].name, "here.cu");
        assert_null(w.table[0].directory);
        assert_string_equal(w.table[1].name, "there.cu");
        assert_string_equal(w.table[1].directory, "src");
        free(w.table);
    }
}

static void emit_tables_5(struct maker *m)
{
    emit(m, 1, 1), emit(m, 1, 1), emit(m, 0x1f, 1); /* directories: path as line_strp */
    emit(m, 2, 1), emit(m, 0, 4), emit(m, 5, 4);
    emit(m, 3, 1); /* files: path as string, directory as udata, MD5 as data16 */
    emit(m, 1, 1), emit(m, 0x08, 1), emit(m, 2, 1), emit(m, 0x0b, 1), emit(m, 5, 1), emit(m, 0x1e, 1);
    emit(m, 2, 1);
    emit_string(m, "zero.cu"), emit(m, 0, 1), emit(m, 0, 8), emit(m, 0, 8);
    emit_string(m, "one.cu"), emit(m, 1, 1), emit(m, 0, 8), emit(m, 0, 8);
    end_header(m);
}

static void file_tables_of_version_5_describe_their_own_form(void **state)
{
    (void)state;
    static const uint8_t strings[] = "/top\0/top/sub";
    struct maker m = {.size = 0};
    struct heard h = {.count = 0};
    begin_unit(&m, 5);
    emit_tables_5(&m);
    emit(&m, 1, 1);
    end_unit(&m);
    struct line_walk w = walk_of(&m);
    w.line_strings = (struct cubin_bytes){strings, sizeof strings};
    assert_true(run(&w, &h));
    assert_null(w.problem);
    assert_int_equal(h.count, 1);
    assert_int_equal(w.files, 2);
    assert_string_equal(w.table[0].name, "zero.cu");
    assert_string_equal(w.table[0].directory, "/top");
    assert_string_equal(w.table[1].name, "one.cu");
    assert_string_equal(w.table[1].directory, "/top/sub");
    free(w.table);
}

static void a_unit_of_unknown_version_is_passed_over(void **state)
{
    (void)state;
    struct maker m = {.size = 0};
    struct heard h = {.count = 0};
    begin_unit(&m, 6);
    end_header(&m);
    end_unit(&m);
    size_t second = m.size;
    begin_unit(&m, 2);
    emit_tables_2(&m);
    emit(&m, 1, 1);
    end_unit(&m);
    struct line_walk w = walk_of(&m);
    assert_true(run(&w, &h));
    assert_int_equal(h.count, 1);
    assert_int_equal(w.files, 2);
    assert_string_equal(w.problem, "unknown version of the line table");
    assert_true(w.problem_at < second);
    free(w.table);
}

static void every_truncation_of_a_table_ends(void **state)
{
    (void)state;
    for (unsigned version = 2; version <= 5; version++) {
        struct maker m = {.size = 0};
        begin_unit(&m, version);
        if (version == 5)
            emit_tables_5(&m);
        else
            emit_tables_2(&m);
        emit(&m, 3, 1), emit(&m, 0x7f, 1), emit(&m, 1, 1);
        end_unit(&m);
        for (size_t size = 0; size < m.size; size++) {
            uint8_t *exact = malloc(size + 1); /* so that a sanitizer sees a read behind the end */
            memcpy(exact, m.bytes, size);
            struct line_walk w = {.section = {exact, size}, .collect = true};
            struct heard h = {.count = 0};
            run(&w, &h);
            assert_true(size == 0 || w.problem != NULL);
            free(w.table);
            free(exact);
        }
    }
}

static void a_line_range_of_zero_is_malformed(void **state)
{
    (void)state;
    struct maker m = {.size = 0};
    struct heard h = {.count = 0};
    begin_unit(&m, 2);
    m.bytes[13] = 0;
    emit_tables_2(&m);
    emit(&m, 200, 1);
    end_unit(&m);
    struct line_walk w = walk_of(&m);
    run(&w, &h);
    assert_string_equal(w.problem, "the header is malformed");
    assert_int_equal(h.count, 0);
    free(w.table);
}

UNIT_TESTS(UNIT(each_kernel_gets_the_rows_of_its_own_sequence),
           UNIT(rows_ascend_and_name_the_source_on_every_architecture),
           UNIT(a_module_without_line_information_has_no_rows),
           UNIT(a_damaged_table_leaves_the_module_usable_and_says_so),
           UNIT(without_relocations_rows_can_only_be_those_of_a_single_kernel),
           UNIT(every_opcode_moves_the_registers_that_it_should),
           UNIT(file_tables_of_version_2_to_4_join_directory_and_name),
           UNIT(file_tables_of_version_5_describe_their_own_form), UNIT(a_unit_of_unknown_version_is_passed_over),
           UNIT(every_truncation_of_a_table_ends), UNIT(a_line_range_of_zero_is_malformed))
