/* Messages of the library for people: lines "subcore: ..." on standard error. */
#ifndef SUBCORE_DRIVER_SAY_H
#define SUBCORE_DRIVER_SAY_H

/* One line, without its end. If the call fails, it is the reason in the error log (driver/state/logs.h). */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
