/* The end of a context. */
#ifndef SUBCORE_DRIVER_CONTEXT_CLEAR_H
#define SUBCORE_DRIVER_CONTEXT_CLEAR_H

struct CUctx_st;

/* Waits for the context's work and frees all that hangs on it. The rest is an empty shell that is not active. */
void context_clear(struct CUctx_st *context);

#endif
