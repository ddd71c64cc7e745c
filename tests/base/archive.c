#include "base/archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/temporary.h"

struct thing {
    uint64_t number;
    const int *config; /* kept */
    uint16_t *fixed;   /* [3] */
    uint32_t room, used;
    uint64_t *grows;
    const int *entry; /* of table */
    uint8_t last;
};

static const int table[5] = {10, 11, 12, 13, 14};

static void thing_archive(struct archive *a, struct thing *t)
{
    archive_begin(a, "thing", t, sizeof *t);
    archive_keep(a, &t->config);
    archive_array(a, &t->fixed, 3);
    archive_room(a, NULL, &t->grows, &t->room, &t->used);
    archive_entry(a, &t->entry, table, 5);
    archive_end(a);
}

static struct thing make(const int *config, uint32_t room)
{
    struct thing t = {.config = config, .room = room};
    t.fixed = calloc(3, sizeof *t.fixed);
    t.grows = calloc(room, sizeof *t.grows);
    assert_non_null(t.fixed);
    assert_non_null(t.grows);
    return t;
}

static void release(struct thing *t)
{
    free(t->fixed);
    free(t->grows);
}

static void write_thing(const char *path, struct thing *t)
{
    struct status status = {0};
    struct archive *a = archive_create(path, 7, &status);
    uint32_t more = 99;
    assert_non_null(a);
    assert_false(archive_reading(a));
    thing_archive(a, t);
    archive_plain(a, &more, sizeof more);
    archive_same(a, "colour", 3);
    assert_true(archive_close(a, &status));
}

static struct thing filled(const int *config)
{
    struct thing t = make(config, 4);
    t.number = 12345;
    t.fixed[2] = 77;
    t.used = 3;
    t.grows[2] = 1u << 20;
    t.entry = &table[4];
    t.last = 200;
    return t;
}

static void a_structure_comes_back_with_what_it_owns_and_keeps_what_is_not_its_own(void **state)
{
    int one, other;
    char path[TEMPORARY_PATH];
    (void)state;
    temporary_file(path);
    struct thing from = filled(&one), to = make(&other, 1);
    uint16_t *fixed = to.fixed;
    uint32_t more = 0;
    struct status status = {0};
    write_thing(path, &from);
    struct archive *a = archive_open(path, 7, &status);
    assert_non_null(a);
    thing_archive(a, &to);
    archive_plain(a, &more, sizeof more);
    archive_same(a, "colour", 3);
    assert_true(archive_close(a, &status));
    assert_int_equal(to.number, 12345);
    assert_ptr_equal(to.config, &other);
    assert_ptr_equal(to.fixed, fixed);
    assert_int_equal(to.fixed[2], 77);
    assert_int_equal(to.room, 4);
    assert_int_equal(to.used, 3);
    assert_int_equal(to.grows[2], 1u << 20);
    assert_ptr_equal(to.entry, &table[4]);
    assert_int_equal(to.last, 200);
    assert_int_equal(more, 99);
    release(&from);
    release(&to);
    unlink(path);
}

static void an_entry_that_is_not_of_the_array_becomes_null(void **state)
{
    int one;
    char path[TEMPORARY_PATH];
    (void)state;
    temporary_file(path);
    struct thing from = filled(&one), to = make(&one, 1);
    from.entry = &one;
    to.entry = &table[0];
    write_thing(path, &from);
    struct archive *a = archive_open(path, 7, &(struct status){0});
    thing_archive(a, &to);
    archive_abandon(a);
    assert_null(to.entry);
    release(&from);
    release(&to);
    unlink(path);
}

/* The checksum of such a file is right. */
static void an_array_does_not_hold_more_than_it_has_room_for(void **state)
{
    int one;
    char path[TEMPORARY_PATH];
    struct status status = {0};
    (void)state;
    temporary_file(path);
    struct thing from = filled(&one), to = make(&one, 1);
    from.room = 2; /* of 4 that there are; 3 are used */
    write_thing(path, &from);
    struct archive *a = archive_open(path, 7, &status);
    assert_non_null(a);
    thing_archive(a, &to);
    assert_false(archive_close(a, &status));
    assert_non_null(strstr(status.text, "the saved run is damaged, or not whole"));
    assert_int_equal(to.room, 1);
    from.room = 1u << 28;
    from.used = 0;
    write_thing(path, &from);
    to.room = 1;
    status = (struct status){0};
    a = archive_open(path, 7, &status);
    thing_archive(a, &to);
    assert_false(archive_close(a, &status));
    release(&from);
    release(&to);
    unlink(path);
}

static void what_differs_is_named(void **state)
{
    int one;
    char path[TEMPORARY_PATH];
    uint32_t more;
    struct status status = {0};
    (void)state;
    temporary_file(path);
    struct thing from = filled(&one), to = make(&one, 1);
    write_thing(path, &from);
    assert_null(archive_open(path, 8, &status));
    assert_int_equal(status.code, STATUS_USAGE);
    status = (struct status){0};
    struct archive *a = archive_open(path, 7, &status);
    thing_archive(a, &to);
    archive_plain(a, &more, sizeof more);
    archive_same(a, "colour", 4);
    assert_false(archive_ok(a));
    assert_false(archive_close(a, &status));
    assert_non_null(strstr(status.text, "another colour"));
    status = (struct status){0};
    a = archive_open(path, 7, &status); /* read by another function */
    archive_begin(a, "other", &to, sizeof to);
    archive_end(a);
    assert_false(archive_close(a, &status));
    assert_int_equal(status.code, STATUS_FORMAT);
    status = (struct status){0};
    a = archive_open(path, 7, &status); /* not to its end */
    thing_archive(a, &to);
    assert_false(archive_close(a, &status));
    assert_int_equal(status.code, STATUS_FORMAT);
    release(&from);
    release(&to);
    unlink(path);
}

static size_t read_file(const char *path, uint8_t *bytes, size_t room)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t size = fread(bytes, 1, room, f);
    fclose(f);
    return size;
}

static void write_file(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

/* The archive holds such a thing. */
static void check_thing(struct archive *a, const struct thing *from)
{
    struct thing to = make(from->config, 1);
    thing_archive(a, &to);
    assert_true(archive_ok(a));
    archive_abandon(a);
    assert_int_equal(to.number, from->number);
    assert_memory_equal(to.fixed, from->fixed, 3 * sizeof *to.fixed);
    assert_int_equal(to.used, from->used);
    assert_memory_equal(to.grows, from->grows, to.used * sizeof *to.grows);
    assert_ptr_equal(to.entry, from->entry);
    assert_int_equal(to.last, from->last);
    release(&to);
}

static void no_changed_or_missing_byte_changes_what_is_read(void **state)
{
    static uint8_t bytes[4096];
    int one;
    char path[TEMPORARY_PATH];
    (void)state;
    temporary_file(path);
    struct thing from = filled(&one);
    write_thing(path, &from);
    size_t size = read_file(path, bytes, sizeof bytes);
    assert_in_range(size, 20, sizeof bytes - 1);
    for (size_t i = 0; i < size; i++) {
        struct status status = {0};
        bytes[i] ^= 1;
        write_file(path, bytes, size);
        bytes[i] ^= 1;
        struct archive *a = archive_open(path, 7, &status);
        if (a) /* a bit of the frame's header that means nothing to the contents */
            check_thing(a, &from);
        status = (struct status){0};
        write_file(path, bytes, i);
        assert_null(archive_open(path, 7, &status));
    }
    struct status status = {0};
    bytes[size] = 0;
    write_file(path, bytes, size + 1);
    assert_null(archive_open(path, 7, &status));
    unlink(path);
    status = (struct status){0};
    assert_null(archive_open(path, 7, &status));
    assert_int_equal(status.code, STATUS_IO);
    release(&from);
}

static void a_run_that_fails_while_it_is_saved_leaves_the_file_that_was_there(void **state)
{
    char path[TEMPORARY_PATH];
    uint8_t byte = 0;
    struct status status = {0};
    (void)state;
    temporary_file(path);
    write_file(path, &byte, 1);
    struct archive *a = archive_create(path, 7, &status);
    archive_plain(a, &byte, 1);
    archive_fail(a, STATUS_MEMORY, "no %s", "room");
    assert_false(archive_close(a, &status));
    assert_string_equal(status.text, "no room");
    uint8_t bytes[8];
    assert_int_equal(read_file(path, bytes, sizeof bytes), 1);
    unlink(path);
}

UNIT_TESTS(UNIT(a_structure_comes_back_with_what_it_owns_and_keeps_what_is_not_its_own),
           UNIT(an_entry_that_is_not_of_the_array_becomes_null), UNIT(an_array_does_not_hold_more_than_it_has_room_for),
           UNIT(what_differs_is_named), UNIT(no_changed_or_missing_byte_changes_what_is_read),
           UNIT(a_run_that_fails_while_it_is_saved_leaves_the_file_that_was_there))
