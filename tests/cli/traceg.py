"""The head of a kernel's file in a trace of Accel-Sim, for the tests that write such traces."""
HEAD = """-kernel name = {name}
-kernel id = {number}
-grid dim = ({ctas},1,1)
-block dim = ({threads},1,1)
-shmem = {shared}
-nregs = 24
-binary version = 80
-cuda stream id = {stream}
-shmem base_addr = 0x00007f0000000000
-local mem base_addr = 0x00007f0001000000
-nvbit version = 1.7.1
-accelsim tracer version = 5
-enable lineinfo = 0

#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [addresses] immediate

"""


def head(number, ctas, threads, stream, shared=0):
    return HEAD.format(name=f"kernel_{number}", number=number, ctas=ctas, threads=threads, shared=shared, stream=stream)
