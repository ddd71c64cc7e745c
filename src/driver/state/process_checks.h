/* Findings of --check in this process, on its way to `subcore exec`. */
#ifndef SUBCORE_DRIVER_PROCESS_CHECKS_H
#define SUBCORE_DRIVER_PROCESS_CHECKS_H

struct driver;

/* Appends the findings since the last call to the file of the settings. Called by the executor thread behind a
 * launch, and once at the end of the process. */
void process_checks_tell(struct driver *driver);

#endif
