#include "config/config.h"

#include <string.h>

#include "base/file.h"
#include "config/layer.h"
#include "config/option.h"
#include "config/reader.h"

void config_defaults(struct config *config)
{
    memset(config, 0, sizeof *config);
    for (size_t s = 0; s < OPTION_SECTIONS; s++) {
        struct option_section section = option_section(s);
        for (size_t i = 0; i < section.count; i++)
            option_default(&section.options[i], config);
    }
}

static bool load_embedded(struct config *config, const char *gpu, struct status *status)
{
    const struct embedded *file = layer_find_gpu(gpu);
    if (file)
        return layer_apply(config, file, 0, status);
    char known[LAYER_NAMES];
    layer_names(known);
    return status_fail(status, STATUS_CONFIG, "no GPU named '%.80s'; known are %s, or give the path of a .toml file",
                       gpu, known);
}

static bool load_path(struct config *config, const char *path, struct status *status)
{
    struct file_bytes bytes;
    if (!file_read(path, LAYER_FILE_LIMIT, &bytes, status))
        return false;
    bool ok = reader_apply(config, path, (const char *)bytes.data, bytes.size, 0, status);
    file_free(&bytes);
    return ok;
}

bool config_load(struct config *config, const char *gpu, struct status *status)
{
    config_defaults(config);
    bool ok = layer_is_path(gpu) ? load_path(config, gpu, status) : load_embedded(config, gpu, status);
    return ok && config_check(config, status);
}

bool config_set(struct config *config, const char *assignment, struct status *status)
{
    const char *sign = strchr(assignment, '=');
    const char *dot = strchr(assignment, '.');
    char section[32], key[64];
    if (!sign || !dot || dot > sign || (size_t)(dot - assignment) >= sizeof section ||
        (size_t)(sign - dot - 1) >= sizeof key)
        return status_fail(status, STATUS_CONFIG, "'%.200s': expected section.key=value", assignment);
    snprintf(section, sizeof section, "%.*s", (int)(dot - assignment), assignment);
    snprintf(key, sizeof key, "%.*s", (int)(sign - dot - 1), dot + 1);
    if (!option_section_exists(section))
        return status_fail(status, STATUS_CONFIG, "'%.200s': there is no section [%s]", assignment, section);
    const struct option *option = option_find(section, key);
    if (!option)
        return status_fail(status, STATUS_CONFIG, "'%.200s': [%s] has no key '%s'", assignment, section, key);
    if (option_parse(option, sign + 1, config))
        return true;
    char expected[160];
    option_expectation(option, expected, sizeof expected);
    return status_fail(status, STATUS_CONFIG, "'%.200s': expected %s", assignment, expected);
}
