/* At which clock the SMs run. */
#ifndef SUBCORE_VALIDATE_HW_CLOCK_H
#define SUBCORE_VALIDATE_HW_CLOCK_H

#include "card.h"

/* In MHz: SM cycles of a long chase through the L1, over the time that it took. Drivers raise the clock of an idle GPU
 * slowly, so it is measured until two numbers agree. False: card->error. */
bool clock_measure(struct card *card, double *mhz);

#endif
