#include "trace/code.h"

#include <stdlib.h>

#include "trace/check.h"
#include "trace/metadata.h"

void trace_code_leave(struct trace_code *code)
{
    if (!code || --code->users)
        return;
    struct trace_launch launch = {.code = code->inst, .code_count = code->count};
    trace_launch_free(&launch);
    trace_bytes_free(&code->bytes);
    free(code->reach);
    free(code);
}

static void forget_oldest(struct trace_codes *codes)
{
    struct trace_code *c = codes->last[codes->oldest];
    codes->oldest = (codes->oldest + 1) % TRACE_CODES;
    codes->count--;
    codes->instructions -= c->count;
    trace_code_leave(c);
}

void trace_codes_free(struct trace_codes *codes)
{
    while (codes->count)
        forget_oldest(codes);
    isa_decoder_destroy(codes->decoder);
    *codes = (struct trace_codes){0};
}

static struct trace_code *find(const struct trace_codes *codes, uint32_t architecture, const struct trace_view *bytes)
{
    for (uint32_t i = 0; i < codes->count; i++) {
        struct trace_code *c = codes->last[(codes->oldest + i) % TRACE_CODES];
        if (c->architecture == architecture && c->bytes.size == trace_left(bytes) &&
            memcmp(c->bytes.data, bytes->at, c->bytes.size) == 0)
            return c;
    }
    return NULL;
}

static struct trace_code *take(uint32_t architecture, struct trace_view *rest)
{
    struct trace_code *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (struct trace_code){.users = 1, .architecture = architecture, .identity = trace_identity_begin()};
    trace_put(&c->bytes, rest->at, trace_left(rest));
    trace_identity_add(&c->identity, rest->at, trace_left(rest));
    if (!c->bytes.failed && trace_metadata_take_code(&c->inst, &c->count, rest))
        return c;
    trace_code_leave(c);
    return NULL;
}

static void remember(struct trace_codes *codes, struct trace_code *c)
{
    while (codes->count == TRACE_CODES || (codes->count && codes->instructions + c->count > TRACE_CODES_INSTRUCTIONS))
        forget_oldest(codes);
    codes->last[(codes->oldest + codes->count++) % TRACE_CODES] = c;
    codes->instructions += c->count;
    c->users++;
}

struct trace_code *trace_codes_take(struct trace_codes *codes, uint32_t architecture, struct trace_view *rest)
{
    struct trace_code *c = find(codes, architecture, rest);
    if (c) {
        c->users++;
        return c;
    }
    c = take(architecture, rest);
    if (c)
        remember(codes, c);
    return c;
}

static bool find_reach(struct trace_code *c)
{
    c->reach = malloc(c->count + 1u);
    for (uint32_t i = 0; c->reach && i < c->count; i++)
        c->reach[i] = (uint8_t)trace_reach_of(&c->inst[i].isa);
    return c->reach != NULL;
}

bool trace_codes_decode(struct trace_codes *codes, struct trace_code *code, struct status *status)
{
    if (code->reach)
        return true;
    if (codes->architecture != code->architecture) {
        isa_decoder_destroy(codes->decoder);
        codes->decoder = isa_decoder_create(code->architecture, status);
        codes->architecture = codes->decoder ? code->architecture : 0;
    }
    for (uint32_t i = 0; codes->decoder && i < code->count; i++) {
        struct isa_inst *isa = &code->inst[i].isa;
        isa_decode(codes->decoder, isa->word, i * 16, isa);
    }
    if (!codes->decoder)
        return false;
    return find_reach(code) || status_fail(status, STATUS_MEMORY, "no memory for the code of a trace");
}
