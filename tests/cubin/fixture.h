/* Fixtures of this suite: reading, opening and damaging them. */
#ifndef SUBCORE_TESTS_CUBIN_FIXTURE_H
#define SUBCORE_TESTS_CUBIN_FIXTURE_H

#include "base/file.h"
#include "cubin/cubin.h"
#include "tests/unit.h"

struct fixture {
    struct file_bytes file;
    struct cubin cubin;
};

static inline struct file_bytes fixture_read(const char *path)
{
    char full[4096];
    struct file_bytes bytes;
    struct status status = {0};
    if (!file_read(unit_path(full, path), (size_t)1 << 30, &bytes, &status))
        fail_msg("%s", status.text);
    return bytes;
}

static inline struct cubin_bytes fixture_view(struct file_bytes bytes)
{
    return (struct cubin_bytes){bytes.data, bytes.size};
}

static inline struct fixture fixture_open(const char *path)
{
    struct fixture f = {.file = fixture_read(path)};
    struct status status = {0};
    if (!cubin_open(&f.cubin, fixture_view(f.file), path, &status))
        fail_msg("%s", status.text);
    return f;
}

static inline void fixture_close(struct fixture *f)
{
    cubin_close(&f->cubin);
    file_free(&f->file);
}

static inline const struct cubin_kernel *fixture_kernel(const struct fixture *f, const char *name)
{
    struct status status = {0};
    const struct cubin_kernel *k = cubin_find_kernel(&f->cubin, name, &status);
    if (!k)
        fail_msg("%s", status.text);
    return k;
}

static inline size_t fixture_section(const struct cubin *c, const char *name)
{
    for (size_t i = 0; i < c->section_count; i++)
        if (strcmp(c->sections[i].name, name) == 0)
            return i;
    fail_msg("no section %s", name);
    return 0;
}

static inline uint64_t get64(const uint8_t *p)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

static inline void put(uint8_t *p, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        p[i] = (uint8_t)(value >> 8 * i);
}

/* The header of a section, for writing. */
static inline uint8_t *fixture_header(struct fixture *f, const char *section)
{
    return f->file.data + get64(f->file.data + 40) + 64 * fixture_section(&f->cubin, section);
}

/* Contents of a section, for writing. */
static inline uint8_t *fixture_contents(struct fixture *f, const char *section)
{
    return f->file.data + get64(fixture_header(f, section) + 24);
}

#endif
