/* Files with images: their lists, their contents, which one fits a device. */
#include "tests/cubin/fixture.h"

static const char plain[] = "tests/cubin/data/plain.fatbin";

static struct cubin_file open_file(const char *path)
{
    char full[4096];
    struct cubin_file f;
    struct status status = {0};
    if (!cubin_file_open(&f, unit_path(full, path), &status))
        fail_msg("%s", status.text);
    return f;
}

struct image_case {
    const char *path;
    enum cubin_compression elf, ptx;
    int kind;
    size_t first; /* index of the image for sm_80 with the kernel */
    uint32_t container;
    bool relocatable;
};

static const struct image_case cases[] = {
    {"tests/cubin/data/plain.fatbin", CUBIN_PLAIN, CUBIN_PLAIN, CUBIN_FILE_FATBIN, 0, 0, false},
    {"tests/cubin/data/zstd.fatbin", CUBIN_ZSTD, CUBIN_ZSTD, CUBIN_FILE_FATBIN, 0, 0, false},
    {"tests/cubin/data/lz4.fatbin", CUBIN_LZ4, CUBIN_LZ4, CUBIN_FILE_FATBIN, 0, 0, false},
    {"tests/cubin/data/object.elf", CUBIN_PLAIN, CUBIN_ZSTD, CUBIN_FILE_HOST, 0, 0, false},
    {"tests/cubin/data/relocatable.elf", CUBIN_ZSTD, CUBIN_ZSTD, CUBIN_FILE_HOST, 0, 0, true},
    {"tests/cubin/data/program.elf", CUBIN_PLAIN, CUBIN_ZSTD, CUBIN_FILE_HOST, 2, 1, false},
};

enum { CASES = sizeof cases / sizeof *cases };

static void files_list_their_images_in_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        const struct image_case *c = &cases[i];
        struct cubin_file f = open_file(c->path);
        assert_int_equal(f.kind, c->kind);
        assert_int_equal(f.image_count, c->first + 3);
        const struct cubin_image *image = &f.images[c->first];
        assert_int_equal(image[0].sm, 80);
        assert_int_equal(image[1].sm, 90);
        assert_int_equal(image[2].sm, 90);
        assert_int_equal(image[0].kind, CUBIN_IMAGE_ELF);
        assert_int_equal(image[1].kind, CUBIN_IMAGE_ELF);
        assert_int_equal(image[2].kind, CUBIN_IMAGE_PTX);
        assert_int_equal(image[0].compression, c->elf);
        assert_int_equal(image[2].compression, c->ptx);
        for (size_t k = 0; k < 3; k++) {
            assert_int_equal(image[k].container, c->container);
            assert_true(image[k].compression == CUBIN_PLAIN ? image[k].bytes == image[k].stored_bytes
                                                            : image[k].bytes > image[k].stored_bytes);
        }
        cubin_file_close(&f);
    }
}

static void check_kernel(const struct cubin_file *f, const struct cubin_image *image, bool relocatable)
{
    struct status status = {0};
    struct cubin_bytes bytes;
    uint8_t *owned;
    struct cubin c;
    if (!cubin_file_image(f, image, &bytes, &owned, &status) || !cubin_open(&c, bytes, f->path, &status))
        fail_msg("%s", status.text);
    assert_int_equal(bytes.size, image->bytes);
    assert_true((owned != NULL) == (image->compression != CUBIN_PLAIN));
    assert_int_equal(c.sm, image->sm);
    assert_int_equal(c.relocatable, relocatable);
    assert_int_equal(c.kernel_count, 1);
    assert_string_equal(c.kernels[0].name, "_Z4halfPf");
    cubin_close(&c);
    free(owned);
}

static void every_image_opens_once_it_is_unpacked(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        struct cubin_file f = open_file(cases[i].path);
        check_kernel(&f, &f.images[cases[i].first], cases[i].relocatable);
        check_kernel(&f, &f.images[cases[i].first + 1], cases[i].relocatable);
        cubin_file_close(&f);
    }
}

static void both_compressions_give_the_bytes_of_the_plain_file(void **state)
{
    (void)state;
    static const char *const files[] = {"tests/cubin/data/zstd.fatbin", "tests/cubin/data/lz4.fatbin"};
    struct cubin_file reference = open_file(plain);
    for (size_t i = 0; i < 2; i++) {
        struct cubin_file f = open_file(files[i]);
        for (size_t k = 0; k < 2; k++) {
            struct status status = {0};
            struct cubin_bytes a, b;
            uint8_t *owned_a, *owned_b;
            assert_true(cubin_file_image(&reference, &reference.images[k], &a, &owned_a, &status));
            assert_true(cubin_file_image(&f, &f.images[k], &b, &owned_b, &status));
            assert_int_equal(a.size, b.size);
            assert_memory_equal(a.data, b.data, a.size);
            free(owned_a);
            free(owned_b);
        }
        cubin_file_close(&f);
    }
    cubin_file_close(&reference);
}

static void ptx_comes_out_as_text(void **state)
{
    (void)state;
    struct cubin_file f = open_file("tests/cubin/data/lz4.fatbin");
    struct status status = {0};
    struct cubin_bytes text;
    uint8_t *owned;
    assert_true(cubin_file_image(&f, &f.images[2], &text, &owned, &status));
    assert_non_null(memmem(text.data, text.size, ".target sm_90", 13));
    assert_non_null(memmem(text.data, text.size, "_Z4halfPf", 9));
    free(owned);
    cubin_file_close(&f);
}

static void a_cubin_is_a_file_of_one_image(void **state)
{
    (void)state;
    struct cubin_file f = open_file("tests/cubin/data/probe.sm_120.cubin");
    struct status status = {0};
    struct cubin_bytes bytes;
    uint8_t *owned;
    assert_int_equal(f.kind, CUBIN_FILE_CUBIN);
    assert_int_equal(f.image_count, 1);
    assert_int_equal(f.images[0].sm, 120);
    assert_true(cubin_file_image(&f, &f.images[0], &bytes, &owned, &status));
    assert_ptr_equal(bytes.data, f.bytes.data);
    assert_int_equal(bytes.size, f.bytes.size);
    assert_null(owned);
    cubin_file_close(&f);
}

static void the_best_image_is_the_highest_that_runs(void **state)
{
    (void)state;
    struct cubin_file f = open_file(plain);
    struct status status = {0};
    assert_ptr_equal(cubin_file_select(&f, 80, &status), &f.images[0]);
    assert_ptr_equal(cubin_file_select(&f, 89, &status), &f.images[0]);
    assert_ptr_equal(cubin_file_select(&f, 90, &status), &f.images[1]);
    assert_null(cubin_file_select(&f, 75, &status));
    assert_int_equal(status.code, STATUS_UNSUPPORTED);
    assert_non_null(strstr(status.text, "plain.fatbin: no machine code that runs on sm_75; the file has sm_80, sm_90, "
                                        "PTX for sm_90"));
    cubin_file_close(&f);
}

static void code_does_not_run_on_an_earlier_chip_of_its_generation(void **state)
{
    (void)state;
    struct file_bytes b = fixture_read(plain);
    struct cubin_file f;
    struct status status = {0};
    put(b.data + 16 + 0x1c, 86, 4);
    assert_true(cubin_file_open_bytes(&f, fixture_view(b), "changed", &status));
    assert_ptr_equal(cubin_file_select(&f, 86, &status), &f.images[0]);
    assert_ptr_equal(cubin_file_select(&f, 89, &status), &f.images[0]);
    assert_null(cubin_file_select(&f, 80, &status));
    assert_string_equal(status.text,
                        "changed: no machine code that runs on sm_80; the file has sm_86, sm_90, PTX for sm_90");
    cubin_file_close(&f);
    file_free(&b);
}

/* The linker puts a container without kernels first. */
static void the_best_image_of_a_program_has_its_kernel(void **state)
{
    (void)state;
    struct cubin_file f = open_file("tests/cubin/data/program.elf");
    struct status status = {0};
    assert_ptr_equal(cubin_file_select(&f, 86, &status), &f.images[2]);
    assert_int_equal(f.images[0].container, 0);
    cubin_file_close(&f);
}

/* ---- refusals --------------------------------------------------------------------------------------------- */

static void expect(const void *data, size_t size, const char *message)
{
    struct cubin_file f;
    struct status status = {0};
    if (cubin_file_open_bytes(&f, (struct cubin_bytes){data, size}, "bad", &status))
        fail_msg("opened, instead of: %s", message);
    assert_string_equal(status.text, message);
    assert_null(f.path);
    assert_null(f.images);
    assert_null(f.bytes.data);
}

static void other_kinds_of_file_are_named(void **state)
{
    (void)state;
    static const char text[] = "hello\n", ptx[] = "//\n.version 9.0\n.target sm_90\n";
    struct file_bytes host = fixture_read("tests/cubin/data/without.elf");
    char message[256];
    expect(NULL, 0, "bad: file: header at 0x0: the file is empty");
    expect(text, sizeof text, "bad: file: header at 0x0: neither a cubin, a fatbin nor a host ELF file");
    expect(ptx, sizeof ptx,
           "bad: file: header at 0x0: PTX text has no machine code; compile it for an architecture with ptxas or nvcc "
           "-cubin");
    snprintf(message, sizeof message,
             "bad: section table: table at 0x%llx: no device code in this host file: there is no section .nv_fatbin",
             (unsigned long long)get64(host.data + 40));
    expect(host.data, host.size, message);
    file_free(&host);
}

static void a_missing_file_is_an_input_error(void **state)
{
    (void)state;
    struct cubin_file f;
    struct status status = {0};
    assert_false(cubin_file_open(&f, "/nonexistent/file", &status));
    assert_int_equal(status.code, STATUS_IO);
    assert_null(f.path);
}

struct patch {
    size_t offset;
    uint64_t value;
    unsigned bytes;
    const char *message;
};

/* The container header is 16 bytes, the first entry follows. */
static const struct patch patches[] = {
    {4, 2, 2, "bad: fatbin: container at 0x0: its version is not 1"},
    {6, 8, 2, "bad: fatbin: container at 0x0: the header size is outside the file"},
    {8, UINT64_MAX, 8, "bad: fatbin: container at 0x0: the entries end outside the file"},
    {8, 32, 8, "bad: fatbin: entry at 0x10: the container ends inside the entry header"},
    {20, 63, 4, "bad: fatbin: entry at 0x10: the header size is outside the container"},
    {20, 0xffffffff, 4, "bad: fatbin: entry at 0x10: the header size is outside the container"},
    {24, UINT64_MAX - 64, 8, "bad: fatbin: entry at 0x10: the payload ends outside the container"},
    {32, 0xffffff, 4, "bad: fatbin: entry at 0x10: the compressed size is larger than the payload"},
};

static void each_field_of_a_container_is_checked(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof patches / sizeof *patches; i++) {
        struct file_bytes b = fixture_read(plain);
        put(b.data + patches[i].offset, patches[i].value, patches[i].bytes);
        expect(b.data, b.size, patches[i].message);
        file_free(&b);
    }
}

static void a_cut_container_is_refused(void **state)
{
    (void)state;
    struct file_bytes b = fixture_read(plain);
    expect(b.data, 12, "bad: fatbin: container at 0x0: the file ends inside the container header");
    expect(b.data, b.size - 1, "bad: fatbin: container at 0x0: the entries end outside the file");
    file_free(&b);
}

static void containers_may_follow_each_other_after_padding(void **state)
{
    (void)state;
    struct file_bytes b = fixture_read("tests/cubin/data/zstd.fatbin");
    size_t second = b.size + 24;
    uint8_t *two = calloc(1, second + b.size);
    memcpy(two, b.data, b.size);
    memcpy(two + second, b.data, b.size);
    struct cubin_file f;
    struct status status = {0};
    assert_true(cubin_file_open_bytes(&f, (struct cubin_bytes){two, second + b.size}, "two", &status));
    assert_int_equal(f.image_count, 6);
    assert_int_equal(f.images[2].container, 0);
    assert_int_equal(f.images[3].container, 1);
    cubin_file_close(&f);
    two[second] ^= 1;
    char message[128];
    snprintf(message, sizeof message, "bad: fatbin: container at 0x%zx: the magic is not 0xba55ed50", second);
    expect(two, second + b.size, message);
    free(two);
    file_free(&b);
}

static void expect_damage(const char *path, size_t offset, uint64_t value, unsigned bytes, const char *message)
{
    struct file_bytes b = fixture_read(path);
    struct cubin_file f;
    struct status status = {0};
    struct cubin_bytes out;
    uint8_t *owned;
    put(b.data + offset, value, bytes);
    assert_true(cubin_file_open_bytes(&f, fixture_view(b), "bad", &status));
    assert_false(cubin_file_image(&f, &f.images[0], &out, &owned, &status));
    assert_null(owned);
    assert_string_equal(status.text, message);
    cubin_file_close(&f);
    file_free(&b);
}

static void damaged_payloads_are_refused(void **state)
{
    (void)state;
    static const char zstd[] = "tests/cubin/data/zstd.fatbin", lz4[] = "tests/cubin/data/lz4.fatbin";
    expect_damage(zstd, 0x50, 0, 4, "bad: fatbin: image at 0x50: the zstd data is damaged");
    expect_damage(zstd, 0x48, 3241, 8, "bad: fatbin: image at 0x50: the zstd data is damaged");
    expect_damage(zstd, 0x48, 0, 8, "bad: fatbin: image at 0x50: its uncompressed size is missing");
    expect_damage(zstd, 0x48, UINT64_MAX, 8,
                  "bad: fatbin: image at 0x50: its uncompressed size is out of proportion to the stored size");
    expect_damage(zstd, 0x38, 0x11, 8,
                  "bad: fatbin: image at 0x50: compressed in a way that is not known (neither LZ4 nor zstd)");
    expect_damage(lz4, 0x48, 3241, 8, "bad: fatbin: image at 0x50: the LZ4 data is damaged");
    expect_damage(lz4, 0x48, 3239, 8, "bad: fatbin: image at 0x50: the LZ4 data is damaged");
}

UNIT_TESTS(UNIT(files_list_their_images_in_order), UNIT(every_image_opens_once_it_is_unpacked),
           UNIT(both_compressions_give_the_bytes_of_the_plain_file), UNIT(ptx_comes_out_as_text),
           UNIT(a_cubin_is_a_file_of_one_image), UNIT(the_best_image_is_the_highest_that_runs),
           UNIT(code_does_not_run_on_an_earlier_chip_of_its_generation),
           UNIT(the_best_image_of_a_program_has_its_kernel), UNIT(other_kinds_of_file_are_named),
           UNIT(a_missing_file_is_an_input_error), UNIT(each_field_of_a_container_is_checked),
           UNIT(a_cut_container_is_refused), UNIT(containers_may_follow_each_other_after_padding),
           UNIT(damaged_payloads_are_refused))
