/* The wires of an SM: which unit sees which. */
#ifndef SUBCORE_SM_WIRE_H
#define SUBCORE_SM_WIRE_H

struct sm;

/* Connects the ports of all units. Once, before anything else. The SM does not move in memory afterwards. */
void sm_wire(struct sm *sm);

#endif
