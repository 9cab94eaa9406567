"""The system's error names and numbers: what each says in words, and which numbers are which names."""

from __future__ import annotations

from typing import Final

ERRNO: Final = {
    "eacces": "permission denied",
    "eaddrinuse": "address already in use",
    "eaddrnotavail": "cannot assign requested address",
    "eagain": "resource temporarily unavailable",
    "eai": "temporary failure in name resolution",
    "ebadf": "bad file descriptor",
    "ebusy": "device or resource busy",
    "econnaborted": "connection aborted",
    "econnrefused": "connection refused",
    "econnreset": "connection reset by peer",
    "eexist": "file exists",
    "efbig": "file too large",
    "ehostunreach": "no route to host",
    "einval": "invalid argument",
    "eio": "input output error",
    "eisdir": "is a directory",
    "eloop": "too many levels of symbolic links",
    "emfile": "too many open files",
    "enametoolong": "file name too long",
    "enetunreach": "network is unreachable",
    "enfile": "too many open files in system",
    "enoent": "no such file or directory",
    "enoexec": "exec format error",
    "enomem": "cannot allocate memory",
    "enospc": "no space left on device",
    "enotdir": "not a directory",
    "enotempty": "directory not empty",
    "enotfound": "could not resolve host",
    "eperm": "operation not permitted",
    "epipe": "broken pipe",
    "erofs": "read only file system",
    "etimedout": "connection timed out",
    "exdev": "invalid cross device link",
}
"""What the system says for an errno name (`strerror`), and node's two for names that do not resolve."""

ERRNO_NUMBERS: Final = {
    1: "EPERM", 2: "ENOENT", 5: "EIO", 8: "ENOEXEC", 9: "EBADF", 11: "EAGAIN", 12: "ENOMEM", 13: "EACCES", 16: "EBUSY",
    17: "EEXIST", 18: "EXDEV", 20: "ENOTDIR", 21: "EISDIR", 22: "EINVAL", 23: "ENFILE", 24: "EMFILE", 27: "EFBIG",
    28: "ENOSPC", 30: "EROFS", 32: "EPIPE", 39: "ENOTEMPTY", 98: "EADDRINUSE", 99: "EADDRNOTAVAIL", 101: "ENETUNREACH",
    104: "ECONNRESET", 110: "ETIMEDOUT", 111: "ECONNREFUSED", 113: "EHOSTUNREACH",
    48: "EADDRINUSE", 49: "EADDRNOTAVAIL", 51: "ENETUNREACH", 54: "ECONNRESET", 60: "ETIMEDOUT", 61: "ECONNREFUSED",
    65: "EHOSTUNREACH",
}  # fmt: skip
"""The numbers of Linux, then those of macOS; none of them means two things that casebook compares."""
