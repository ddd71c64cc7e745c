/* Changes assembler files in many ways, the same in every run, and assembles each. */
#include "base/file.h"
#include "base/hash.h"
#include "tests/fuzz/asm_check.h"
#include "tests/unit.h"

enum { MUTANTS = 600, GROWTH = 64 };

struct random {
    uint64_t seed, step;
};

static uint64_t draw(struct random *r, uint64_t below) { return hash_mix(r->seed ^ hash_mix(r->step++)) % below; }

static const char *const words[] = {"[B0-----:R-:W-:-:S15]",
                                    "c[0x0][x+",
                                    "-0x1",
                                    "/*",
                                    "\n.end\n",
                                    ".kernel k\n",
                                    "R255",
                                    "next:\n",
                                    "BRA next\n",
                                    "\"",
                                    "@!P",
                                    ".const c\n",
                                    "`(",
                                    "32@lo(",
                                    "{@33=",
                                    ".reloc 0x38, k\n",
                                    "99999999999999999999",
                                    ".word 0x",
                                    "\n[",
                                    "HMMA.16816.F32 "};

/* `text` has room for GROWTH bytes more. */
static size_t change(struct random *r, uint8_t *text, size_t size)
{
    size_t at = draw(r, size);
    switch (draw(r, 4)) {
    case 0: text[at] = (uint8_t)draw(r, 256); return size;
    case 1: {
        size_t length = 1 + draw(r, 12);
        length = length < size - at ? length : size - at;
        memmove(text + at, text + at + length, size - at - length);
        return size - length;
    }
    case 2: {
        const char *word = words[draw(r, sizeof words / sizeof *words)];
        memmove(text + at + strlen(word), text + at, size - at);
        memcpy(text + at, word, strlen(word));
        return size + strlen(word);
    }
    default: { /* a piece from elsewhere */
        size_t from = draw(r, size), length = draw(r, 24);
        uint8_t piece[24];
        length = length < size - from ? length : size - from;
        memcpy(piece, text + from, length);
        memmove(text + at + length, text + at, size - at);
        memcpy(text + at, piece, length);
        return size + length;
    }
    }
}

static void mutate(const char *path)
{
    char full[4096];
    struct file_bytes file;
    struct status status = {0};
    if (!file_read(unit_path(full, path), 1 << 20, &file, &status))
        fail_msg("%s", status.text);
    asm_check(file.data, file.size);
    for (unsigned i = 0; i < MUTANTS; i++) {
        struct random r = {.seed = i + 1};
        uint8_t *text = malloc(file.size + 4 * (size_t)GROWTH);
        assert_non_null(text);
        memcpy(text, file.data, file.size);
        size_t size = file.size;
        for (uint64_t n = 1 + draw(&r, 4); n > 0 && size > 0; n--)
            size = change(&r, text, size);
        asm_check(text, size);
        free(text);
    }
    file_free(&file);
}

static void changed_files_are_assembled_or_refused(void **state)
{
    (void)state;
    mutate("examples/sass/saxpy.sass");
    mutate("examples/sass/reduce.sass");
    mutate("examples/sass/polynomial.sass");
}

UNIT_TESTS(UNIT(changed_files_are_assembled_or_refused))
