"""Decompression by whatever zstd the machine has: the module zstandard or compression.zstd, the library, or the
program."""
import ctypes
import ctypes.util
import shutil
import subprocess
import sys


def decompressor():
    """Returns a function (bytes, size) -> bytes. Exits with 77 if there is no zstd."""
    try:
        import zstandard
        return lambda data, size: zstandard.ZstdDecompressor().decompress(data, max_output_size=size)
    except ImportError:
        pass
    try:
        from compression import zstd
        return lambda data, size: zstd.decompress(data)
    except ImportError:
        pass
    name = ctypes.util.find_library("zstd") or "libzstd.so.1"
    try:
        library = ctypes.CDLL(name)
    except OSError:
        library = None
    if library:
        library.ZSTD_decompress.restype = ctypes.c_size_t
        library.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]

        def by_library(data, size):
            out = ctypes.create_string_buffer(size)
            return out.raw if library.ZSTD_decompress(out, size, data, len(data)) == size else b""
        return by_library
    if shutil.which("zstd"):
        return lambda data, size: subprocess.run(["zstd", "-dc"], input=data, capture_output=True, check=True).stdout
    print("no zstd was found")
    sys.exit(77)
