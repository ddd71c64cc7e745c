/* A decoder builds its rows when a word first asks for them. Threads share it. */
#include "base/hash.h"
#include "base/team.h"
#include "isa/table.h"
#include "tests/unit.h"

enum { THREADS = 4, WORDS = 4000 };

struct shared {
    const struct isa_decoder *decoder;
    uint64_t digest[THREADS];
};

/* All opcodes, in an order of the thread's own. */
static void decode_words(void *context, unsigned index)
{
    struct shared *shared = context;
    uint64_t digest = 0;
    for (unsigned i = 0; i < WORDS; i++) {
        unsigned n = (i * 7 + index * (WORDS / THREADS)) % WORDS;
        struct word128 word = {hash_mix(n) << 12 | n % 4096, hash_mix(~(uint64_t)n) & ~(UINT64_C(1) << 27)};
        struct isa_inst inst;
        char text[ISA_TEXT];
        isa_decode(shared->decoder, word, 0, &inst);
        isa_print(&inst, text);
        uint64_t h = HASH_SEED;
        for (const char *c = text; *c; c++)
            h = hash_mix(h ^ (uint8_t)*c);
        digest += h;
    }
    shared->digest[index] = digest;
}

static uint64_t decode_alone(unsigned sm)
{
    struct status status = {0};
    struct isa_decoder *decoder = isa_decoder_create(sm, &status);
    assert_non_null(decoder);
    assert_true(table_build_all(decoder, &status));
    struct shared shared = {.decoder = decoder};
    decode_words(&shared, 0);
    isa_decoder_destroy(decoder);
    return shared.digest[0];
}

static void threads_that_share_a_new_decoder_read_what_one_thread_reads(void **state)
{
    (void)state;
    static const unsigned sms[] = {75, 80, 90, 100, 120};
    struct team *team = team_create(THREADS);
    assert_non_null(team);
    for (size_t i = 0; i < sizeof sms / sizeof *sms; i++) {
        struct status status = {0};
        struct isa_decoder *decoder = isa_decoder_create(sms[i], &status);
        struct shared shared = {.decoder = decoder};
        uint64_t alone = decode_alone(sms[i]);
        assert_non_null(decoder);
        team_run(team, THREADS, decode_words, &shared);
        for (unsigned t = 0; t < THREADS; t++)
            assert_int_equal(shared.digest[t], alone);
        isa_decoder_destroy(decoder);
    }
    team_destroy(team);
}

UNIT_TESTS(UNIT(threads_that_share_a_new_decoder_read_what_one_thread_reads))
