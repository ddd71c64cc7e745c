/* The reader in Python, which was written from the description of the format, reads the same. */
#include <unistd.h>

#include "../unit.h"
#include "base/bits.h"
#include "stream.h"

enum { NO_ZSTD = 77, LINE = 8192 };

static size_t put_addresses(char *to, const struct issued *is, uint32_t lanes, bool shared)
{
    size_t used = 0;
    if (!lanes)
        return (size_t)sprintf(to, " -");
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = lowest_bit32(left);
        uint64_t address = shared ? is->shared[lane] : is->address[lane];
        used += (size_t)sprintf(to + used, "%c%llx", left == lanes ? ' ' : ',', (unsigned long long)address);
    }
    return used;
}

static void print(const struct issued *is, char text[LINE])
{
    static const char *const flows[] = {"next", "jump", "exited", "barrier"};
    static const char *const spaces[] = {"none", "global", "shared", "local", "constant", "generic"};
    bool some = is->space != ISA_SPACE_NONE;
    int n = snprintf(text, LINE, "%04x %08x %08x %s %04x %u %u %d %u %u %s %u %08x %llx", (unsigned)is->pc,
                     (unsigned)is->path, (unsigned)is->active, flows[is->flow], (unsigned)is->next_pc,
                     (unsigned)is->barrier, (unsigned)is->barrier_warps, is->barrier_arrive, (unsigned)is->sleep,
                     (unsigned)is->values, spaces[is->space], (unsigned)is->bytes, (unsigned)is->zero_fill,
                     (unsigned long long)is->cache_policy);
    size_t used = (size_t)n;
    used += put_addresses(text + used, is, some ? is->active & ~is->zero_fill : 0, false);
    used += put_addresses(text + used, is, some && test_copies(is->pc) ? is->active : 0, true);
    strcpy(text + used, "\n");
}

/* Runs it (false: it found no zstd). */
static bool compare(const struct trial *t, uint64_t cta, uint32_t warp)
{
    char script[4096], command[12000], line[LINE], expected[LINE];
    struct status status = {0};
    struct issued is;
    unsigned count = 0;
    snprintf(command, sizeof command, "python3 '%s' '%s' 0 %llu %u", unit_path(script, "tools/read_trace.py"), t->path,
             (unsigned long long)cta, (unsigned)warp);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_true(trace_cursor_seek(t->cursor, cta, warp, &status));
    while (fgets(line, sizeof line, pipe) && strncmp(line, "no zstd", 7) != 0) {
        assert_true(trace_cursor_next(t->cursor, &is, &status));
        print(&is, expected);
        assert_string_equal(line, expected);
        count++;
    }
    int ended = pclose(pipe);
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == NO_ZSTD)
        return false;
    assert_int_equal(ended, 0);
    assert_false(trace_cursor_next(t->cursor, &is, &status));
    assert_string_equal(status.text, "");
    assert_true(count > 0);
    return true;
}

static void the_reader_in_python_reads_the_same(void **state)
{
    enum { CTAS = 3, WARPS = 2 };
    struct trial t;
    (void)state;
    if (system("python3 -c '' 2>/dev/null") != 0)
        skip();
    trial_begin(&t, CTAS, WARPS * 32);
    free(wild_write(&t, CTAS, WARPS, 1200, 40));
    trial_reopen(&t);
    for (uint32_t i = 0; i < CTAS * WARPS; i++)
        if (!compare(&t, i / WARPS, i % WARPS)) {
            trial_end(&t);
            skip();
        }
    trial_end(&t);
}

UNIT_TESTS(UNIT(the_reader_in_python_reads_the_same))
