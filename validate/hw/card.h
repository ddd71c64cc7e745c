/* A real GPU, or the simulated one of `subcore exec`: one context, the cubins that were loaded into it, and the
 * memory that was taken. An error is noted in `error`, with the driver's words. */
#ifndef SUBCORE_VALIDATE_HW_CARD_H
#define SUBCORE_VALIDATE_HW_CARD_H

#include "driver.h"
#include "examples/example.h"
#include "validate/micro/measure.h"

enum { CARD_MODULES = 160, CARD_BLOCKS = 256, CARD_NAME = 64, CARD_PATH = 4096 };

struct card_module {
    char name[CARD_NAME];
    void *handle;
};

struct card_block {
    uint64_t address;
    size_t bytes;
};

struct card {
    struct driver driver;
    int device;
    void *context;
    void *from, *to;        /* events around a launch */
    char product[128];      /* as the driver names it */
    char name[CARD_NAME];   /* as `subcore gpus` lists it, as far as that can be told */
    int version;            /* of the driver's CUDA: 13000 */
    int major, minor;       /* compute capability */
    double clock;           /* MHz of the SMs. The highest, until it is measured or given */
    bool clock_is_real;     /* it was */
    size_t memory;          /* bytes */
    char folder[CARD_PATH]; /* validate/, where the cubins lie */
    struct card_module module[CARD_MODULES];
    unsigned modules;
    struct card_block block[CARD_BLOCKS];
    unsigned blocks;
    double launch_ns; /* between the events around the last launch, or the last in a row */
    int code;         /* of the driver's last error */
    bool broken;      /* by a fault: nothing works until card_renew */
    char error[320];
};

/* `folder` NULL: near the program, or in the current folder. False: card->error. */
bool card_open(struct card *card, int ordinal, const char *folder);
void card_close(struct card *card);
int card_attribute(struct card *card, enum driver_attribute which);
/* 90 for 9.0 */
unsigned card_architecture(const struct card *card);

/* The newest code of FOLDER/cubin/NAME.sm_*.cubin that the GPU runs, loaded once (NULL: card->error). `folder` lies in
 * validate/. */
void *card_module(struct card *card, const char *folder, const char *name);
/* The same of one file anywhere, not kept. */
void *card_load(struct card *card, const char *path);

/* Zero-filled (0: card->error). */
uint64_t card_alloc(struct card *card, size_t bytes);
void card_release(struct card *card, uint64_t address);
void card_release_all(struct card *card);
bool card_write(struct card *card, uint64_t to, const void *from, size_t bytes);
bool card_read(struct card *card, void *to, uint64_t from, size_t bytes);

struct card_launch {
    void *module;
    const char *kernel;
    struct example_dim grid, block;
    uint32_t shared_bytes;
    const void *parameters;
    size_t parameter_bytes;
    bool most_l1;  /* asks for as little shared memory as will do */
    bool timed;    /* card->launch_ns is set */
    unsigned more; /* launches right behind it, timed together */
};

/* Runs a kernel to its end. */
bool card_launch(struct card *card, const struct card_launch *launch);

/* After a fault: a new context with nothing in it. False: there is none to be had any more. */
bool card_renew(struct card *card);

/* The card for the measurements of validate/micro; their module is loaded. */
bool card_measure_device(struct card *card, struct measure_device *device);

#endif
