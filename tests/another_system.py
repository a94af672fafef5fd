"""Windows or macOS, as far as a process of Linux can be it.

`begin(system)` takes away from the book's own modules what that system does not have,
and lets files behave as they do there: Windows neither moves nor removes an open one,
and forbids some letters; on both no two names differ in capitals alone. Libraries see
the system that there is, since they know theirs. `enter` begins in every process that
is started with the variables that it returns.
"""

import builtins
import contextlib
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import types
import warnings
from functools import partial
from pathlib import Path

TESTS = Path(__file__).resolve().parent
OWN = tuple(str(TESTS.parent / place) for place in (
    "src", "tools", "assignments", "one_file"))
NEVER = {"win32": "fcntl grp posix pty pwd resource syslog termios", "darwin": "msvcrt"}
GONE = {    # what a module has elsewhere
    ("win32", os): (
        "O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK O_SYNC WIFEXITED WNOHANG chown "
        "chroot fchmod fchown fork forkpty getegid geteuid getgid getgroups getloadavg "
        "getpgid getsid getuid killpg lchown lockf memfd_create mkfifo mknod nice "
        "openpty pathconf pipe2 posix_fadvise posix_fallocate posix_spawn pread pwrite "
        "register_at_fork sched_getaffinity sched_setaffinity sched_yield sendfile "
        "set_blocking setsid setuid statvfs sync sysconf uname wait wait3 wait4 waitid "
        "writev"),
    ("win32", signal): (
        "SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGPROF SIGQUIT SIGSTOP "
        "SIGTSTP SIGUSR1 SIGUSR2 SIGXCPU alarm getitimer pthread_kill pthread_sigmask "
        "setitimer sigwait"),
    ("darwin", os): (
        "memfd_create pipe2 posix_fadvise posix_fallocate sched_getaffinity "
        "sched_setaffinity setresuid"),
    ("darwin", signal): "SIGRTMIN SIGRTMAX sigtimedwait"}
FORBIDDEN = re.compile(r'[<>:"|?*\x00-\x1f]|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)',
                       re.IGNORECASE)
SITE = """\
import sys
sys.modules["rfc3987_syntax"] = None    # as tools/environment.py, which says why
sys.path.append({tests!r})
import another_system
another_system.begin({system!r})
sys.path.remove({tests!r})
"""


def enter(system, folder):
    """The variables of processes that are on `system`; what begins lies in `folder`."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(
        SITE.format(tests=str(TESTS), system=system), "utf-8")
    names = {"PYTHONPATH", "PYTHONIOENCODING"}
    kept = {name: value for name, value in os.environ.items() if name not in names}
    return kept | {"PYTHONPATH": str(folder), "PYTHONUTF8": "0",
                   "PYTHONWARNDEFAULTENCODING": "1", "MPLBACKEND": "Agg"}


class Seen(types.ModuleType):
    """A module as it is elsewhere: some names are gone, some are others."""

    def __init__(self, module, gone="", **changed):
        vars(self).update(changed, _module=module, _gone=gone.split())

    def __getattr__(self, name):
        if name in self._gone:
            raise AttributeError(f"module {self._module.__name__!r} has no attribute "
                                 f"{name!r}")
        return getattr(self._module, name)

    def __setattr__(self, name, value):
        setattr(self._module, name, value)


def begin(system):
    """From here on this process is on `system`, win32 or darwin."""
    true, never = builtins.__import__, NEVER[system].split()
    path = Seen(os.path, exists=lambda name: (
        not str(name).startswith("/proc/") and os.path.exists(name)))
    seen = {"os": Seen(os, GONE[system, os], path=path,
                       name="nt" if system == "win32" else "posix"),
            "sys": Seen(sys, platform=system), "os.path": path,
            "signal": Seen(signal, GONE[system, signal])}
    if system == "win32":
        seen["msvcrt"] = msvcrt()

    def importing(name, globals=None, *rest, **more):
        own = str((globals or {}).get("__file__", "")).startswith(OWN)
        if own and name in never:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return (seen[name] if own and name in seen
                else true(name, globals, *rest, **more))

    builtins.__import__ = importing
    multiprocessing.set_start_method("spawn", force=True)
    warnings.filterwarnings("ignore", category=EncodingWarning)    # of the libraries
    for module in ("softdict", "__main__", "build", "environment", "notebooks"):
        warnings.filterwarnings("error", category=EncodingWarning, module=module)
    sys.addaudithook(partial(watch, system))
    if system == "win32":
        windows()


def msvcrt():
    """The two names of Windows' module that the book uses, by the locks of here."""
    import fcntl

    def locking(file, mode, size):
        place = os.lseek(file, 0, os.SEEK_CUR)
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, size, place)

    return types.SimpleNamespace(locking=locking, LK_NBLCK=2)


def windows():
    """What is special there: a pipe in cp1252, a `rename` that replaces nothing, what
    no process is given."""
    for stream in (sys.stdout, sys.stderr):
        if not sys.flags.utf8_mode:
            stream.reconfigure(encoding="cp1252", errors=stream.errors)
    true, start = os.rename, subprocess.Popen.__init__

    def rename(old, new, **places):
        if os.path.lexists(new):
            raise FileExistsError(17, "there is a file of this name", str(new))
        return true(old, new, **places)

    def begun(self, *arguments, pass_fds=(), preexec_fn=None, **settings):
        if pass_fds or preexec_fn:
            raise ValueError("pass_fds and preexec_fn are not supported on Windows")
        start(self, *arguments, **settings)

    os.rename, subprocess.Popen.__init__ = rename, begun
    shutil._use_fd_functions = False


# What files do there ------------------------------------------------------------------

def watch(system, event, arguments):
    """Refuses what the system refuses, by its own errors; a hook for audits."""
    if event == "open":
        name, _, flags = arguments
        if isinstance(name, (str, bytes)) and flags & (os.O_WRONLY | os.O_RDWR):
            named(system, name)
    elif event == "os.mkdir":
        named(system, arguments[0])
    elif event == "os.rename":
        named(system, arguments[1])
    elif event == "os.symlink" and system == "win32":
        raise OSError(1314, "A required privilege is not held by the client")
    if system == "win32" and event in ("os.remove", "os.rmdir", "os.rename"):
        # tempfile opens its own files in another way there
        if sys._getframe(1).f_globals.get("__name__") != "tempfile":
            for name in arguments[:2] if event == "os.rename" else arguments[:1]:
                free(name)


def named(system, name):
    """Raises OSError for a name that a file cannot have there, or has already."""
    name = os.path.abspath(os.fsdecode(name))
    folder, base = os.path.split(name)
    if name.startswith(("/dev/", "/proc/")) or os.path.lexists(name):
        return
    if system == "win32" and FORBIDDEN.search(base):
        raise OSError(22, "Invalid argument", name)
    for other in os.listdir(folder) if os.path.isdir(folder) else ():
        if other.casefold() == base.casefold():
            raise FileExistsError(17, f"it is the same as {other}", name)


def free(name):
    """Raises PermissionError for a file that this process has open, or its folder."""
    name = os.path.realpath(os.fsdecode(name))
    for held in opened():
        if held == name or held.startswith(f"{name}/"):
            raise PermissionError(13, "another process is using this file", name)


def opened():
    """The files that this process has open, or mapped into its memory; its folder."""
    for handle in os.scandir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            yield os.readlink(handle.path)
    yield os.getcwd()
    with open("/proc/self/maps", encoding="utf-8") as maps:
        yield from (line[line.index("/"):].rstrip("\n") for line in maps if "/" in line)
