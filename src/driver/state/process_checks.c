#include "driver/state/process_checks.h"

#include <string.h>
#include <unistd.h>

#include "check/record.h"
#include "driver/state/driver.h"
#include "driver/state/say.h"

void process_checks_tell(struct driver *driver)
{
    struct settings *settings = &driver->settings;
    if (!settings->checks || !settings->findings || driver->device.checker != (int)getpid())
        return;
    int error = check_append(&driver->device.check.found, settings->findings);
    if (!error)
        return;
    say("%s: findings cannot be written: %s", settings->findings, strerror(error));
    settings->findings = NULL; /* the text lives as long as the process */
}
