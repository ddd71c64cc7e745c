#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "cli/arch.h"
#include "cli/command.h"
#include "cli/document.h"
#include "isa/contract.h"
#include "isa/describe.h"

enum { NAME_ROOM = 40, ARCHITECTURES_ROOM = 96 };

struct pages {
    struct document document;
    FILE *out;              /* NULL: no text */
    uint32_t architectures; /* those asked for */
};

/* Ids that differ only in the roles of their operands are one opcode to the reader. */
static bool same_opcode(enum isa_op a, enum isa_op b)
{
    const struct isa_op_info *x = isa_op_info(a), *y = isa_op_info(b);
    return strcmp(x->name, y->name) == 0 && x->pipe == y->pipe && x->way == y->way && x->latency == y->latency &&
           x->memory == y->memory && x->space == y->space && ((x->flags ^ y->flags) & ISA_NOT_EXECUTABLE) == 0;
}

static uint32_t opcode_architectures(enum isa_op op)
{
    uint32_t found = 0;
    for (unsigned other = 1; other < ISA_OP_COUNT; other++) /* all opcodes */
        if (same_opcode(op, (enum isa_op)other))
            found |= describe_architectures((enum isa_op)other);
    return found;
}

static bool is_first(enum isa_op op)
{
    for (unsigned other = 1; other < op; other++)
        if (same_opcode(op, (enum isa_op)other))
            return false;
    return true;
}

static const char *executed(enum isa_op op)
{
    return isa_op_info(op)->flags & ISA_NOT_EXECUTABLE ? "decoded only" : "executed";
}

static void json_architectures(struct json *json, uint32_t architectures)
{
    json_array(json, "architectures");
    for (unsigned i = 0; architectures >> i; i++)
        if (architectures >> i & 1)
            json_uint(json, NULL, isa_architecture(i));
    json_end(json);
}

/* ---- one opcode a line ------------------------------------------------------------------------------------------- */

static void begin_opcode(struct json *json, enum isa_op op, uint32_t architectures)
{
    const struct isa_op_info *info = isa_op_info(op);
    json_object(json, NULL);
    json_string(json, "mnemonic", info->name);
    json_string(json, "pipe", isa_pipe_name(info->pipe));
    json_string(json, "way", isa_way_name(info->way));
    json_string(json, "latency", describe_latency(info->latency));
    json_bool(json, "fixed_latency", isa_latency_may_be_fixed(info->latency));
    json_string(json, "memory", describe_memory(info->memory));
    json_string(json, "space", describe_space(info->space));
    json_bool(json, "executed", !(info->flags & ISA_NOT_EXECUTABLE));
    json_architectures(json, architectures);
}

static int by_name(const void *a, const void *b)
{
    const uint16_t *x = a, *y = b;
    int order = strcmp(isa_op_info((enum isa_op) * x)->name, isa_op_info((enum isa_op) * y)->name);
    return order ? order : *x - *y;
}

static void list_opcodes(struct pages *pages)
{
    uint16_t ops[ISA_OP_COUNT]; /* all opcodes, which the list is of */
    unsigned count = 0;
    for (unsigned op = 1; op < ISA_OP_COUNT; op++) /* as above */
        if (is_first((enum isa_op)op))
            ops[count++] = (uint16_t)op;
    qsort(ops, count, sizeof *ops, by_name);
    for (unsigned i = 0; i < count; i++) {
        enum isa_op op = (enum isa_op)ops[i];
        const struct isa_op_info *info = isa_op_info(op);
        uint32_t architectures = opcode_architectures(op);
        char text[ARCHITECTURES_ROOM];
        if (!(architectures & pages->architectures))
            continue;
        describe_architectures_text(architectures, text, sizeof text);
        if (pages->out)
            fprintf(pages->out, "%-14s %-9s %-22s %-14s %-13s %s\n", info->name, isa_pipe_name(info->pipe),
                    isa_way_name(info->way), describe_latency(info->latency), executed(op), text);
        if (pages->document.wanted) {
            begin_opcode(&pages->document.json, op, architectures);
            json_end(&pages->document.json);
        }
    }
}

/* ---- one mnemonic ------------------------------------------------------------------------------------------------ */

static void print_values(const struct describe_field *field, FILE *out)
{
    if (field->fixed)
        fprintf(out, "  = %u", field->value);
    const char *name;
    for (unsigned value = 0, n = 0; field->width <= 8 && value < 1u << field->width; value++)
        if ((name = describe_value(field, value)) != NULL)
            fprintf(out, "%s%u %s", n++ ? ", " : "  ", value, name[0] ? name : "(none)");
}

static void print_form(const struct describe_form *form, FILE *out)
{
    char text[ARCHITECTURES_ROOM];
    describe_architectures_text(form->architectures, text, sizeof text);
    fprintf(out, "\n%s\n  %s", form->text, text);
    if (form->writes[0])
        fprintf(out, "; writes %s", form->writes);
    if (form->reads[0])
        fprintf(out, "; reads %s", form->reads);
    fprintf(out, "\n    %-14s %-18s  = 0x%x\n", "11:0", "opcode", form->opcode & 0xfff);
    if (form->opcode >> 12)
        fprintf(out, "    %-14s %-18s  = 1\n", "91", "opcode");
    for (unsigned i = 0; i < form->count; i++) {
        const struct describe_field *field = &form->field[i];
        bool alone = !field->fixed && !field->hidden && !describe_value(field, 0) && !describe_value(field, 1);
        fprintf(out, "    %-14s %-*s", field->bits, alone ? 0 : 18, field->name);
        print_values(field, out);
        fprintf(out, "%s\n", field->hidden && !field->fixed ? "  (not printed)" : "");
    }
}

static void json_form(const struct describe_form *form, struct json *json)
{
    json_object(json, NULL);
    json_string(json, "text", form->text);
    json_uint(json, "opcode", form->opcode);
    json_architectures(json, form->architectures);
    json_string(json, "reads", form->reads);
    json_string(json, "writes", form->writes);
    json_array(json, "fields");
    for (unsigned i = 0; i < form->count; i++) {
        const struct describe_field *field = &form->field[i];
        json_object(json, NULL);
        json_string(json, "name", field->name);
        json_string(json, "bits", field->bits);
        if (field->fixed)
            json_uint(json, "fixed", field->value);
        json_bool(json, "printed", !field->hidden);
        json_array(json, "values");
        for (unsigned value = 0; field->width <= 8 && value < 1u << field->width; value++) {
            const char *name = describe_value(field, value);
            if (!name)
                continue;
            json_object(json, NULL);
            json_uint(json, "value", value);
            json_string(json, "name", name);
            json_end(json);
        }
        json_end(json);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

static void print_opcode(struct pages *pages, enum isa_op op, const struct describe_forms *forms)
{
    const struct isa_op_info *info = isa_op_info(op);
    uint32_t architectures = opcode_architectures(op);
    char text[ARCHITECTURES_ROOM];
    describe_architectures_text(architectures, text, sizeof text);
    if (pages->out) {
        fprintf(pages->out, "%s: %s; %s\npipe %s; issue way %s; latency class %s (%s)", info->name, text, executed(op),
                isa_pipe_name(info->pipe), isa_way_name(info->way), describe_latency(info->latency),
                isa_latency_may_be_fixed(info->latency) ? "fixed" : "variable");
        if (info->memory != ISA_MEM_NONE)
            fprintf(pages->out, "; memory: %s, %s", describe_memory(info->memory), describe_space(info->space));
        fprintf(pages->out, "\nEvery word has its guard in bits 15:12 and control bits in 125:105.\n");
    }
    if (pages->document.wanted) {
        begin_opcode(&pages->document.json, op, architectures);
        json_array(&pages->document.json, "forms");
    }
    for (size_t i = 0; i < forms->count; i++) {
        if (!same_opcode(op, forms->form[i].op))
            continue;
        if (pages->out)
            print_form(&forms->form[i], pages->out);
        if (pages->document.wanted)
            json_form(&forms->form[i], &pages->document.json);
    }
    if (pages->document.wanted) {
        json_end(&pages->document.json);
        json_end(&pages->document.json);
    }
}

static bool find_mnemonic(const char *given, char name[static NAME_ROOM], struct status *status)
{
    size_t length = 0;
    for (; given[length] && length < NAME_ROOM - 1; length++)
        name[length] = (char)toupper((unsigned char)given[length]);
    name[length] = '\0';
    struct suggest suggest = suggest_begin(name);
    for (unsigned op = 1; op < ISA_OP_COUNT; op++) { /* names of all opcodes */
        const char *known = isa_op_info((enum isa_op)op)->name;
        if (strcmp(known, name) == 0)
            return true;
        suggest_try(&suggest, known);
    }
    const char *best = suggest_best(&suggest);
    return status_fail(status, STATUS_USAGE, "there is no instruction %s%s%s%s", name, best ? "; did you mean " : "",
                       best ? best : "", best ? "?" : "");
}

static bool explain(struct pages *pages, const char *given, unsigned sm, struct status *status)
{
    char name[NAME_ROOM];
    struct describe_forms forms = {0};
    bool ok = find_mnemonic(given, name, status) && describe_mnemonic(name, sm, &forms, status);
    if (ok && forms.count == 0)
        ok = status_fail(status, STATUS_USAGE, "sm_%u has no instruction %s", sm, name);
    bool first = true;
    for (unsigned op = 1; ok && op < ISA_OP_COUNT; op++) { /* all opcodes of the name */
        if (strcmp(isa_op_info((enum isa_op)op)->name, name) != 0 || !is_first((enum isa_op)op) ||
            !(opcode_architectures((enum isa_op)op) & pages->architectures))
            continue;
        if (!first && pages->out)
            fputc('\n', pages->out);
        first = false;
        print_opcode(pages, (enum isa_op)op, &forms);
    }
    describe_free(&forms);
    return ok;
}

static bool run(const struct cli_options *options, struct status *status)
{
    struct pages pages = {.architectures = UINT32_MAX};
    unsigned sm = 0;
    bool accelerated;
    if (options->arch) {
        if (!arch_parse(options->arch, &sm, &accelerated, status))
            return false;
        if (!isa_supported(sm))
            return status_fail(status, STATUS_UNSUPPORTED, "no instruction table for sm_%u", sm);
        for (unsigned i = 0; isa_architecture(i); i++)
            if (isa_architecture(i) == sm)
                pages.architectures = UINT32_C(1) << i;
    }
    pages.out = options->json && strcmp(options->json, "-") == 0 ? NULL : stdout;
    if (!document_begin(&pages.document, options->json, status))
        return false;
    if (pages.document.wanted)
        json_array(&pages.document.json, "opcodes");
    bool ok = true;
    if (options->operands.count)
        ok = explain(&pages, options->operands.items[0], sm, status);
    else
        list_opcodes(&pages);
    if (!ok) {
        document_abandon(&pages.document);
        return false;
    }
    if (pages.document.wanted)
        json_end(&pages.document.json);
    return document_commit(&pages.document, status);
}

const struct command command_isa = {
    .name = "isa",
    .operands = "[MNEMONIC]",
    .summary = "explain the instruction set: opcodes, forms, modifiers, fields",
    .text = "Without MNEMONIC, one line for each opcode: pipe, issue way, latency class, whether it is executed,\n"
            "and the architectures that have it. With it, its forms: {.RM|.RP} means one of the modifiers or\n"
            "none, {.<ORDER>} one of the values listed below; then the bits of each field and the names of its\n"
            "values.\n",
    .options = CLI_BIT(ARCH) | CLI_BIT(JSON) | CLI_BIT(HELP),
    .operands_max = 1,
    .run = run,
};
