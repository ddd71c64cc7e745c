/* Recurrent networks: descriptors, the plan of a call, and its memory. */
#ifndef SUBCORE_DNN_RNN_H
#define SUBCORE_DNN_RNN_H

#include "dnn/dropout.h"
#include "dnn/kernels/rnn_arguments.h"
#include "dnn/tensors.h"

/* cudnnRNNBiasMode_t, cudnnRNNDataLayout_t, cudnnForwardMode_t, cudnnWgradMode_t */
enum { RNN_NO_BIAS, RNN_INPUT_BIAS, RNN_BOTH_BIASES, RNN_RECURRENT_BIAS, RNN_BIASES };
enum { RNN_STEPS_FIRST, RNN_PACKED, RNN_BATCH_FIRST, RNN_LAYOUTS };
enum { RNN_INFERENCE, RNN_TRAINING };
enum { RNN_ADD, RNN_SET };

/* A cudnnRNNDescriptor_t points to it. A pseudo-layer is one direction of a layer. */
struct rnn {
    bool set;
    int algorithm, mode, bias, directions, input_mode, type, math_type, math; /* directions: 1 or 2 */
    int input, hidden, width, layers; /* the width is that of the hidden state: a projection's, or `hidden` */
    const struct dropout *dropout;
    uint32_t flags;
    int clip;
    double low, high;
};

/* A cudnnRNNDataDescriptor_t points to it. */
struct rnn_data {
    int type, layout, steps, batch, width;
    int *lengths; /* null until the descriptor is set */
    bool filled;
    double fill; /* for places behind the end of a sequence */
};

static inline bool rnn_projects(const struct rnn *rnn) { return rnn->width < rnn->hidden; }

/* Returns how many gates a cell has. */
int rnn_gates(const struct rnn *rnn);

/* Returns how many bytes a tensor element or a sum has. */
size_t rnn_narrow(const struct rnn *rnn);
size_t rnn_wide(const struct rnn *rnn);

/* ---- weights ----------------------------------------------------------------------------------------------------- */

/* Matrices and biases of a pseudo-layer. The gates of one part follow each other. */
enum rnn_part { RNN_W, RNN_R, RNN_PROJECTION, RNN_INPUT_B, RNN_RECURRENT_B, RNN_PARTS };

/* Returns the place of a part, in elements, and writes its rows and columns. They are 0 if it does not exist. */
size_t rnn_weight(const struct rnn *rnn, int pseudo, enum rnn_part part, int *rows, int *columns);

/* Returns how many elements all weights have. */
size_t rnn_weights(const struct rnn *rnn);

/* Returns the width of a layer's input. */
int rnn_layer_input(const struct rnn *rnn, int layer);

/* ---- plans ------------------------------------------------------------------------------------------------------- */

/* Areas of memory. Those before RNN_STATE are kept from the way forward for the gradients. */
enum rnn_area {
    RNN_GATE_VALUES,  /* for each pseudo-layer, wide */
    RNN_RECURRENT,    /* for each pseudo-layer of a GRU, wide */
    RNN_OLD_STATE,    /* for each pseudo-layer: the hidden state before each row */
    RNN_OLD_CELL,     /* for each pseudo-layer of an LSTM, wide */
    RNN_RAW,          /* for each pseudo-layer with a projection: its input */
    RNN_RAW_GRADIENT, /* for each pseudo-layer with a projection: its output's gradient, wide */
    RNN_OUTPUT,       /* for each layer */
    RNN_DROPPED,      /* for each layer: the output after dropout */
    RNN_MASK,         /* for each layer: bytes, 1 for a kept element */
    RNN_STATE,
    RNN_CELL,           /* wide */
    RNN_STATE_GRADIENT, /* wide */
    RNN_STEP_GRADIENT,  /* a step's gradient before the projection, wide */
    RNN_INPUT,          /* rows of x in the plan's order */
    RNN_GRADIENTS,      /* two, wide: a layer's output gradient and input gradient */
    RNN_ORDER,          /* numbers of sequences */
    RNN_ROWS,           /* row numbers in x, y and their gradients */
    RNN_AREAS
};

/* Sequences go by falling length, and rows by time step, then by sequence. */
struct rnn_plan {
    const struct rnn *rnn;
    int layout, steps, batch;
    unsigned rows;
    bool in_order, rows_in_order; /* sequences and rows have the program's order */
    int *order, *row;             /* the program's numbers */
    unsigned *active, *first;     /* of each step: its sequences, and its first row */
    size_t offset[RNN_AREAS], each[RNN_AREAS];
    int count[RNN_AREAS];
    size_t work, reserve; /* bytes */
};

/* Finds sizes and places of all areas for data with this shape. */
void rnn_plan_areas(struct rnn_plan *plan, const struct rnn *rnn, const struct rnn_data *data, bool training);

/* Makes a plan. The program releases it. */
cudnnStatus_t rnn_plan_make(struct rnn_plan *plan, const struct rnn *rnn, const struct rnn_data *data, bool training);

void rnn_plan_release(struct rnn_plan *plan);

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* A call in progress. After a failure the functions below do nothing. */
struct rnn_run {
    const struct dnn *dnn;
    const struct rnn *rnn;
    struct rnn_plan plan;
    cudnnStatus_t status;
    bool training;
    char *work, *reserve;
    const char *weights;
};

/* Where rows are, and how far apart. */
struct rnn_rows {
    const void *at;
    long long row;
    bool wide;
    const int *order; /* or null */
};

/* The arguments that all calls have, to be checked. */
struct rnn_call {
    cudnnHandle_t handle;
    const struct rnn *rnn;
    const struct rnn_data *x, *y;
    const struct tensor *h, *c;
    bool states, cells; /* a hidden state or a cell state has an address */
    bool training;
    size_t weight_bytes, work_bytes, reserve_bytes;
    const void *weights, *work, *reserve;
};

/* Checks a call, makes its plan and sends its orders to the device. */
cudnnStatus_t rnn_begin(struct rnn_run *run, const struct rnn_call *call);

/* Releases the plan. Returns the status of the call. */
cudnnStatus_t rnn_end(struct rnn_run *run);

/* Returns the item of an area, or null if there is none. */
void *rnn_area(const struct rnn_run *run, enum rnn_area area, int item);

/* Returns an address that lies some elements behind another. */
void *rnn_at(const struct rnn_run *run, const void *at, bool wide, size_t elements);

/* Returns where a part lies among the weights, or null. */
const void *rnn_part_at(const struct rnn_run *run, int pseudo, enum rnn_part part);

/* Multiplies two matrices. */
void rnn_product(struct rnn_run *run, const struct rnn_product_arguments *g);

void rnn_cell(struct rnn_run *run, bool forward, const struct rnn_cell_arguments *g);

/* Copies rows or adds them. */
void rnn_move(struct rnn_run *run, struct rnn_rows to, struct rnn_rows from, unsigned rows, int width, bool add);

/* The program's addresses of states or of their gradients; each may be null. */
struct rnn_states {
    const void *hidden, *cell;
};

/* Copies a pseudo-layer's states between the program and an area. Rows without address count as zeros when they begin,
 * and are left out when they end. */
void rnn_begin_states(struct rnn_run *run, enum rnn_area area, bool wide, struct rnn_states from, int pseudo);
void rnn_end_states(struct rnn_run *run, enum rnn_area area, bool wide, struct rnn_states to, int pseudo);

void rnn_bias(struct rnn_run *run, void *bias, const void *gates, int columns, bool add);

/* Fills all rows of the program's data, behind the ends of sequences too. */
void rnn_fill(struct rnn_run *run, void *at, int width, double value);

/* Drops elements of a layer's output out, or of its gradient. */
void rnn_drop(struct rnn_run *run, int layer, void *gradient);

/* Whether there is dropout between layers. */
bool rnn_drops(const struct rnn_run *run);

/* Returns the orders on the device, or null. */
const int *rnn_order(const struct rnn_run *run);
const int *rnn_row_order(const struct rnn_run *run);

#endif
