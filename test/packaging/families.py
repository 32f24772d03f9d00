# Runs a program as systemd's RestrictAddressFamilies does: sockets of other families are refused with EAFNOSUPPORT.
# families.py FAMILY... -- PROGRAM ARGUMENT...
import ctypes
import os
import platform
import socket
import struct
import sys

end = sys.argv.index("--")
families = [int(getattr(socket, name)) for name in sys.argv[1:end]]
number = {"x86_64": 41, "aarch64": 198}[platform.machine()]
load, equal, answer = 0x20, 0x15, 0x06
refused, allowed = 0x00050000 | 97, 0x7FFF0000


def step(code, value, yes=0, no=0):
    return struct.pack("HBBI", code, yes, no, value)


# The number of the call lies at 0, its first argument at 16.
steps = [step(load, 0), step(equal, number, no=len(families) + 2), step(load, 16)]
steps += [step(equal, family, yes=len(families) - i) for i, family in enumerate(families)]
steps += [step(answer, refused), step(answer, allowed)]
text = ctypes.create_string_buffer(b"".join(steps))


class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]


libc = ctypes.CDLL(None, use_errno=True)
made = Filter(len(steps), ctypes.cast(text, ctypes.c_void_p))
if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, ctypes.byref(made), 0, 0) != 0:
    sys.exit("the kernel takes no filter")
os.execvp(sys.argv[end + 1], sys.argv[end + 1 :])
