#include <string.h>

#include "host.h"
#include "workloads.h"

enum { THREADS = 256, LETTERS = 8, PLACES = 16 };

static struct example_result match(const struct example_device *device, const struct workload_scale *scale)
{
    static const char pattern[LETTERS + 1] = "abacabad";
    struct run run = run_start(device);
    const uint32_t ctas = host_ctas(scale, 8), letters = ctas * THREADS * PLACES;
    char *text = run_memory(&run, letters + PLACES, 1);
    uint32_t *want = run_memory(&run, letters / 32, sizeof *want), seed = 73;
    if (run.failed)
        return run_finish(&run, " ");
    for (size_t i = 0; i < letters + PLACES; i++)
        text[i] = "aaaaabbc"[random_below(&seed, 8)];
    for (size_t i = 0; i < letters / 100; i++)
        memcpy(text + random_below(&seed, letters), pattern, LETTERS);
    for (size_t i = 0; i < letters; i++)
        want[i / 32] |= (uint32_t)(memcmp(text + i, pattern, LETTERS) == 0) << i % 32;
    struct {
        uint64_t text, pattern, found;
    } slow;
    struct {
        uint64_t text;
        char pattern[LETTERS];
        uint64_t found;
    } fast;
    memcpy(fast.pattern, pattern, LETTERS);
    const uint32_t first = letters / PLACES / 32, all = letters / 32; /* words of results */
    slow.text = fast.text = run_upload(&run, text, letters + PLACES);
    slow.pattern = run_upload(&run, pattern, LETTERS);
    slow.found = run_output(&run, first);
    fast.found = run_output(&run, all);
    host_launch(&run, "match_letters", ctas, THREADS, &slow, sizeof slow);
    run_check_ints(&run, "letters", run_download(&run, slow.found, first), (int32_t *)want, first);
    host_launch(&run, "match_words", ctas, THREADS, &fast, sizeof fast);
    run_check_ints(&run, "words", run_download(&run, fast.found, all), (int32_t *)want, all);
    return run_finish(&run, "the words in %u letters are right", letters);
}

const struct workload workload_string_match = {
    .name = "string-match",
    .module = "strings",
    .class = "text",
    .summary = "a word in a text: letter by letter, and 16 places in registers",
    .arch = 60,
    .run = match,
};
