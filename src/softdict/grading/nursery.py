"""A warm parent: it has loaded torch, knows no tests, and forks a child an answer.

    python -m softdict.grading.nursery    jobs on standard input, results on output

The child loses all that it could do harm with before it runs a line that is not ours:
files, network, other processes, time, memory. `contain` says what the system allows.
"""

import ctypes
import os
import resource
import select
import signal
import sys
import time

LINUX = sys.platform.startswith("linux")
FLAGS = {"mount": 0x00020000, "ipc": 0x08000000, "user": 0x10000000,
         "pid": 0x20000000, "network": 0x40000000}
PRIVATE, BIND, REMOUNT = 0x40000 | 0x4000, 0x1000, 0x20
READ_ONLY, NO_SUID, NO_DEV = 0x1, 0x2, 0x4
SEEN, LOCKED = 1 << 21, 0xC0E    # relatime; flags that a user must leave as they are
NEW_PRIVILEGES, DEATH_SIGNAL = 38, 1
NOBODY = 61_000    # the first of the users that are nobody else's
PROCESSES = 32
FILES = 16 * 2 ** 20    # bytes that an answer may write
LOOK = 0.1    # seconds between two looks at the memory of all
SCRATCH = "/tmp"
HIDDEN = ("/root", "/home", "/var/tmp", "/dev/shm", "/run", "/mnt", "/media", "/srv")


def libc(name, *arguments):
    """Calls the C library; raises OSError where it refuses."""
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*arguments):
        raise OSError(ctypes.get_errno(), f"{name} was refused")


def mount(source, target, kind, flags, options=""):
    libc("mount", source.encode(), target.encode(), kind.encode(), flags,
         options.encode())


def separate():
    """Leaves the namespaces of the machine; the next child is alone in its own.

    raises OSError where the system does not allow it
    """
    flags = FLAGS["mount"] | FLAGS["ipc"] | FLAGS["pid"] | FLAGS["network"]
    if os.geteuid():
        user, group = os.geteuid(), os.getegid()
        libc("unshare", flags | FLAGS["user"])
        for name, line in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"),
                           ("gid_map", f"0 {group} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(line)
    else:
        libc("unshare", flags)


def hide(folders, keep):
    """Covers folders by empty ones, and gives the child /tmp of its own.

    what lies in `keep`, such as Python itself, stays in sight, and cannot be written
    """
    mount("none", "/", "none", PRIVATE)
    mount("proc", "/proc", "proc", NO_SUID | NO_DEV)
    for name in ("shmmni", "msgmni"):    # what is kept there counts as nobody's memory
        try:
            with open(f"/proc/sys/kernel/{name}", "w") as file:
                file.write("0")
        except OSError:
            pass    # an old kernel leaves this to the machine's own root
    kept = {}
    for path in sorted(set(filter(os.path.isdir, keep))):
        kept[path] = os.open(path, os.O_PATH)
    empty = f"size=4k,mode=755,nr_inodes={len(kept) * 12 + 8}"

    def cover(these):
        for folder in these:
            if os.path.isdir(folder) and not os.path.islink(folder):
                mount("none", folder, "tmpfs", NO_SUID | NO_DEV, empty)

    cover(HIDDEN)
    mount("none", SCRATCH, "tmpfs", NO_SUID | NO_DEV, "size=64m,mode=1777")
    for path, handle in kept.items():
        if not os.path.isdir(path) or not os.listdir(path):    # it was covered
            os.makedirs(path, exist_ok=True)
            mount(f"/proc/self/fd/{handle}", path, "none", BIND)
        os.close(handle)
    cover(folders)    # last: what was kept may hold them


def freeze():
    """Lets nothing be written outside the scratch folder, on any disk."""
    with open("/proc/self/mountinfo") as file:
        points = {line.split()[4].encode().decode("unicode_escape") for line in file}
    for point in sorted(points - {SCRATCH}):
        try:
            held = os.statvfs(point).f_flag
        except OSError:
            continue    # covered
        flags = held & LOCKED | (SEEN if held & os.ST_RELATIME else 0)
        mount("none", point, "none", REMOUNT | BIND | READ_ONLY | flags)


def owned():
    """How many processes this user has: the kernel counts them all."""
    mine, count = os.getuid(), 0
    if not LINUX:
        return 500    # a guess on the safe side: there is no /proc
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.stat(f"/proc/{name}").st_uid == mine:
                count += len(os.listdir(f"/proc/{name}/task"))
        except OSError:
            pass    # it has ended
    return count


def limit(seconds, memory, processes):
    """Sets what the kernel counts: time, memory, processes, files."""
    taken = 2 ** 36
    if LINUX:
        with open("/proc/self/statm") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
    for name, most in (("CPU", seconds + 1), ("AS", taken + memory), ("CORE", 0),
                       ("NPROC", processes), ("FSIZE", FILES), ("NOFILE", 128)):
        try:
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
        except (ValueError, OSError):
            if LINUX:    # elsewhere a limit may be missing, which `gaps` says
                raise


def drop(number):
    """Becomes a user who owns nothing, for good."""
    user = NOBODY + number
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def confined(job, out, number):
    """What the child does: shuts itself in, runs the answer, writes its results."""
    if LINUX:
        libc("prctl", DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    keep = [path for path in {sys.prefix, sys.base_prefix, *sys.path} if path]
    processes = PROCESSES + (0 if job["contained"] and not job["mapped"] else owned())
    if job["contained"]:
        hide(job["hidden"], keep)
        if job["mapped"]:    # the files of this user are the child's, too
            freeze()
        os.chdir(SCRATCH)
    limit(job["seconds"], job["memory"], processes)
    if job["contained"] and not job["mapped"]:
        drop(number)
    if LINUX:
        libc("prctl", NEW_PRIVILEGES, 1, 0, 0, 0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.environ.update(HOME=SCRATCH, MPLCONFIGDIR=f"{SCRATCH}/matplotlib",
                      SOFTDICT_CACHE=f"{SCRATCH}/softdict")
    from softdict.grading.answering import run
    write_all(out, run(job))


def write_all(handle, content):
    view = memoryview(content)
    while view:
        view = view[os.write(handle, view):]


def grow(job, number):
    """Runs a job in a child of its own; returns what it wrote, or why it did not."""
    from softdict.grading.wire import LONGEST
    there, here = os.pipe()
    sentry = os.fork()
    if sentry == 0:    # it only leaves the namespaces, so that its child is alone
        os.close(there)
        try:
            os.setsid()
            if job["contained"]:
                separate()
            child = os.fork()
            if child == 0:
                try:
                    confined(job, here, number)
                finally:
                    os._exit(0)
            os.close(here)
            os.waitpid(child, 0)
        finally:
            os._exit(0)
    os.close(here)
    end, parts, size = time.monotonic() + job["seconds"] + 2, [], 0
    why, own = "", held(os.getpid())
    while True:
        left = end - time.monotonic()
        ready = select.select([there], [], [], max(0, min(left, LOOK)))[0]
        if used(sentry, own) > job["memory"]:
            why = "memory"
            break
        if not ready and left > 0:
            continue
        if not ready:
            why = "time"
            break
        part = os.read(there, 2 ** 20)
        if not part:
            break
        parts.append(part)
        size += len(part)
        if size > LONGEST:
            why = "size"
            break
    os.close(there)
    kill(sentry)
    return why, b"".join(parts)


def children(process):
    """The children that a process has, of each of its threads."""
    found = []
    try:
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/children") as file:
                found += map(int, file.read().split())
    except OSError:
        pass    # it has ended, or this system has no /proc
    return found


def held(process):
    """The bytes that a process holds: memory, and files that lie in memory."""
    total, place = 0, f"/proc/{process}"
    try:
        with open(f"{place}/status") as file:
            total = 1024 * sum(int(line.split()[1]) for line in file
                               if line.startswith(("RssAnon", "RssShmem")))
        for name in os.listdir(f"{place}/fd"):
            if os.readlink(f"{place}/fd/{name}").startswith("/memfd:"):
                total += 512 * os.stat(f"{place}/fd/{name}").st_blocks
    except OSError:
        pass    # as above
    return total


def used(process, own):
    """The bytes of all processes below one; `own` is what each has from its parent.

    the kernel's limit holds for each process alone, and forks share what they got
    """
    return sum(max(0, held(child) - own) + used(child, own)
               for child in children(process))


def kill(sentry):
    """Ends the sentry, its child, and so all that live in the child's namespace."""
    for process in children(sentry):
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass
    try:
        os.killpg(sentry, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    os.waitpid(sentry, 0)


def read_exactly(size):
    content = sys.stdin.buffer.read(size)
    if len(content) < size:
        sys.exit()    # the grader is gone
    return content


def main(number):
    import numpy    # noqa: F401  loaded once, for all children
    import torch
    from softdict import (    # noqa: F401
        attention, batches, checks, decoding, heads, layers, masks, transformer)
    from softdict.grading.wire import LENGTH, pack, unpack

    torch.set_num_threads(1)
    while True:
        job = unpack(read_exactly(LENGTH.unpack(read_exactly(LENGTH.size))[0]))
        why, told = grow(job, number)
        content = pack({"why": why, "told": torch.frombuffer(
            bytearray(told or b"\0"), dtype=torch.uint8), "size": len(told)})
        sys.stdout.buffer.write(LENGTH.pack(len(content)) + content)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
