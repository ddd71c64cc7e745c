#include "cli/listing.h"

#include <stdlib.h>
#include <string.h>

enum { INST_BYTES = 16, LABEL = 24 };

static void label_name(uint32_t pc, char name[LABEL]) { snprintf(name, LABEL, ".L_%04x", pc); }

/* Where the text names the branch target, or NULL. */
static char *find_target(const struct isa_inst *inst, char *text, size_t *length)
{
    char target[16];
    if (inst->op == ISA_INVALID || isa_op_info((enum isa_op)inst->op)->pipe != ISA_PIPE_CBU)
        return NULL;
    *length = (size_t)snprintf(target, sizeof target, "0x%x", inst->target);
    char *end = text + strlen(text);
    if ((size_t)(end - text) <= *length || strcmp(end - *length, target) != 0 || end[-(ptrdiff_t)*length - 1] != ' ')
        return NULL;
    return end - *length;
}

struct word128 listing_word(const uint8_t *bytes)
{
    struct word128 word = {0, 0};
    for (unsigned i = 0; i < 8; i++) {
        word.lo |= (uint64_t)bytes[i] << 8 * i;
        word.hi |= (uint64_t)bytes[8 + i] << 8 * i;
    }
    return word;
}

bool listing_create(struct listing *listing, const struct isa_decoder *decoder, const struct cubin_kernel *kernel,
                    struct status *status)
{
    *listing = (struct listing){.kernel = kernel, .count = kernel->code.size / INST_BYTES};
    listing->code = calloc(listing->count + 1, sizeof *listing->code);
    listing->label = calloc(listing->count + 1, sizeof *listing->label);
    if (!listing->code || !listing->label) {
        listing_free(listing);
        return status_fail(status, STATUS_MEMORY, "no memory for the code of %.100s", kernel->name);
    }
    for (size_t i = 0; i < listing->count; i++) {
        char text[ISA_TEXT];
        size_t length;
        struct isa_inst *inst = &listing->code[i];
        isa_decode(decoder, listing_word(kernel->code.data + i * INST_BYTES), (uint32_t)(i * INST_BYTES), inst);
        isa_print(inst, text);
        if (inst->target / INST_BYTES < listing->count && find_target(inst, text, &length))
            listing->label[inst->target / INST_BYTES] = true;
    }
    return true;
}

void listing_free(struct listing *listing)
{
    free(listing->code);
    free(listing->label);
    *listing = (struct listing){0};
}

static void instruction_text(const struct listing *listing, size_t index, char text[ISA_TEXT + LABEL])
{
    const struct isa_inst *inst = &listing->code[index];
    size_t length;
    isa_print(inst, text);
    char *target = find_target(inst, text, &length);
    if (target && inst->target / INST_BYTES < listing->count)
        label_name(inst->target, target);
}

static void print_heading(const struct cubin_kernel *k, FILE *out)
{
    fprintf(out, "%s\n  %u registers, %u bytes of static shared memory, %u of local memory, %zu instructions\n",
            k->name, k->registers, k->static_shared_bytes, k->stack_bytes, k->code.size / INST_BYTES);
    if (k->max_threads[0])
        fprintf(out, "  at most %u threads a CTA\n", k->max_threads[0] * k->max_threads[1] * k->max_threads[2]);
    for (uint32_t i = 0; i < k->parameter_count; i++)
        fprintf(out, "  parameter %u: c[0x0][0x%x], %u bytes\n", i, k->parameter_base + k->parameters[i].offset,
                k->parameters[i].size);
}

void listing_print(const struct listing *listing, FILE *out)
{
    print_heading(listing->kernel, out);
    fputc('\n', out);
    for (size_t i = 0; i < listing->count; i++) {
        char text[ISA_TEXT + LABEL], control[32], label[LABEL];
        if (listing->label[i]) {
            label_name(listing->code[i].pc, label);
            fprintf(out, "%s:\n", label);
        }
        isa_print_control(listing->code[i].control, control);
        instruction_text(listing, i, text);
        fprintf(out, "  %04x  %s  %s ;\n", listing->code[i].pc, control, text);
    }
}

static void write_instruction(const struct listing *listing, size_t index, struct json *json)
{
    const struct isa_inst *inst = &listing->code[index];
    char text[ISA_TEXT], control[32], word[40];
    isa_print(inst, text);
    isa_print_control(inst->control, control);
    snprintf(word, sizeof word, "%016jx%016jx", (uintmax_t)inst->word.hi, (uintmax_t)inst->word.lo);
    json_object(json, NULL);
    json_uint(json, "address", inst->pc);
    json_string(json, "word", word);
    json_string(json, "control", control);
    json_string(json, "text", text);
    json_end(json);
}

void listing_json(const struct listing *listing, struct json *json)
{
    const struct cubin_kernel *k = listing->kernel;
    json_object(json, NULL);
    json_string(json, "name", k->name);
    json_uint(json, "registers", k->registers);
    json_uint(json, "static_shared", k->static_shared_bytes);
    json_uint(json, "local_bytes", k->stack_bytes);
    json_array(json, "parameters");
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        json_object(json, NULL);
        json_uint(json, "offset", k->parameters[i].offset);
        json_uint(json, "bytes", k->parameters[i].size);
        json_end(json);
    }
    json_end(json);
    json_array(json, "instructions");
    for (size_t i = 0; i < listing->count; i++)
        write_instruction(listing, i, json);
    json_end(json);
    json_end(json);
}
