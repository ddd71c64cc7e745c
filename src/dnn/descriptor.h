/* Descriptors of the graph interface: attributes by number, as programs set them. */
#ifndef SUBCORE_DNN_DESCRIPTOR_H
#define SUBCORE_DNN_DESCRIPTOR_H

#include "dnn/convolution.h"

/* cudnnBackendDescriptorType_t, as far as descriptors of these kinds mean something here. */
enum backend_kind {
    BACKEND_POINTWISE = 0,
    BACKEND_CONVOLUTION = 1,
    BACKEND_ENGINE = 2,
    BACKEND_ENGINE_CHOICE = 3,
    BACKEND_HEURISTIC = 4,
    BACKEND_PLAN = 5,
    BACKEND_FORWARD = 10,
    BACKEND_FILTER = 11,
    BACKEND_DATA = 12,
    BACKEND_POINTWISE_OPERATION = 13,
    BACKEND_GRAPH = 15,
    BACKEND_PACK = 16,
    BACKEND_TENSOR = 17,
    BACKEND_KINDS = 64 /* kinds that are not named here can be made, and no graph with them is supported */
};

/* cudnnBackendAttributeType_t */
enum backend_type {
    BACKEND_OF_HANDLE = 0,
    BACKEND_OF_DATA_TYPE = 1,
    BACKEND_OF_BOOLEAN = 2,
    BACKEND_OF_INT64 = 3,
    BACKEND_OF_FLOAT = 4,
    BACKEND_OF_DOUBLE = 5,
    BACKEND_OF_POINTER = 6,
    BACKEND_OF_CONVOLUTION_MODE = 7,
    BACKEND_OF_DESCRIPTOR = 15,
    BACKEND_OF_INT32 = 23,
    BACKEND_OF_CHAR = 24,
    BACKEND_OF_FRACTION = 26,
    BACKEND_TYPES = 64
};

/* cudnnBackendAttributeName_t */
enum backend_name {
    BACKEND_POINTWISE_MODE = 0,
    BACKEND_COMPUTE_TYPE = 100,
    BACKEND_MODE = 101,
    BACKEND_DILATIONS = 102,
    BACKEND_STRIDES_OF_FILTER = 103,
    BACKEND_PADDING_AFTER = 104,
    BACKEND_PADDING_BEFORE = 105,
    BACKEND_SPACE = 106,
    BACKEND_HEURISTIC_GRAPH = 201,
    BACKEND_HEURISTIC_RESULTS = 202,
    BACKEND_CHOSEN_ENGINE = 300,
    BACKEND_KNOBS = 302,
    BACKEND_PLAN_CHOICE = 401,
    BACKEND_PLAN_WORKSPACE = 402,
    BACKEND_POINTWISE_HOW = 750,
    BACKEND_POINTWISE_X = 751,
    BACKEND_POINTWISE_B = 752,
    BACKEND_POINTWISE_Y = 753,
    BACKEND_POINTWISE_SCALE_X = 754,
    BACKEND_POINTWISE_SCALE_B = 755,
    BACKEND_GRAPH_OPERATIONS = 801,
    BACKEND_GRAPH_ENGINES = 802,
    BACKEND_TENSOR_TYPE = 901,
    BACKEND_TENSOR_SIZES = 902,
    BACKEND_TENSOR_STEPS = 903,
    BACKEND_TENSOR_ID = 906,
    BACKEND_PACK_IDS = 1000,
    BACKEND_PACK_POINTERS = 1001,
    BACKEND_ENGINE_GRAPH = 1300,
    BACKEND_ENGINE_NUMBER = 1301,
    BACKEND_ENGINE_KNOBS = 1302,
    BACKEND_ENGINE_NUMERICAL_NOTES = 1303,
    BACKEND_ENGINE_LAYOUTS = 1304,
    BACKEND_ENGINE_BEHAVIOUR_NOTES = 1305
};

struct backend_attribute {
    int name, type;
    int64_t count;
    void *values; /* descriptors are referred to, and live as long */
};

/* A cudnnBackendDescriptor_t points to it. */
struct backend {
    uint64_t magic; /* BACKEND_MAGIC while it lives */
    int references, kind;
    bool final;
    int count;
    struct backend_attribute *attributes;
    struct convolution convolution;   /* of a finished plan */
    int64_t ids[CONVOLUTION_TENSORS]; /* those of its tensors */
};

#define BACKEND_MAGIC 0x73756263626b6e64u

static inline bool backend_lives(const struct backend *b) { return b != NULL && b->magic == BACKEND_MAGIC; }

/* Returns an attribute, or null if it is not set. */
const struct backend_attribute *backend_find(const struct backend *b, int name);

/* Returns the descriptor that is the first value of an attribute, or null. */
struct backend *backend_child(const struct backend *b, int name);

/* Adds an attribute, or replaces it. */
cudnnStatus_t backend_set(struct backend *b, int name, int type, int64_t count, const void *values);

/* Lets go of a descriptor, which goes with its last user. */
void backend_release(struct backend *b);

/* Returns the bytes of a value, 0 for a type that does not exist. */
size_t backend_size(int type);

#endif
