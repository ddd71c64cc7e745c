/* The report of a copy by the engine that goes wrong: instruction, kernel, pc, and why. */
#include <stdio.h>
#include <string.h>

#include "tensor_rig.h"

static struct tensor_rig r;

/* A copy that is right as it stands: a tile of 16 x 8 words. */
static void usual(void)
{
    r.map = (struct tensor_map){.address = r.tensor,
                                .stride = {4, 256},
                                .size = {64, 64},
                                .box = {16, 8},
                                .step = {1, 1},
                                .rank = 2,
                                .type = TENSOR_U32};
    memset(r.task.at, 0, sizeof r.task.at);
    memset(r.task.offset, 0, sizeof r.task.offset);
    r.task.global = r.tensor;
    r.task.bytes = 512;
    r.task.room = 1024;
    r.task.shared = 0;
}

static int begin(void **state)
{
    (void)state;
    tensor_rig_begin(&r, 1);
    usual();
    return 0;
}

static int end(void **state)
{
    (void)state;
    tensor_rig_end(&r);
    return 0;
}

/* The kernel faults, and the sentence has all of these parts. */
static void faults(const char *kernel, bool with_map, const char *instruction, const char *why)
{
    char place[64];
    snprintf(place, sizeof place, "kernel %s, pc 0x", kernel);
    if (tensor_launch(&r, kernel, with_map))
        fail_msg("%s: no fault; expected: %s", kernel, why);
    if (!strstr(r.status.text, place) || !strstr(r.status.text, instruction) || !strstr(r.status.text, why))
        fail_msg("%s: '%s' lacks '%s' or '%s'", kernel, r.status.text, instruction, why);
    usual();
}

static void works(const char *kernel, bool with_map)
{
    if (!tensor_launch(&r, kernel, with_map))
        fail_msg("%s: %s", kernel, r.status.text);
    usual();
}

static void a_destination_must_be_aligned_and_inside(void **state)
{
    (void)state;
    works("load_2", true);
    r.task.shared = 64;
    faults("load_2", true, "UTMALDG.2D", "is no multiple of 128");
    r.task.shared = 65536 + 2048;
    faults("load_2", true, "UTMALDG.2D", "illegal address");
    r.task.shared = 8;
    faults("bulk_load", false, "UBLKCP.S.G", "is no multiple of 16");
    r.task.shared = 16;
    works("bulk_load", false);
    r.task.bytes = 200 << 10;
    faults("bulk_load", false, "UBLKCP.S.G", "there are ");
    r.task.shared = 64;
    faults("store_2", true, "UTMASTG.2D", "is no multiple of 128");
}

static void device_memory_must_be_there(void **state)
{
    (void)state;
    r.map.address = 0x1000;
    faults("load_2", true, "UTMALDG.2D", "illegal address 0x1000 of a tensor load");
    r.map.address = r.tensor + TENSOR_BYTES + TENSOR_BYTES / 2 - 256 * 8;
    works("load_2", true);
    r.map.address = r.tensor + TENSOR_BYTES + TENSOR_BYTES / 2 - 256 * 7;
    faults("load_2", true, "UTMALDG.2D", "of a tensor load: ");
    r.map.address = r.tensor + TENSOR_BYTES + TENSOR_BYTES / 2 - 256 * 7;
    faults("store_2", true, "UTMASTG.2D", "of a tensor store: ");
    r.map.address = r.tensor + TENSOR_BYTES + TENSOR_BYTES / 2 - 256 * 7;
    r.map.size[1] = 7; /* the last row is outside of the tensor, and nothing reads it */
    works("load_2", true);
    r.task.global = r.tensor + 8;
    faults("bulk_store", false, "UBLKCP.G.S", "is no multiple of 16");
    r.task.global = 0x2000;
    faults("bulk_store", false, "UBLKCP.G.S", "illegal address 0x2000 of a bulk copy");
}

static void a_map_must_be_one_and_fit_the_instruction(void **state)
{
    (void)state;
    r.map.rank = 3;
    r.map.size[2] = r.map.box[2] = r.map.step[2] = 1;
    r.map.stride[2] = 16384;
    faults("load_2", true, "UTMALDG.2D", "its rank is not that of the instruction");
    r.map.rank = 3;
    r.map.size[2] = r.map.step[2] = 1;
    r.map.stride[2] = 16384;
    r.map.im2col = true;
    r.map.pixels = 8;
    faults("load_3", true, "UTMALDG.3D", "it is for im2col, the instruction for tiles");
    r.map.type = TENSOR_U8;
    r.map.box[0] = 64;
    faults("reduce_2_add", true, "UTMAREDG.2D.ADD", "its elements cannot be reduced so");
    r.map.type = TENSOR_F32;
    faults("reduce_2_min", true, "UTMAREDG.2D.MIN", "its elements cannot be reduced so");
    r.task.global = r.tensor; /* no map there: patched copies it, and changes all but the mark that tells a map */
    faults("patched", false, "UTMALDG.2D", "it is no tensor map");
}

static void a_column_must_begin_on_its_grid(void **state)
{
    (void)state;
    r.map = (struct tensor_map){.address = r.tensor,
                                .stride = {4, 64, 1024, 0},
                                .size = {16, 12, 3},
                                .box = {16},
                                .step = {1, 2, 1},
                                .rank = 3,
                                .type = TENSOR_U32,
                                .im2col = true,
                                .pixels = 8,
                                .lower = {-2},
                                .upper = {0}};
    struct tensor_map map = r.map;
    works("column_3", true);
    r.map = map;
    r.task.at[1] = 1;
    faults("column_3", true, "UTMALDG.3D.IM2COL", "between the places of its element strides");
    r.map = map;
    r.task.at[1] = -4;
    faults("column_3", true, "UTMALDG.3D.IM2COL", "outside of the bounding box");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_destination_must_be_aligned_and_inside, begin, end),
        cmocka_unit_test_setup_teardown(device_memory_must_be_there, begin, end),
        cmocka_unit_test_setup_teardown(a_map_must_be_one_and_fit_the_instruction, begin, end),
        cmocka_unit_test_setup_teardown(a_column_must_begin_on_its_grid, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
