#include "driver/module/jit.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cubin/code.h"
#include "driver/module/ptx.h"
#include "driver/state/say.h"
#include "exec/launch/service.h"

enum { ENTRIES = 256 }; /* compiled images that are kept */

struct entry {
    uint64_t key[2];
    uint8_t *cubin;
    size_t size;
    char *notes;
};

struct jit {
    pthread_mutex_t lock; /* one compilation at a time */
    bool looked;
    struct nvjitlink *library;
    char *ptxas;
    struct entry entries[ENTRIES]; /* in turn */
    size_t next;
};

struct jit *jit_create(void)
{
    struct jit *jit = calloc(1, sizeof *jit);
    if (jit)
        pthread_mutex_init(&jit->lock, NULL);
    return jit;
}

void jit_answer_free(struct jit_answer *answer)
{
    free(answer->cubin);
    free(answer->errors);
    free(answer->notes);
    *answer = (struct jit_answer){0};
}

/* ---- PTX --------------------------------------------------------------------------------------------------------- */

static bool starts_directive(const char *text, size_t size) { return memmem(text, size, ".version", 8) != NULL; }

/* Whether PTX for sm_`target` and the suffix compiles for the device. */
static bool target_fits(unsigned target, char suffix, unsigned sm)
{
    if (suffix == 'a')
        return target == sm;
    if (suffix == 'f')
        return target <= sm && cubin_same_family(target, sm);
    return target <= sm;
}

static CUresult check_targets(const struct jit_request *request)
{
    for (size_t i = 0; i < request->count; i++) {
        const struct jit_input *in = &request->inputs[i];
        char suffix[2] = {0};
        if (in->type != CU_JIT_INPUT_PTX)
            continue;
        if (!starts_directive(in->data, in->size)) {
            say("%s: no PTX: it has no .version", in->name);
            return CUDA_ERROR_INVALID_PTX;
        }
        unsigned target = ptx_target(in->data, in->size, suffix);
        if (target == 0 || target_fits(target, suffix[0], request->sm))
            continue;
        say("%s: PTX for sm_%u%s does not run on sm_%u", in->name, target, suffix, request->sm);
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    return CUDA_SUCCESS;
}

/* ---- earlier results of the compiler ----------------------------------------------------------------------------- */

static void key_of(const struct jit_request *request, uint64_t key[static 2])
{
    for (unsigned k = 0; k < 2; k++) {
        uint64_t h = hash_bytes(HASH_SEED + k, &request->sm, sizeof request->sm);
        const struct jit_options *o = &request->options;
        const int options[] = {o->registers, o->level, o->debug, o->lines, o->verbose};
        h = hash_bytes(h, options, sizeof options);
        for (size_t i = 0; i < request->count; i++) {
            const struct jit_input *in = &request->inputs[i];
            h = hash_bytes(h, &in->type, sizeof in->type);
            h = hash_bytes(h, &in->size, sizeof in->size);
            h = hash_bytes(h, in->data, in->size);
        }
        key[k] = h;
    }
}

static bool recall(const struct jit *jit, const uint64_t key[static 2], struct jit_answer *answer)
{
    for (size_t i = 0; i < ENTRIES; i++) {
        const struct entry *e = &jit->entries[i];
        if (!e->cubin || e->key[0] != key[0] || e->key[1] != key[1])
            continue;
        answer->cubin = malloc(e->size);
        answer->notes = e->notes ? strdup(e->notes) : NULL;
        if (!answer->cubin)
            return false;
        memcpy(answer->cubin, e->cubin, e->size);
        answer->size = e->size;
        return true;
    }
    return false;
}

static void keep(struct jit *jit, const uint64_t key[static 2], const struct jit_answer *answer)
{
    struct entry *e = &jit->entries[jit->next++ % ENTRIES];
    free(e->cubin);
    free(e->notes);
    *e = (struct entry){.key = {key[0], key[1]}, .cubin = malloc(answer->size), .size = answer->size};
    if (e->cubin)
        memcpy(e->cubin, answer->cubin, answer->size);
    e->notes = answer->notes ? strdup(answer->notes) : NULL;
}

/* ---- choice of a compiler ---------------------------------------------------------------------------------------- */

static void look(struct jit *jit)
{
    const char *only = getenv("SUBCORE_PTX_COMPILER");
    jit->looked = true;
    if (!only || strcmp(only, "nvjitlink") == 0)
        jit->library = nvjitlink_open();
    if (!jit->library && (!only || strcmp(only, "ptxas") == 0))
        jit->ptxas = ptxas_find();
}

static CUresult compile(struct jit *jit, const struct jit_request *request, struct jit_answer *answer)
{
    if (!jit->looked)
        look(jit);
    if (jit->library)
        return nvjitlink_run(jit->library, request, answer);
    bool single = request->count == 1 && request->inputs[0].type == CU_JIT_INPUT_PTX;
    if (jit->ptxas && single)
        return ptxas_run(jit->ptxas, request, answer);
    if (single)
        say("the program has PTX only for this GPU, and there is no compiler: install libnvJitLink.so.13 or ptxas of "
            "CUDA 13 (LD_LIBRARY_PATH, PATH or CUDA_HOME tell where), or build the program with -arch=sm_%u",
            request->sm);
    else
        say("linking device code needs libnvJitLink.so.13 of CUDA 13: install it, or tell by LD_LIBRARY_PATH or "
            "CUDA_HOME "
            "where it is");
    return CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
}

static void explain(const struct jit_request *request, CUresult result, const struct jit_answer *answer)
{
    if (!answer->errors || result == CUDA_SUCCESS)
        return;
    size_t length = strcspn(answer->errors, "\n");
    for (const char *line = answer->errors; *line; length = strcspn(line, "\n")) {
        if (length > 0)
            say("%s: %.*s", request->inputs[0].name, (int)(length < 1000 ? length : 1000), line);
        line += length + (line[length] == '\n');
    }
    if (service_launches(answer->errors))
        say("launches by device code (dynamic parallelism) are not supported: launch those kernels from the host");
}

CUresult jit_run(struct jit *jit, const struct jit_request *request, struct jit_answer *answer)
{
    uint64_t key[2];
    *answer = (struct jit_answer){0};
    CUresult result = check_targets(request);
    if (result != CUDA_SUCCESS)
        return result;
    key_of(request, key);
    pthread_mutex_lock(&jit->lock);
    if (!recall(jit, key, answer)) {
        result = compile(jit, request, answer);
        explain(request, result, answer);
        if (result == CUDA_SUCCESS)
            keep(jit, key, answer);
    }
    pthread_mutex_unlock(&jit->lock);
    return result;
}
