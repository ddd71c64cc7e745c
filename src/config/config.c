#include "config/config.h"

#include <assert.h>
#include <string.h>

#include "base/file.h"
#include "config/gpcs.h"
#include "config/layer.h"
#include "config/near.h"
#include "config/option.h"
#include "config/reader.h"
#include "config/units.h"

void config_defaults(struct config *config)
{
    memset(config, 0, sizeof *config);
    for (size_t s = 0; s < OPTION_SECTIONS; s++) {
        struct option_section section = option_section(s);
        for (size_t i = 0; i < section.count; i++)
            option_default(&section.options[i], config);
    }
    struct status status = {0};
    bool found = layer_standard_replace(config, &status);
    assert(found);
    (void)found;
}

static bool load_embedded(struct config *config, const char *gpu, struct status *status)
{
    const struct embedded *file = layer_find_gpu(gpu);
    if (file)
        return layer_apply(config, file, 0, status) && gpcs_match(&config->gpu, status) && config_check(config, status);
    char known[LAYER_NAMES];
    layer_names(known);
    return status_fail(status, STATUS_CONFIG, "no GPU named '%.80s'; known are %s, or give the path of a .toml file",
                       gpu, known);
}

/* A file gives all SMs that its GPCs have; --set may take fewer, as a part of the chip. Where other keys contradict
 * each other, a missing parent may be the reason, and the message names it. */
static bool check_file(const struct config *config, const char *path, const struct file_bytes *bytes,
                       struct status *status)
{
    struct status wrong = {0};
    char parent[CONFIG_TEXT];
    bool match = gpcs_match(&config->gpu, &wrong);
    if (match && config_check(config, &wrong))
        return true;
    bool alone = match && !reader_inherits((const char *)bytes->data, bytes->size, parent);
    return status_fail(status, wrong.code, "%.150s: %s%s", path, wrong.text,
                       alone
                           ? "; keys that the file leaves out are those of an RTX A6000, since it does not begin with "
                             "inherits = \"sm_90\" or another architecture or GPU"
                           : "");
}

static bool load_path(struct config *config, const char *path, struct status *status)
{
    struct file_bytes bytes;
    if (!file_read(path, LAYER_FILE_LIMIT, &bytes, status))
        return false;
    bool ok = reader_apply(config, path, (const char *)bytes.data, bytes.size, 0, status) &&
              check_file(config, path, &bytes, status);
    file_free(&bytes);
    return ok;
}

bool config_load(struct config *config, const char *gpu, struct status *status)
{
    config_defaults(config);
    return layer_is_path(gpu) ? load_path(config, gpu, status) : load_embedded(config, gpu, status);
}

/* The message for a number that is wrong. */
static bool refuse(const struct option *option, const char *assignment, struct status *status)
{
    char expected[160], others[160];
    option_expectation(option, expected, sizeof expected);
    units_list(option->unit, others, sizeof others);
    return status_fail(status, STATUS_CONFIG, "'%.200s': expected %s%s", assignment, expected, others);
}

/* `given`: as the user has written it, for messages. */
static bool assign(struct config *config, const char *assignment, const char *given, struct status *status)
{
    const char *sign = strchr(assignment, '=');
    const char *dot = strchr(assignment, '.');
    char section[32], key[64], hint[NEAR_TEXT];
    if (!sign || !dot || dot > sign || (size_t)(dot - assignment) >= sizeof section ||
        (size_t)(sign - dot - 1) >= sizeof key) {
        snprintf(key, sizeof key, "%.*s", (int)strcspn(assignment, "="), assignment);
        near_key("", key, hint);
        return status_fail(status, STATUS_CONFIG, "'%.200s': expected section.key=value%s", assignment, hint);
    }
    snprintf(section, sizeof section, "%.*s", (int)(dot - assignment), assignment);
    snprintf(key, sizeof key, "%.*s", (int)(sign - dot - 1), dot + 1);
    const struct option *option = option_find(section, key);
    near_key(section, key, hint);
    if (!option_section_exists(section))
        return status_fail(status, STATUS_CONFIG, "'%.200s': there is no section [%s]%s", assignment, section, hint);
    if (!option)
        return status_fail(status, STATUS_CONFIG, "'%.200s': [%s] has no key '%s'%s", assignment, section, key, hint);
    char value[CONFIG_TEXT + 1] = "";
    if ((option->kind == OPTION_UINT || option->kind == OPTION_REAL) && strlen(sign + 1) < sizeof value)
        units_convert(sign + 1, option->unit, value, sizeof value);
    if (option_parse(option, value[0] ? value : sign + 1, config))
        return option->offset != offsetof(struct config, dram.kind) || layer_standard_replace(config, status);
    return refuse(option, given, status);
}

bool config_set(struct config *config, const char *assignment, struct status *status)
{
    char known[CONFIG_TEXT + 64];
    size_t length = strcspn(assignment, "=");
    const char *key = alias_key(assignment, length);
    int used = key ? snprintf(known, sizeof known, "%s%s", key, assignment + length) : 0;
    return assign(config, used > 0 && (size_t)used < sizeof known ? known : assignment, assignment, status);
}
