"""Opens a kernel of a trace for Accel-Sim as text: a plain or compressed file, or a container. It is apart from the
simulator's own reader, as check_traceg.py is."""
import gzip
import io
import lzma
import struct

from read_trace import decompressor


class Complaint(Exception):
    pass


def need(condition, text):
    if not condition:
        raise Complaint(text)


def text_of_container(path):
    """The text that a container stands for, in the order of its index."""
    data, unpack = path.read_bytes(), decompressor()
    end = data.index(0)
    dictionary, _ = struct.unpack_from("<2I", data, end + 1)
    need(dictionary == 0, f"{path}: a dictionary, which this cannot read")
    at, = struct.unpack_from("<Q", data, len(data) - 8)
    blocks, = struct.unpack_from("<I", data, at)
    at += 4
    text = [data[:end].decode()]
    for _ in range(blocks):
        *place, rank, warps = struct.unpack_from("<11I", data, at)
        at += 44
        text.append("#BEGIN_TB\n")
        for name, three in (("thread block", place[:3]), ("cluster id", place[3:6]), ("cluster cta", place[6:])):
            text.append(f"{name} = {three[0]},{three[1]},{three[2]}\n")
        text.append(f"cluster rank = {rank}\n")
        for warp in range(warps):
            count, parts, where = struct.unpack_from("<2IQ", data, at)
            sizes = struct.unpack_from(f"<{parts}I", data, at + 16)
            at += 16 + 4 * parts
            need(sum(sizes) == count, f"{path}: parts of {sum(sizes)} instructions in a warp of {count}")
            need(struct.unpack_from("<2I", data, where) == (count, parts), f"{path}: a warp is not as its index has it")
            where += 8
            text.append(f"warp = {warp}\ninsts = {count}\n")
            for size in sizes:
                packed, = struct.unpack_from("<I", data, where)
                lines = unpack(data[where + 4:where + 4 + packed], content_size(data, where + 4)).decode()
                need(lines.count("\n") == size - 1, f"{path}: {lines.count(chr(10)) + 1} lines in a part of {size}")
                text.append(lines + "\n")
                where += 4 + packed
        text.append("#END_TB\n")
    need(at == len(data) - 8, f"{path}: something stands behind the index")
    return io.StringIO("".join(text))


def content_size(data, at):
    """Of a zstd frame, which has to say it."""
    descriptor = data[at + 4]
    single, kind = descriptor >> 5 & 1, descriptor >> 6
    need(data[at:at + 4] == b"\x28\xb5\x2f\xfd" and (single or kind), "a part that is no zstd frame with its size")
    bytes_of_size = (1 if single else 0, 2, 4, 8)[kind]
    start = at + 5 + (0 if single else 1) + (0, 1, 2, 4)[descriptor & 3]
    size = int.from_bytes(data[start:start + bytes_of_size], "little")
    return size + 256 if bytes_of_size == 2 else size


def open_kernel(path):
    if path.suffix == ".tracez":
        return text_of_container(path)
    openers = {".traceg": open, ".xz": lzma.open, ".gz": gzip.open}
    need(path.suffix in openers, f"{path}: neither .traceg nor .traceg.xz nor .traceg.gz")
    return openers[path.suffix](path, "rt", encoding="utf-8", newline="")
