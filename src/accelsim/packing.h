/* How the file of a kernel is packed: told by its name's ending. */
#ifndef SUBCORE_ACCELSIM_PACKING_H
#define SUBCORE_ACCELSIM_PACKING_H

enum accelsim_packing {
    ACCELSIM_PLAIN,
    ACCELSIM_XZ,
    ACCELSIM_GZ,
    ACCELSIM_TRACEZ /* a container of trace version 6 */
};

#endif
