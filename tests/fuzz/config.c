/* A configuration file of arbitrary bytes is read or refused with a place and a reason, and an accepted file prints
 * back to the same values. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "config/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config config, again;
    struct status status = {0};
    config_defaults(&config);
    if (!reader_apply(&config, "input", (const char *)data, size, 0, &status)) {
        assert(status.code != STATUS_OK && strncmp(status.text, "input:", 6) == 0);
        return 0;
    }
    assert(status.code == STATUS_OK);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    config_print(&config, "input", out);
    fclose(out);
    config_defaults(&again);
    bool ok = reader_apply(&again, "input", text, length, 0, &status);
    assert(ok && config_hash(&config) == config_hash(&again));
    (void)ok;
    free(text);
    return 0;
}
