#include "cli/code/listing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "isa/pascal.h"
#include "isa/resources.h"

enum { INST_BYTES = 16, LABEL = 24, TEXT = ISA_TEXT + LABEL };

struct word128 listing_word(const uint8_t *bytes)
{
    struct word128 word = {0, 0};
    for (unsigned i = 0; i < 8; i++) {
        word.lo |= (uint64_t)bytes[i] << 8 * i;
        word.hi |= (uint64_t)bytes[8 + i] << 8 * i;
    }
    return word;
}

/* ---- addresses: those of Pascal count control words, too ------------------------------------------------------ */

static bool is_pascal(const struct listing *listing) { return pascal_supported(listing->cubin->sm); }

static uint32_t address_of(const struct listing *listing, uint32_t pc)
{
    return is_pascal(listing) ? pascal_address(pc) : pc;
}

static uint32_t label_address(const struct listing *listing, uint32_t pc)
{
    return is_pascal(listing) ? pascal_label_address(pc) : pc;
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

/* Where the text names the branch target, or NULL: it is the last operand, bits that do not print may follow it. */
static char *find_target(const struct listing *listing, const struct isa_inst *inst, char *text, size_t *length)
{
    char target[16];
    if (inst->op == ISA_INVALID || isa_op_info((enum isa_op)inst->op)->pipe != ISA_PIPE_CBU || text[0] == '.' ||
        strncmp(text, "JCAL", 4) == 0) /* names a whole address */
        return NULL;
    *length = (size_t)snprintf(target, sizeof target, "0x%x", label_address(listing, inst->target));
    char *brace = strstr(text, " {"), *end = brace ? brace : text + strlen(text);
    if ((size_t)(end - text) <= *length || strncmp(end - *length, target, *length) != 0 ||
        end[-(ptrdiff_t)*length - 1] != ' ')
        return NULL;
    return end - *length;
}

/* Targets that the loader fills in lie elsewhere. */
static bool in_code(const struct listing *listing, const struct isa_inst *inst)
{
    return !listing_relocated(listing->cubin, listing->kernel->section, address_of(listing, inst->pc)) &&
           inst->target % INST_BYTES == 0 && inst->target / INST_BYTES < listing->count;
}

static void number_labels(struct listing *listing)
{
    uint32_t number = 0;
    for (size_t i = 0; i < listing->count; i++)
        if (listing->label[i])
            listing->label[i] = ++number;
}

bool listing_create(struct listing *listing, const struct isa_assembler *assembler, const struct cubin *cubin,
                    const struct cubin_kernel *kernel, struct status *status)
{
    *listing = (struct listing){.cubin = cubin,
                                .kernel = kernel,
                                .assembler = assembler,
                                .count = isa_code_count(cubin->sm, kernel->code.size),
                                .entry = true};
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
        struct word128 word = is_pascal(listing) ? pascal_word(kernel->code.data, (uint32_t)i)
                                                 : listing_word(kernel->code.data + i * INST_BYTES);
        isa_decode(isa_assembler_decoder(assembler), word, (uint32_t)(i * INST_BYTES), inst);
        isa_print(inst, text);
        if (in_code(listing, inst) && find_target(listing, inst, text, &length))
            listing->label[inst->target / INST_BYTES] = 1;
    }
    number_labels(listing);
    listing->line_count = cubin_lines(cubin, kernel, &listing->lines);
    return true;
}

void listing_free(struct listing *listing)
{
    free(listing->code);
    free(listing->label);
    free(listing->lines);
    *listing = (struct listing){0};
}

static void put_labels(const struct listing *listing, const struct isa_inst *inst, char text[TEXT])
{
    size_t length;
    char *target = find_target(listing, inst, text, &length);
    if (!target || !in_code(listing, inst))
        return;
    char behind[TEXT];
    snprintf(behind, sizeof behind, "%s", target + length);
    snprintf(target, (size_t)(text + TEXT - target), "`(.L_x_%" PRIu32 ")%s",
             listing->label[inst->target / INST_BYTES] - 1, behind);
}

/* ---- heading ----------------------------------------------------------------------------------------------------- */

static void print_three(const char *directive, const uint32_t n[3], FILE *out)
{
    if (n[0])
        fprintf(out, "%s %" PRIu32 ", %" PRIu32 ", %" PRIu32 "\n", directive, n[0], n[1], n[2]);
}

/* The offset is written where the assembler would choose another one. */
static void print_parameters(const struct listing *listing, FILE *out)
{
    const struct cubin_kernel *k = listing->kernel;
    const struct cubin_abi *abi = cubin_abi(listing->cubin->sm);
    uint32_t end = 0;
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        const struct cubin_parameter *p = &k->parameters[i];
        uint32_t alignment = p->size & (0 - p->size);
        alignment = alignment > 8 || alignment == 0 ? 8 : alignment;
        uint32_t natural = (end + alignment - 1) / alignment * alignment;
        fprintf(out, ".param arg%" PRIu32 ", %" PRIu32, i, p->size);
        if (p->offset != natural)
            fprintf(out, ", 0x%x", p->offset);
        fprintf(out, "    // c[0x0][0x%" PRIx32 "]\n", k->parameter_base + p->offset);
        end = p->offset + p->size > end ? p->offset + p->size : end;
    }
    if (k->parameter_bytes > end)
        fprintf(out, ".param_bytes %" PRIu32 "\n", k->parameter_bytes);
    if (!abi || k->parameter_base != abi->parameters)
        fprintf(out, ".param_base 0x%" PRIx32 "\n", k->parameter_base);
}

static void print_heading(const struct listing *listing, FILE *out)
{
    const struct cubin_kernel *k = listing->kernel;
    fputs(listing->entry ? ".kernel " : ".function ", out);
    text_print(out, k->name);
    fputc('\n', out);
    if (!listing->entry) {
        if (k->registers)
            fprintf(out, ".registers %" PRIu32 "\n", k->registers);
        return;
    }
    print_parameters(listing, out);
    fprintf(out, ".registers %" PRIu32 "\n", k->registers);
    if (k->static_shared_bytes)
        fprintf(out, ".shared_size %" PRIu32 "\n", k->static_shared_bytes);
    if (k->frame_bytes && k->frame_bytes != k->stack_bytes)
        fprintf(out, ".frame %" PRIu32 "\n", k->frame_bytes);
    if (k->stack_bytes || k->stack_unknown)
        fprintf(out, ".stack %" PRIu32 "%s\n", k->stack_bytes, k->stack_unknown ? ", open" : "");
    fprintf(out, ".barriers %" PRIu32 "\n", k->barriers);
    print_three(".maxntid", k->max_threads, out);
    print_three(".reqntid", k->required_threads, out);
    print_three(".cluster", k->cluster, out);
    if (k->cluster_most)
        fprintf(out, ".maxclusterrank %" PRIu32 "\n", k->cluster_most);
    if (k->cluster_explicit)
        fputs(".explicitcluster\n", out);
    if (k->grid_of_clusters)
        fputs(".blocksareclusters\n", out);
    if (k->constant2.size) {
        fputs(".bank2\n", out);
        struct cubin_section bank = {.bytes = k->constant2, .size = k->constant2.size};
        listing_print_bytes(NULL, &bank, 0, bank.size, out);
        fputs(".end\n", out);
    }
}

/* ---- code -------------------------------------------------------------------------------------------------------- */

static const char *line_file(const struct listing *listing, const struct cubin_line *line)
{
    const char *file = cubin_line_file(listing->cubin, line->file);
    return file ? file : "?";
}

static const struct cubin_line *line_at(const struct listing *listing, uint32_t pc)
{
    const struct cubin_line *found = NULL;
    for (size_t i = 0; i < listing->line_count && listing->lines[i].pc <= pc; i++)
        found = &listing->lines[i];
    return found;
}

/* Before an instruction at which a source line begins. */
static void print_line(const struct listing *listing, size_t *next, uint32_t pc, FILE *out)
{
    const struct cubin_line *line = NULL;
    while (*next < listing->line_count && listing->lines[*next].pc <= pc)
        line = &listing->lines[(*next)++];
    if (line) {
        fputs("    // ", out);
        text_print(out, line_file(listing, line));
        fprintf(out, ":%" PRIu32 "\n", line->line);
    }
}

/* Functions inside of the kernel. */
static void print_entries(const struct listing *listing, uint32_t pc, FILE *out)
{
    for (size_t i = 0; i < listing->cubin->symbol_count; i++) {
        const struct cubin_symbol *s = &listing->cubin->symbols[i];
        if (s->section == listing->kernel->section && s->type == 2 &&
            (s->value == address_of(listing, pc) || s->value == label_address(listing, pc)) && !(s->other & 0x10) &&
            strcmp(s->name, listing->kernel->name) != 0) {
            fputs(".symbol ", out);
            text_print(out, s->name);
            fputc('\n', out);
        }
    }
}

void listing_print(const struct listing *listing, FILE *out)
{
    size_t line = 0;
    print_heading(listing, out);
    fputc('\n', out);
    for (size_t i = 0; i < listing->count; i++) {
        char text[TEXT], control[32];
        const struct isa_inst *inst = &listing->code[i];
        uint32_t address = address_of(listing, inst->pc);
        print_entries(listing, inst->pc, out);
        if (listing->label[i])
            fprintf(out, ".L_x_%" PRIu32 ":\n", listing->label[i] - 1);
        print_line(listing, &line, inst->pc, out);
        listing_print_relocations(listing->cubin, listing->kernel->section, address, out);
        isa_print_control(isa_assembler_control(listing->assembler, inst->word), control);
        isa_print_exact(listing->assembler, inst, text);
        put_labels(listing, inst, text);
        fprintf(out, "    /*%04" PRIx32 "*/  %s  %s ;\n", address, control, text);
    }
    fputs(".end\n", out);
}

void listing_print_plain(const struct listing *listing, FILE *out)
{
    fputs("\t.text.", out);
    text_print(out, listing->kernel->name);
    fputs(":\n", out);
    for (size_t i = 0; i < listing->count; i++) {
        char text[TEXT];
        const struct isa_inst *inst = &listing->code[i];
        if (listing->label[i])
            fprintf(out, ".L_x_%" PRIu32 ":\n", listing->label[i] - 1);
        isa_print(inst, text);
        put_labels(listing, inst, text);
        fprintf(out, "        /*%04" PRIx32 "*/                   %s ;\n", address_of(listing, inst->pc), text);
    }
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* "R2 R3 UR4 P0": the registers that an instruction reads or writes, in the order of the numbers. */
static void write_resources(struct json *json, const char *key, const struct resources *r)
{
    static const struct {
        unsigned first;
        const char *prefix;
    } kinds[] = {{RESOURCE_REGISTER, "R"},           {RESOURCE_UNIFORM, "UR"}, {RESOURCE_PREDICATE, "P"},
                 {RESOURCE_UNIFORM_PREDICATE, "UP"}, {RESOURCE_BARRIER, "B"},  {RESOURCES, ""}};
    bool has[RESOURCES] = {false};
    char text[1024] = "";
    size_t used = 0;
    for (unsigned i = 0; i < r->count; i++)
        has[r->items[i]] = true;
    for (unsigned kind = 0; kinds[kind].first < RESOURCES; kind++)
        for (unsigned i = kinds[kind].first; i < kinds[kind + 1].first; i++)
            if (has[i] && used < sizeof text)
                used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%u", used ? " " : "", kinds[kind].prefix,
                                         i - kinds[kind].first);
    json_string(json, key, text);
}

static void write_instruction(const struct listing *listing, size_t index, struct json *json)
{
    const struct isa_inst *inst = &listing->code[index];
    const struct cubin_line *line = line_at(listing, inst->pc);
    char text[ISA_TEXT], control[32], word[40], label[LABEL];
    isa_print(inst, text);
    isa_print_control(isa_assembler_control(listing->assembler, inst->word), control);
    if (is_pascal(listing))
        snprintf(word, sizeof word, "%016jx", (uintmax_t)inst->word.lo);
    else
        snprintf(word, sizeof word, "%016jx%016jx", (uintmax_t)inst->word.hi, (uintmax_t)inst->word.lo);
    json_object(json, NULL);
    json_uint(json, "address", address_of(listing, inst->pc));
    json_string(json, "word", word);
    json_string(json, "control", control);
    json_string(json, "text", text);
    if (inst->op != ISA_INVALID) {
        struct resources touched;
        resources_read(inst, &touched);
        write_resources(json, "reads", &touched);
        resources_written(inst, &touched);
        write_resources(json, "writes", &touched);
    }
    if (listing->label[index]) {
        snprintf(label, sizeof label, ".L_x_%" PRIu32, listing->label[index] - 1);
        json_string(json, "label", label);
    }
    if (line) {
        json_string(json, "file", line_file(listing, line));
        json_uint(json, "line", line->line);
    }
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
        json_uint(json, "offset", k->parameter_base + k->parameters[i].offset);
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
