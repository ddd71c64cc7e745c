/* Arguments of the kernels for recurrent networks, as host and device see them. Steps are in elements. Wide memory has
 * the type of the sums, and other memory that of the tensors. */
#ifndef SUBCORE_DNN_KERNELS_RNN_ARGUMENTS_H
#define SUBCORE_DNN_KERNELS_RNN_ARGUMENTS_H

enum { RNN_TILE = 32, RNN_THREADS = 256, RNN_BIAS_COLUMNS = 32 };

/* cudnnRNNMode_t */
enum rnn_mode { RNN_RELU, RNN_TANH, RNN_LSTM, RNN_GRU, RNN_MODES };

/* result(p, q) = sum over l of left(p, l) * right(l, q), and the old result if `add`. Columns of the result follow each
 * other. */
struct rnn_product_arguments {
    const void *left, *right;
    void *result;
    long long left_row, left_step, right_column, right_step, result_row;
    unsigned rows, columns, depth; /* p, q and l are below these */
    unsigned wide_left, wide_result, add;
};

/* One time step of one layer in one direction. Rows are the sequences that are this long. */
struct rnn_cell_arguments {
    void *gates;     /* wide: sums of products, later the gates, going back their gradients */
    void *recurrent; /* wide, only for a GRU: products of the state, going back their gradients */
    const void *input_bias, *recurrent_bias; /* or null */
    void *state;                             /* the hidden state */
    void *cell;                              /* wide, only for an LSTM: the cell state, going back its gradient */
    void *old_state, *old_cell;              /* the states before this step, kept for the way back. old_cell is wide */
    void *output;                            /* the layer's output, or the projection's input. Going back, null */
    const void *gradient;                    /* wide: the output's gradient */
    void *state_gradient;                    /* wide */
    long long output_row, gradient_row;
    unsigned rows, hidden, width; /* the width is that of the state: with a projection below `hidden` */
    unsigned mode, projected, clipped;
    double low, high; /* limits of the cell state */
};

/* Copies rows, or adds them. Rows without a source are zeros. */
struct rnn_move_arguments {
    const void *from;
    void *to;
    const int *from_rows, *to_rows; /* numbers of rows, or null: in order */
    long long from_row, to_row;
    unsigned rows, width;
    unsigned wide_from, wide_to, add, spare;
};

/* Adds the columns of the gates' gradients up. */
struct rnn_bias_arguments {
    const void *gates; /* wide */
    void *bias;
    unsigned rows, columns, add, spare;
};

/* Fills a whole tensor with a value. */
struct rnn_fill_arguments {
    void *to;
    unsigned long long count;
    double value;
};

#endif
