/* Each way of being malformed has its own message, which names file, place, offset and reason. */
#include "tests/cubin/fixture.h"

#include <inttypes.h>

static const char probe[] = "tests/cubin/data/probe.sm_89.cubin";

static void expect_bytes(struct cubin_bytes image, const char *message)
{
    struct cubin c;
    struct status status = {0};
    if (cubin_open(&c, image, "bad", &status))
        fail_msg("opened, instead of: %s", message);
    assert_int_equal(status.code, STATUS_FORMAT);
    assert_string_equal(status.text, message);
    assert_null(c.kernels);
    assert_null(c.path);
}

static void expect(const struct fixture *f, const char *message) { expect_bytes(fixture_view(f->file), message); }

/* The message about a section of the fixture, at an offset from the start of its contents. */
static void expect_in(struct fixture *f, const char *section, const char *what, size_t offset, const char *why)
{
    char message[480];
    size_t at = (size_t)(fixture_contents(f, section) - f->file.data) + offset;
    snprintf(message, sizeof message, "bad: section %zu (%s): %s at 0x%zx: %s", fixture_section(&f->cubin, section),
             section, what, at, why);
    expect(f, message);
}

static void an_empty_file_is_no_elf_file(void **state)
{
    (void)state;
    expect_bytes((struct cubin_bytes){NULL, 0}, "bad: ELF header: magic at 0x0: not an ELF file");
}

static void a_cut_header_is_reported_with_what_is_left(void **state)
{
    (void)state;
    struct fixture f = fixture_open(probe);
    expect_bytes((struct cubin_bytes){f.file.data, 63},
                 "bad: ELF header: header at 0x0: the file ends after 63 of 64 bytes");
    fixture_close(&f);
}

struct patch {
    size_t offset;
    uint64_t value;
    unsigned bytes;
    const char *message;
};

static const struct patch header_patches[] = {
    {0, 0x7e, 1, "bad: ELF header: magic at 0x0: not an ELF file"},
    {4, 1, 1, "bad: ELF header: class at 0x4: 1 is not ELF64 (2)"},
    {5, 2, 1, "bad: ELF header: data encoding at 0x5: 2 is not little-endian (1)"},
    {16, 3, 2, "bad: ELF header: type at 0x10: 3 is neither executable (2) nor relocatable (1)"},
    {18, 62, 2, "bad: ELF header: machine at 0x12: 62 is not CUDA (190)"},
    {40, 0, 8, "bad: ELF header: section table offset at 0x28: the file has no section table"},
    {40, 0xffffffffffffffff, 8,
     "bad: section table: table at 0xffffffffffffffff: it starts outside the file of 9264 bytes"},
    {48, 0, 4, "bad: ELF header: flags at 0x30: 0x00000000 names no architecture"},
    {58, 40, 2, "bad: ELF header: section header size at 0x3a: 40 instead of 64"},
    {62, 500, 2, "bad: ELF header: index of the section name table at 0x3e: 500 of 29 sections"},
};

static void each_field_of_the_header_is_checked(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof header_patches / sizeof *header_patches; i++) {
        struct fixture f = fixture_open(probe);
        put(f.file.data + header_patches[i].offset, header_patches[i].value, header_patches[i].bytes);
        expect(&f, header_patches[i].message);
        fixture_close(&f);
    }
}

static void more_sections_than_the_file_can_hold_are_refused(void **state)
{
    (void)state;
    struct fixture f = fixture_open(probe);
    char message[480];
    put(f.file.data + 60, 0xfeff, 2);
    snprintf(message, sizeof message,
             "bad: section table: table at 0x%" PRIx64 ": 65279 sections do not fit into the file of %zu bytes",
             get64(f.file.data + 40), f.file.size);
    expect(&f, message);
    fixture_close(&f);
}

/* A count of 0 means that section 0 has the count, which may be anything. */
static void a_huge_extended_count_is_refused(void **state)
{
    (void)state;
    struct fixture f = fixture_open(probe);
    char message[480];
    uint64_t table = get64(f.file.data + 40);
    put(f.file.data + 60, 0, 2);
    put(f.file.data + table + 32, UINT64_C(0x0400000000000001), 8); /* times 64 is 64 in 64 bits */
    snprintf(message, sizeof message,
             "bad: section table: table at 0x%" PRIx64
             ": 288230376151711745 sections do not fit into the file of %zu bytes",
             table, f.file.size);
    expect(&f, message);
    fixture_close(&f);
}

static void expect_extent(uint64_t offset, uint64_t size)
{
    struct fixture f = fixture_open(probe);
    char message[480];
    uint8_t *header = fixture_header(&f, ".nv.constant3");
    put(header + 24, offset, 8);
    put(header + 32, size, 8);
    snprintf(message, sizeof message,
             "bad: section table: section header at 0x%zx: section %zu (offset 0x%" PRIx64 ", %" PRIu64
             " bytes) ends outside the file of %zu bytes",
             (size_t)(header - f.file.data), fixture_section(&f.cubin, ".nv.constant3"), offset, size, f.file.size);
    expect(&f, message);
    fixture_close(&f);
}

static void a_section_outside_the_file_is_refused(void **state)
{
    (void)state;
    expect_extent(0x100000, 4);
    expect_extent(9264, 1);
    expect_extent(64, UINT64_MAX - 63); /* the sum is 0 in 64 bits */
    expect_extent(UINT64_MAX, 2);
}

static void overlapping_sections_are_refused(void **state)
{
    (void)state;
    struct fixture f = fixture_open(probe);
    uint8_t *header = fixture_header(&f, ".nv.constant3");
    char message[480];
    uint64_t total = 0;
    for (size_t i = 0; i < f.cubin.section_count; i++)
        total += f.cubin.sections[i].bytes.size;
    put(header + 24, 0, 8);
    put(header + 32, 9264, 8);
    snprintf(message, sizeof message,
             "bad: section table: table at 0x%" PRIx64 ": the sections overlap: together they have %" PRIu64
             " bytes, the file has 9264",
             get64(f.file.data + 40), total - 64 + 9264);
    expect(&f, message);
    fixture_close(&f);
}

static void a_section_name_outside_the_table_is_refused(void **state)
{
    (void)state;
    struct fixture f = fixture_open(probe);
    uint8_t *header = fixture_header(&f, ".nv.constant3");
    char message[480];
    put(header, 0x00ffffff, 4);
    snprintf(message, sizeof message,
             "bad: section table: section header at 0x%zx: name of section %zu (0xffffff) is outside the name table",
             (size_t)(header - f.file.data), fixture_section(&f.cubin, ".nv.constant3"));
    expect(&f, message);
    fixture_close(&f);
}

static void a_missing_symbol_table_is_reported(void **state)
{
    (void)state;
    struct fixture f = fixture_open(probe);
    char message[480];
    put(fixture_header(&f, ".symtab") + 4, 1, 4);
    snprintf(message, sizeof message, "bad: section table: table at 0x%" PRIx64 ": no symbol table",
             get64(f.file.data + 40));
    expect(&f, message);
    fixture_close(&f);
}

static void symbols_are_checked(void **state)
{
    (void)state;
    struct fixture f = fixture_open(probe);
    uint8_t *third = fixture_contents(&f, ".symtab") + 3 * 24;
    put(third, 0x7fffffff, 4);
    expect_in(&f, ".symtab", "symbol", 72, "its name is outside the string table");
    put(third, 0, 4);
    put(third + 6, 29, 2);
    expect_in(&f, ".symtab", "symbol", 72, "its section is outside the section table");
    put(third + 6, 0xfff1, 2); /* absolute: fine */
    put(fixture_header(&f, ".symtab") + 32, 25, 8);
    expect_in(&f, ".symtab", "table", 0, "its size is no multiple of 24");
    put(fixture_header(&f, ".symtab") + 32, 48, 8);
    put(fixture_header(&f, ".symtab") + 40, 29, 4);
    expect_in(&f, ".symtab", "link", 0, "the string table is outside the section table");
    fixture_close(&f);
}

/* Offset of the first record with this attribute. */
static size_t find_record(const uint8_t *p, uint8_t id)
{
    size_t at = 0;
    while (p[at + 1] != id)
        at += 4 + (p[at] == 4 ? (size_t)(p[at + 2] | p[at + 3] << 8) : 0);
    return at;
}

static void attribute_records_are_checked(void **state)
{
    (void)state;
    static const char section[] = ".nv.info.mixed";
    struct fixture f = fixture_open(probe);
    uint8_t *p = fixture_contents(&f, section);
    size_t at = find_record(p, 0x17);
    p[at] = 5;
    expect_in(&f, section, "attribute 0x17", at, "unknown record format");
    p[at] = 0;
    expect_in(&f, section, "attribute 0x17", at, "unknown record format");
    p[at] = 4;
    put(p + at + 2, 0xfff0, 2);
    expect_in(&f, section, "attribute 0x17", at, "the payload ends outside the section");
    put(p + at + 2, 8, 2);
    expect_in(&f, section, "attribute 0x17", at, "the record is shorter than 12 bytes");
    put(p + at + 2, 12, 2);
    put(p + at + 8, 9, 2); /* ordinal */
    expect_in(&f, section, "attribute 0x17", 0, "the parameter ordinals are not 0, 1, 2, ...");
    put(p + at + 8, 5, 2);
    put(p + at + 10, 41, 2); /* offset */
    expect_in(&f, section, "attribute 0x17", 0, "a parameter ends outside the parameter area");
    put(p + at + 10, 40, 2);
    put(p + find_record(p, 0x05) + 2, 4, 2);
    expect_in(&f, section, "attribute 0x05", find_record(p, 0x05), "the record is shorter than 12 bytes");
    fixture_close(&f);
}

static void unknown_attributes_are_skipped(void **state)
{
    (void)state;
    struct fixture f = fixture_open(probe);
    uint8_t *p = fixture_contents(&f, ".nv.info.mixed");
    struct cubin c;
    struct status status = {0};
    p[find_record(p, 0x37) + 1] = 0xee;
    p[find_record(p, 0x05) + 1] = 0xef;
    assert_true(cubin_open(&c, fixture_view(f.file), "changed", &status));
    assert_int_equal(cubin_find_kernel(&c, "mixed", &status)->max_threads[0], 0);
    assert_int_equal(cubin_find_kernel(&c, "mixed", &status)->parameter_count, 6);
    cubin_close(&c);
    fixture_close(&f);
}

static void attributes_of_functions_are_checked(void **state)
{
    (void)state;
    static const char section[] = ".nv.info";
    struct fixture f = fixture_open(probe);
    uint8_t *p = fixture_contents(&f, section);
    size_t at = find_record(p, 0x2f);
    uint8_t symbol = p[at + 4];
    put(p + at + 4, 0xffffffff, 4);
    expect_in(&f, section, "attribute 0x2f", at, "the symbol index is outside the symbol table");
    put(p + at + 4, symbol, 4);
    put(p + at + 8, 257, 4);
    expect_in(&f, section, "attribute 0x2f", at, "more than 256 registers a thread");
    put(p + at + 8, 24, 4);
    put(p + at + 2, 4, 2);
    expect_in(&f, section, "attribute 0x2f", at, "the record is too short for a symbol and a value");
    fixture_close(&f);
}

static void a_cut_attribute_section_is_reported(void **state)
{
    (void)state;
    struct fixture f = fixture_open(probe);
    put(fixture_header(&f, ".nv.info.mixed") + 32, 2, 8);
    expect_in(&f, ".nv.info.mixed", "attribute 0x37", 0, "the section ends inside the record");
    fixture_close(&f);
}

static void code_sections_are_checked(void **state)
{
    (void)state;
    struct fixture f = fixture_open(probe);
    put(fixture_header(&f, ".text.mixed") + 32, 500, 8);
    expect_in(&f, ".text.mixed", "code", 0, "its size is no positive multiple of 16");
    put(fixture_header(&f, ".text.mixed") + 32, 512, 8);
    uint8_t *symbol = fixture_contents(&f, ".symtab");
    while (strcmp(f.cubin.symbols[(size_t)(symbol - fixture_contents(&f, ".symtab")) / 24].name, "mixed") != 0)
        symbol += 24;
    put(symbol + 8, 16, 8);
    expect_in(&f, ".text.mixed", "code", 0, "the kernel does not start where its section does");
    put(symbol + 8, 0, 8);
    put(symbol + 6, fixture_section(&f.cubin, ".text._ZN6shapes8exchangeEPi"), 2);
    expect_in(&f, ".text._ZN6shapes8exchangeEPi", "code", 0, "two kernels share the section");
    fixture_close(&f);
}

static void a_kernel_without_register_count_is_refused(void **state)
{
    (void)state;
    struct fixture f = fixture_open(probe);
    put(fixture_header(&f, ".nv.info") + 32, 0, 8);
    put(fixture_header(&f, ".text.mixed") + 44, 0, 4);
    expect_in(&f, ".text.mixed", "code", 0, "no register count for the kernel");
    fixture_close(&f);
}

static void parameters_beyond_the_constant_bank_are_refused(void **state)
{
    (void)state;
    struct fixture f = fixture_open(probe);
    uint8_t *p = fixture_contents(&f, ".nv.info.mixed");
    put(p + find_record(p, 0x0a) + 8, 0xffd1, 2);
    expect_in(&f, ".text.mixed", "code", 0, "the kernel's parameters do not fit into constant bank 0");
    fixture_close(&f);
}

static void an_oversized_constant_bank_is_refused(void **state)
{
    (void)state;
    struct fixture f = fixture_open(probe);
    uint8_t *header = fixture_header(&f, ".nv.constant3");
    char message[480];
    put(header + 4, 8, 4); /* without contents */
    put(header + 32, 0x10001, 8);
    snprintf(message, sizeof message,
             "bad: section %zu (.nv.constant3): constant bank at 0x0: it is larger than 64 KiB",
             fixture_section(&f.cubin, ".nv.constant3"));
    expect(&f, message);
    fixture_close(&f);
}

static void relocations_are_checked(void **state)
{
    (void)state;
    static const char section[] = ".rel.nv.constant4";
    struct fixture f = fixture_open(probe);
    uint8_t *p = fixture_contents(&f, section);
    put(p + 16, 16, 8);
    expect_in(&f, section, "relocation", 16, "it patches outside its section");
    put(p + 16, 0, 8);
    put(p + 12, 0x10000, 4);
    expect_in(&f, section, "relocation", 0, "the symbol index is outside the symbol table");
    put(fixture_header(&f, section) + 32, 17, 8);
    expect_in(&f, section, "table", 0, "its size is no multiple of an entry's");
    put(fixture_header(&f, section) + 44, 29, 4);
    expect_in(&f, section, "info", 0, "the patched section is outside the section table");
    fixture_close(&f);
}

static void control_characters_of_a_file_do_not_reach_the_terminal(void **state)
{
    (void)state;
    struct fixture f = fixture_open(probe);
    uint8_t *names = fixture_contents(&f, ".shstrtab");
    uint8_t *name = memmem(names, 2000, ".text.mixed", 12);
    assert_non_null(name);
    put(fixture_header(&f, ".text.mixed") + 32, 500, 8);
    name[7] = 0x1b;
    struct cubin c;
    struct status status = {0};
    assert_false(cubin_open(&c, fixture_view(f.file), "bad", &status));
    assert_non_null(strstr(status.text, "(.text.m?xed)"));
    assert_null(strchr(status.text, 0x1b));
    fixture_close(&f);
}

UNIT_TESTS(UNIT(an_empty_file_is_no_elf_file), UNIT(a_cut_header_is_reported_with_what_is_left),
           UNIT(each_field_of_the_header_is_checked), UNIT(more_sections_than_the_file_can_hold_are_refused),
           UNIT(a_huge_extended_count_is_refused), UNIT(a_section_outside_the_file_is_refused),
           UNIT(overlapping_sections_are_refused), UNIT(a_section_name_outside_the_table_is_refused),
           UNIT(a_missing_symbol_table_is_reported), UNIT(symbols_are_checked), UNIT(attribute_records_are_checked),
           UNIT(unknown_attributes_are_skipped), UNIT(attributes_of_functions_are_checked),
           UNIT(a_cut_attribute_section_is_reported), UNIT(code_sections_are_checked),
           UNIT(a_kernel_without_register_count_is_refused), UNIT(parameters_beyond_the_constant_bank_are_refused),
           UNIT(an_oversized_constant_bank_is_refused), UNIT(relocations_are_checked),
           UNIT(control_characters_of_a_file_do_not_reach_the_terminal))
