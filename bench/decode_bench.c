/* Speed of the decoder: million instructions a second on one thread, over the code of the examples. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/embed.h"
#include "cubin/cubin.h"
#include "isa/isa.h"

enum { DECODED = 20000000, ROUNDS = 3 };

struct code {
    struct word128 *word;
    size_t count, room;
};

static void add_word(struct code *code, const uint8_t *bytes)
{
    if (code->count == code->room) {
        code->room = code->room ? 2 * code->room : 1024;
        struct word128 *grown = realloc(code->word, code->room * sizeof *grown);
        if (!grown)
            abort();
        code->word = grown;
    }
    memcpy(&code->word[code->count++], bytes, sizeof *code->word);
}

static void add_cubin(struct code *code, const struct embedded *file, unsigned sm)
{
    struct cubin cubin;
    struct status status = {0};
    if (!cubin_open(&cubin, (struct cubin_bytes){file->data, file->size}, file->name, &status))
        return;
    for (size_t i = 0; cubin.sm == sm && i < cubin.kernel_count; i++)
        for (size_t at = 0; at + 16 <= cubin.kernels[i].code.size; at += 16)
            add_word(code, cubin.kernels[i].code.data + at);
    cubin_close(&cubin);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double best_seconds(const struct isa_decoder *decoder, const struct code *code, uint64_t *sum)
{
    double best = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        double start = now();
        for (size_t i = 0, k = 0; i < DECODED; i++, k = k + 1 == code->count ? 0 : k + 1) {
            struct isa_inst inst;
            isa_decode(decoder, code->word[k], (uint32_t)k * 16, &inst);
            *sum += inst.op + inst.d.index;
        }
        double seconds = now() - start;
        best = round == 0 || seconds < best ? seconds : best;
    }
    return best;
}

int main(void)
{
    size_t files;
    const struct embedded *cubins = embedded_cubins(&files);
    uint64_t sum = 0;
    for (unsigned sm = 80; sm <= 90; sm++) {
        struct status status = {0};
        struct code code = {0};
        for (size_t i = 0; i < files; i++)
            add_cubin(&code, &cubins[i], sm);
        struct isa_decoder *decoder = code.count ? isa_decoder_create(sm, &status) : NULL;
        if (decoder)
            printf("sm_%u  %6zu instructions  %6.1f M/s\n", sm, code.count,
                   DECODED / best_seconds(decoder, &code, &sum) * 1e-6);
        isa_decoder_destroy(decoder);
        free(code.word);
    }
    return sum == 0;
}
