#include "cli/argument_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "cli/document.h"

enum { FIRST_ELEMENTS = 4 };

/* ---- from the command line ------------------------------------------------------------------------------------- */

static bool parse_out(struct argument_list *list, const char *text, struct status *status)
{
    size_t length = strcspn(text, ":");
    char number[16] = "";
    uint64_t index;
    if (length < sizeof number)
        memcpy(number, text, length);
    if (text[length] == '\0' || text[length + 1] == '\0' || !cli_number(number, UINT32_MAX, &index))
        return status_fail(status, STATUS_USAGE, "--out '%.120s': expected N:FILE, as in 2:result.bin", text);
    if (index >= list->count || list->items[index].kind != ARGUMENT_ARRAY)
        return status_fail(status, STATUS_USAGE, "--out '%.120s': argument %ju is no array (arguments count from 0)",
                           text, (uintmax_t)index);
    if (list->items[index].out)
        return status_fail(status, STATUS_USAGE, "--out '%.120s': argument %ju already has a file", text,
                           (uintmax_t)index);
    list->items[index].out = strdup(text + length + 1);
    return list->items[index].out || status_fail(status, STATUS_MEMORY, "no memory for a file name");
}

/* The arrays are written after the run, which may be long. */
static bool check_outputs(const struct argument_list *list, struct status *status)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].out && !file_output_check(list->items[i].out, status))
            return false;
    return true;
}

bool argument_list_parse(struct argument_list *list, const struct cli_options *options, struct status *status)
{
    *list = (struct argument_list){0};
    list->items = calloc(options->arg.count + 1, sizeof *list->items);
    if (!list->items)
        return status_fail(status, STATUS_MEMORY, "no memory for the arguments");
    for (size_t i = 0; i < options->arg.count; i++) {
        if (!argument_parse(options->arg.items[i], &list->items[i], status))
            return false;
        list->count++;
    }
    for (size_t i = 0; i < options->out.count; i++)
        if (!parse_out(list, options->out.items[i], status))
            return false;
    return check_outputs(list, status);
}

void argument_list_free(struct argument_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        argument_free(&list->items[i]);
    free(list->items);
    free(list->parameters);
    *list = (struct argument_list){0};
}

/* ---- to the device --------------------------------------------------------------------------------------------- */

/* "8, 8, 4 bytes" */
static void describe_parameters(const struct cubin_kernel *kernel, char *text, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < kernel->parameter_count && used + 16 < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%u", i ? ", " : "", kernel->parameters[i].size);
    snprintf(text + used, size - used, "%s", kernel->parameter_count ? " bytes" : "none");
}

static bool check(const struct argument_list *list, const struct cubin_kernel *kernel, struct status *status)
{
    char parameters[160];
    describe_parameters(kernel, parameters, sizeof parameters);
    if (list->count != kernel->parameter_count)
        return status_fail(status, STATUS_USAGE, "%.80s has %u parameter%s (%s), but %zu --arg %s given", kernel->name,
                           kernel->parameter_count, kernel->parameter_count == 1 ? "" : "s", parameters, list->count,
                           list->count == 1 ? "is" : "are");
    for (size_t i = 0; i < list->count; i++) {
        size_t size = argument_size(&list->items[i]);
        if (size != kernel->parameters[i].size)
            return status_fail(status, STATUS_USAGE,
                               "--arg '%.80s' has %zu bytes, but parameter %zu of %.80s has %u (parameters: %s)",
                               list->items[i].spec, size, i, kernel->name, kernel->parameters[i].size, parameters);
    }
    return true;
}

/* Returns whether the array is like new device memory. */
static bool is_zero(const struct argument *a) { return a->pattern == PATTERN_CONSTANT && a->bits == 0; }

static bool place_array(struct argument *a, bool unread, struct memory *memory, struct status *status)
{
    uint64_t bytes = argument_array_bytes(a);
    a->address = memory_alloc(memory, bytes);
    if (a->address && unread && is_zero(a))
        return true;
    uint8_t *contents = a->address ? malloc(bytes) : NULL;
    if (!contents)
        return status_fail(status, STATUS_MEMORY, "--arg '%.120s': no %s memory for %ju bytes", a->spec,
                           a->address ? "host" : "device", (uintmax_t)bytes);
    bool ok = argument_fill(a, contents, status);
    if (ok && !memory_write(memory, a->address, contents, bytes))
        ok = status_fail(status, STATUS_MEMORY, "--arg '%.120s': cannot write device memory", a->spec);
    a->before = ok && !unread ? hash_bytes(HASH_SEED, contents, bytes) : 0;
    free(contents);
    return ok;
}

bool argument_list_place(struct argument_list *list, const struct cubin_kernel *kernel, struct memory *memory,
                         struct status *status)
{
    if (!check(list, kernel, status))
        return false;
    list->parameter_bytes = kernel->parameter_bytes;
    list->parameters = calloc(list->parameter_bytes + 1, 1);
    if (!list->parameters)
        return status_fail(status, STATUS_MEMORY, "no memory for the parameters");
    for (size_t i = 0; i < list->count; i++) {
        struct argument *a = &list->items[i];
        if (a->kind == ARGUMENT_ARRAY && !place_array(a, list->unread, memory, status))
            return false;
        if (kernel->parameters[i].offset + argument_size(a) > list->parameter_bytes)
            return status_fail(status, STATUS_FORMAT, "%.80s: parameter %zu lies outside the parameters", kernel->name,
                               i);
        argument_store(a, list->parameters + kernel->parameters[i].offset);
    }
    return true;
}

/* ---- back ------------------------------------------------------------------------------------------------------ */

static bool write_file(const char *path, const uint8_t *bytes, uint64_t size, struct status *status)
{
    struct file_output file;
    if (!file_output_open(&file, path, status))
        return false;
    fwrite(bytes, 1, size, file.stream);
    return file_output_commit(&file, status);
}

static void print_array(const struct argument *a, size_t index, const uint8_t *bytes, uint64_t hash, FILE *out)
{
    char element[32];
    fprintf(out, "Argument %zu, %s[%ju], %s, hash %016jx:", index, value_info(a->type)->name, (uintmax_t)a->count,
            hash == a->before ? "unchanged" : "changed", (uintmax_t)hash);
    for (uint64_t i = 0; i < a->count && i < FIRST_ELEMENTS; i++) {
        value_print(a->type, argument_element(a, bytes, i), element, sizeof element);
        fprintf(out, " %s", element);
    }
    fprintf(out, "%s%s%s\n", a->count > FIRST_ELEMENTS ? " ..." : "", a->out ? " > " : "", a->out ? a->out : "");
}

static void write_array(const struct argument *a, size_t index, const uint8_t *bytes, uint64_t hash, struct json *json)
{
    char element[32];
    json_object(json, NULL);
    json_uint(json, "index", index);
    json_string(json, "spec", a->spec);
    json_string(json, "type", value_info(a->type)->name);
    json_uint(json, "count", a->count);
    json_bool(json, "changed", hash != a->before);
    document_hash(json, "hash", hash);
    json_array(json, "first");
    for (uint64_t i = 0; i < a->count && i < FIRST_ELEMENTS; i++) {
        value_print(a->type, argument_element(a, bytes, i), element, sizeof element);
        json_string(json, NULL, element);
    }
    json_end(json);
    json_end(json);
}

/* Contents of an array, to be freed; NULL when they cannot be read. */
static uint8_t *read_array(const struct argument *a, size_t index, const struct memory *memory, struct status *status)
{
    uint64_t size = argument_array_bytes(a);
    uint8_t *bytes = malloc(size);
    if (bytes && memory_read(memory, bytes, a->address, size))
        return bytes;
    free(bytes);
    status_fail(status, STATUS_MEMORY, "cannot read argument %zu back", index);
    return NULL;
}

bool argument_list_finish(const struct argument_list *list, const struct memory *memory, bool complete, FILE *out,
                          struct json *json, struct status *status)
{
    if (json)
        json_array(json, "arguments");
    if (out)
        fputc('\n', out);
    for (size_t i = 0; i < list->count; i++) {
        const struct argument *a = &list->items[i];
        uint8_t *bytes = a->kind == ARGUMENT_ARRAY ? read_array(a, i, memory, status) : NULL;
        if (!bytes)
            continue;
        uint64_t size = argument_array_bytes(a), hash = hash_bytes(HASH_SEED, bytes, size);
        if (out)
            print_array(a, i, bytes, hash, out);
        if (json)
            write_array(a, i, bytes, hash, json);
        if (complete && a->out)
            write_file(a->out, bytes, size, status);
        free(bytes);
    }
    if (json)
        json_end(json);
    return status->code == STATUS_OK;
}
