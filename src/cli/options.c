#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

/* The rest of argv while it is read. */
struct reader {
    struct cli_options *options;
    const char *command;
    cli_set accepted;
    char **argv;
    int argc, next;
    struct status *status;
};

const struct cli_option_info *cli_option_info(enum cli_option option)
{
    static const struct cli_option_info infos[CLI_OPTION_COUNT] = {
#define X(id, name, letter, value, kind, field, text)                                                                  \
    {name, letter, value, CLI_KIND_##kind, offsetof(struct cli_options, field), text},
        CLI_OPTIONS(X)
#undef X
    };
    return &infos[option];
}

bool cli_number(const char *text, uint64_t highest, uint64_t *out)
{
    if (!isdigit((unsigned char)text[0]))
        return false;
    char *end;
    errno = 0;
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    uintmax_t value = strtoumax(text, &end, hex ? 16 : 10);
    if (*end != '\0' || errno != 0 || value > highest)
        return false;
    *out = value;
    return true;
}

static bool parse_dim(const char *text, uint32_t dim[3])
{
    char part[16];
    dim[0] = dim[1] = dim[2] = 1;
    for (int i = 0; i < 3; i++) {
        size_t length = strcspn(text, ",");
        uint64_t value;
        if (length >= sizeof part)
            return false;
        memcpy(part, text, length);
        part[length] = '\0';
        if (!cli_number(part, INT32_MAX, &value) || value == 0)
            return false;
        dim[i] = (uint32_t)value;
        text += length;
        if (*text == '\0')
            return true;
        text++;
    }
    return false;
}

static bool append(struct cli_list *list, const char *item, size_t room)
{
    if (!list->items)
        list->items = calloc(room, sizeof *list->items);
    if (!list->items)
        return false;
    list->items[list->count++] = item;
    return true;
}

static bool store(struct reader *r, const struct cli_option_info *info, const char *value)
{
    char *field = (char *)r->options + info->offset;
    uint64_t number;
    switch (info->kind) {
    case CLI_KIND_FLAG: *(bool *)field = true; break;
    case CLI_KIND_TEXT: *(const char **)field = value; break;
    case CLI_KIND_LIST:
        if (!append((struct cli_list *)field, value, (size_t)r->argc))
            return status_fail(r->status, STATUS_MEMORY, "no memory for the command line");
        break;
    case CLI_KIND_COUNT:
        if (!cli_number(value, UINT32_MAX, &number))
            return status_fail(r->status, STATUS_USAGE, "--%s: '%.100s' is not a number", info->name, value);
        *(uint32_t *)field = (uint32_t)number;
        break;
    case CLI_KIND_POSITIVE:
        if (!cli_number(value, UINT32_MAX, &number) || number == 0)
            return status_fail(r->status, STATUS_USAGE, "--%s: '%.100s' is not a positive number", info->name, value);
        *(uint32_t *)field = (uint32_t)number;
        break;
    case CLI_KIND_LARGE:
        if (!cli_number(value, INT64_MAX, &number) || number == 0)
            return status_fail(r->status, STATUS_USAGE, "--%s: '%.100s' is not a positive number", info->name, value);
        *(uint64_t *)field = number;
        break;
    case CLI_KIND_DIM:
        if (!parse_dim(value, (uint32_t *)field))
            return status_fail(r->status, STATUS_USAGE,
                               "--%s: '%.100s' is not X, X,Y or X,Y,Z, each a number from 1 to %d", info->name, value,
                               INT32_MAX);
        break;
    }
    return true;
}

static bool unknown(struct reader *r, const char *given)
{
    struct suggest suggest = suggest_begin(given);
    for (unsigned i = 0; i < CLI_OPTION_COUNT; i++)
        if (r->accepted >> i & 1)
            suggest_try(&suggest, cli_option_info((enum cli_option)i)->name);
    const char *best = suggest_best(&suggest);
    return status_fail(r->status, STATUS_USAGE, "%s has no option '%s%.100s'%s%s%s; see 'subcore help %s'", r->command,
                       given[1] ? "--" : "-", given, best ? ", did you mean --" : "", best ? best : "", best ? "?" : "",
                       r->command);
}

/* Index of an option by its name or, when `length` is 1, by its letter. */
static enum cli_option find(cli_set accepted, const char *name, size_t length, bool letter)
{
    for (unsigned i = 0; i < CLI_OPTION_COUNT; i++) {
        const struct cli_option_info *info = cli_option_info((enum cli_option)i);
        bool same =
            letter ? info->letter == name[0] : strlen(info->name) == length && strncmp(info->name, name, length) == 0;
        if ((accepted >> i & 1) && same)
            return (enum cli_option)i;
    }
    return CLI_OPTION_COUNT;
}

/* Value of an option: behind `=` or the letter, else the next argument. */
static bool take(struct reader *r, const struct cli_option_info *info, const char *attached)
{
    bool flag = info->kind == CLI_KIND_FLAG;
    if (flag && attached)
        return status_fail(r->status, STATUS_USAGE, "--%s takes no value", info->name);
    if (!flag && !attached && r->next >= r->argc)
        return status_fail(r->status, STATUS_USAGE, "--%s needs a value: --%s %s", info->name, info->name, info->value);
    return store(r, info, flag || attached ? attached : r->argv[r->next++]);
}

static bool take_long(struct reader *r, const char *text)
{
    size_t length = strcspn(text, "=");
    char name[128];
    enum cli_option option = find(r->accepted, text, length, false);
    if (option != CLI_OPTION_COUNT)
        return take(r, cli_option_info(option), text[length] == '=' ? text + length + 1 : NULL);
    if (length >= sizeof name)
        length = sizeof name - 1;
    memcpy(name, text, length);
    name[length] = '\0';
    return unknown(r, name);
}

static bool take_short(struct reader *r, const char *text)
{
    for (; *text; text++) {
        char letter[2] = {*text, '\0'};
        enum cli_option option = find(r->accepted, letter, 1, true);
        if (option == CLI_OPTION_COUNT)
            return unknown(r, letter);
        const struct cli_option_info *info = cli_option_info(option);
        if (info->kind != CLI_KIND_FLAG)
            return take(r, info, text[1] ? text + 1 : NULL);
        if (!take(r, info, NULL))
            return false;
    }
    return true;
}

static bool check(const struct cli_options *options, struct status *status)
{
    if (options->csv && options->json && strcmp(options->csv, "-") == 0 && strcmp(options->json, "-") == 0)
        return status_fail(status, STATUS_USAGE, "--csv - and --json -: only one of them can be on standard output");
    if (options->html && strcmp(options->html, "-") == 0)
        return status_fail(status, STATUS_USAGE, "--html -: a page is a file of its own");
    if (options->baseline && !options->html && !options->output)
        return status_fail(status, STATUS_USAGE, "--baseline is for --html");
    if (options->warps && !options->perfetto && !options->kanata)
        return status_fail(status, STATUS_USAGE, "--warps is for --perfetto and --kanata");
    if (options->code && options->no_code)
        return status_fail(status, STATUS_USAGE, "--code and --no-code do not go together");
    return true;
}

bool cli_options_parse(struct cli_options *options, const char *command, cli_set accepted, int argc, char **argv,
                       struct status *status)
{
    *options = (struct cli_options){0};
    struct reader r = {options, command, accepted, argv, argc, 0, status};
    bool only_operands = false;
    while (r.next < argc) {
        const char *text = argv[r.next++];
        bool ok;
        if (!only_operands && strcmp(text, "--") == 0) {
            options->separated |= options->operands.count == 0;
            only_operands = true;
            continue;
        }
        if (only_operands || text[0] != '-' || text[1] == '\0')
            ok = append(&options->operands, text, (size_t)argc) ||
                 status_fail(status, STATUS_MEMORY, "no memory for the command line");
        else
            ok = text[1] == '-' ? take_long(&r, text + 2) : take_short(&r, text + 1);
        if (!ok)
            return false;
        only_operands |= (accepted & CLI_OPTIONS_FIRST) != 0 && options->operands.count > 0;
    }
    return check(options, status);
}

void cli_options_free(struct cli_options *options)
{
    free(options->set.items);
    free(options->arg.items);
    free(options->out.items);
    free(options->detailed.items);
    free(options->only.items);
    free(options->operands.items);
    *options = (struct cli_options){0};
}

char *cli_list_lines(const struct cli_list *list)
{
    size_t size = 1, used = 0;
    for (size_t i = 0; i < list->count; i++)
        size += strlen(list->items[i]) + 1;
    char *lines = malloc(size);
    for (size_t i = 0; lines && i < list->count; i++)
        used += (size_t)snprintf(lines + used, size - used, "%s\n", list->items[i]);
    if (lines)
        lines[used] = '\0';
    return lines;
}
