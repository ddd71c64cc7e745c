/* Marks: commands and threads wait for them. With the lock held. */
#ifndef SUBCORE_DRIVER_MARK_H
#define SUBCORE_DRIVER_MARK_H

#include <stdbool.h>

/* One record of an event: commands and threads wait for it. An event points to its latest one. Those that wait keep
 * theirs when the event is recorded again or destroyed. */
struct mark {
    unsigned holders;
    bool reached;
    double time; /* simulated seconds, once it is reached */
};

struct mark *mark_create(void); /* held once (NULL: out of memory) */
struct mark *mark_hold(struct mark *mark);
void mark_release(struct mark *mark); /* NULL: nothing */

#endif
