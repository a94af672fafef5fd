"""The wall around what a student wrote: bubblewrap, or a container, or none.

It is an allow-list: whoever runs inside sees Python, its packages, this package and a
scratch folder, and nothing else. `find` says which wall this system has.
"""

import errno
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from softdict import __version__
from softdict.grading.reading import MOST_TOLD, SECONDS

IMAGE = f"softdict-grade:{__version__}"
BUILD = "{engine} build -t " + IMAGE + " -f assignments/Containerfile ."
SCRATCH, SPACE = "/tmp", 64 * 2 ** 20    # where a student may write, and how many bytes
FILES = 2000    # how many files; their names take memory that no size counts
HANDED_IN = "/handed_in"    # where the one entry lies that is read
NOBODY = 65534
OLDEST = 0, 8    # of bubblewrap: --disable-userns
PLACES = "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/nix/store", "/gnu/store"
# all that a box sees of /proc, the rest of which names the teacher's mounts; the second
# is that of the box itself, and says how much memory is taken
OF_KERNEL = "/proc/cpuinfo", "/proc/self/statm"
LINKS = "/etc/ld.so.cache", "/etc/alternatives"
VARIABLES = {"HOME": SCRATCH, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
# what a system may have closed, and the line with which its administrator opens it
CLOSED = (
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
     "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0",
     "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
    ("/proc/sys/user/max_user_namespaces", "0",
     "sudo sysctl -w user.max_user_namespaces=10000"))
NUMBERS = itertools.count()

THREAD = 0x10000    # CLONE_THREAD
CLONE3 = 435    # no filter sees its flags
UNKNOWN = -1    # the library's number for a name that it does not know
REFUSED = """
fork vfork memfd_create memfd_secret ptrace process_vm_readv process_vm_writev
process_madvise kcmp pidfd_open pidfd_getfd pidfd_send_signal
mount umount umount2 pivot_root chroot setns unshare open_tree move_mount fsopen
fsconfig fsmount fspick mount_setattr statmount listmount
keyctl add_key request_key bpf perf_event_open userfaultfd
io_uring_setup io_uring_enter io_uring_register io_setup
socket bind connect listen accept accept4 shmget shmat msgget semget mq_open
inotify_init inotify_init1 fanotify_init
open_by_handle_at name_to_handle_at lookup_dcookie quotactl quotactl_fd acct
init_module finit_module delete_module kexec_load kexec_file_load
swapon swapoff reboot syslog personality modify_ldt iopl ioperm vm86 vm86old
settimeofday clock_settime clock_settime64 clock_adjtime clock_adjtime64 adjtimex
stime sethostname setdomainname vhangup nfsservctl
""".split()
# newer than some library's list of names; their numbers are the same on every machine
NEWER = (425, 426, 427, 428, 429, 430, 431, 432, 433, 434, 438, 440, 442, 443, 447, 448,
         457, 458, 467)


@dataclass(frozen=True)
class Wall:
    """What shuts a process in: `kind` is bubblewrap, container or none."""

    kind: str
    program: str = ""

    def start(self, module, *arguments, entry=None, memory=0):
        """A process that runs a module of this package; its output is a pipe.

        entry is the one file or folder of a student that it may read, at the path
        `seen`; memory, in bytes, holds for a container as a whole
        """
        name = f"softdict-{os.getpid()}-{next(NUMBERS)}"
        if self.kind == "container":
            inside = "/usr/local/lib/softdict/grading"
            command = self.container(name, entry, memory) + python(
                module, "python", inside)
        elif self.kind == "bubblewrap":
            command = self.bubble(entry) + python(module)
        else:
            command = python(module)
        given, handles = {"env": {}}, ()
        if self.kind == "container":
            given = {}    # the engine's own program has the teacher's settings
        elif self.kind == "none":
            given = {"env": {**bare(), **VARIABLES, "HOME": os.environ.get("HOME", "")}}
        else:
            handles = (filter_pipe(),)
            place = command.index("--seccomp") + 1
            command[place] = str(handles[0])
        try:
            process = subprocess.Popen(
                [*command, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, pass_fds=handles, start_new_session=True,
                **given)
        finally:
            for handle in handles:
                os.close(handle)
        process.box = name
        return process

    def end(self, process):
        """Ends a process and all that runs behind its wall."""
        if self.kind == "container" and process.poll() is None:
            subprocess.run([self.program, "rm", "--force", process.box],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for child in children(process.pid) if self.kind == "bubblewrap" else ():
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)    # bubblewrap itself ends after it
        try:
            process.wait(timeout=0.5 if self.kind == "bubblewrap" else 0)
        except subprocess.TimeoutExpired:
            process.kill()
        process.wait()
        with suppress(OSError):    # what it did not read
            process.stdin.close()

    def seen(self, entry):
        """The path at which an entry lies for whoever reads it."""
        return (os.fspath(entry) if self.kind == "none"
                else f"{HANDED_IN}/{os.path.basename(entry)}")

    def bubble(self, entry=None):
        """The words of bubblewrap's command, up to the program that it runs."""
        words = [self.program, "--unshare-user", "--unshare-all", "--disable-userns",
                 "--cap-drop", "ALL", "--new-session", "--die-with-parent",
                 "--as-pid-1",    # else bubblewrap's own process is in there, too
                 "--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "box",
                 "--clearenv", "--seccomp", ""]
        for name, value in VARIABLES.items():
            words += ["--setenv", name, value]
        # first: Python may lie in there
        words += ["--size", str(SPACE), "--tmpfs", SCRATCH]
        for place in PLACES:
            if os.path.islink(place):
                words += ["--symlink", os.readlink(place), place]
            elif os.path.isdir(place):
                words += ["--ro-bind", place, place]
        for place in (*LINKS, *python_places()):
            words += ["--ro-bind-try", place, place]
        if entry is not None:
            words += ["--ro-bind", os.path.abspath(entry), self.seen(entry)]
        for place in OF_KERNEL:
            words += ["--ro-bind", place, place]
        return [*words, "--dev", "/dev", "--remount-ro", "/dev", "--remount-ro", "/",
                "--chdir", SCRATCH, "--"]

    def container(self, name, entry=None, memory=0):
        """The same for docker and podman, up to the program."""
        words = [self.program, "run", "--rm", "--interactive", "--name", name,
                 "--network", "none", "--read-only", "--cap-drop", "ALL",
                 "--security-opt", "no-new-privileges", "--pids-limit", "64",
                 "--user", f"{NOBODY}:{NOBODY}", "--workdir", SCRATCH,
                 "--tmpfs",
                 f"{SCRATCH}:size={SPACE},nr_inodes={FILES},mode=1777"]
        for variable in VARIABLES.items():
            words += ["--env", "=".join(variable)]
        if memory:
            words += ["--memory", str(memory), "--memory-swap", str(memory)]
        if entry is not None:
            words += ["--mount", f'type=bind,readonly,"source={os.path.abspath(entry)}"'
                      f',"target={self.seen(entry)}"']
        return [*words, IMAGE]


def children(process):
    """The processes that one has started; none where nobody counts them."""
    try:
        return [int(child) for task in os.listdir(f"/proc/{process}/task")
                for child in Path(f"/proc/{process}/task/{task}/children").read_text(
                    ).split()]
    except OSError:
        return []    # it has ended, or this is not Linux


def python(module, program=None, folder=None):
    """The command that runs a module; one that only reads needs no packages."""
    if module == "reading":
        file = f"{folder}/reading.py" if folder else str(
            Path(__file__).with_name("reading.py"))
        return [program or sys.executable, "-I", "-S", file]
    return [program or sys.executable, "-P", "-s", "-m", f"softdict.grading.{module}"]


def bare():
    """The few variables without which a program may not start at all."""
    return {name: os.environ[name] for name in
            ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
            if name in os.environ}


def python_places():
    """Files and folders that make up this Python, its packages and this package."""
    found = [sys.executable, sysconfig.get_path("stdlib"),
             sysconfig.get_path("platstdlib"), os.path.join(sys.prefix, "pyvenv.cfg")]
    if sys.base_prefix not in ("/", "/usr"):
        found.append(os.path.join(sys.base_prefix, "lib"))
    found += [path for path in sys.path
              if os.path.basename(path) in ("site-packages", "dist-packages")]
    found.append(str(Path(__file__).resolve().parent.parent))
    kept = []
    for path in sorted(set(map(os.path.abspath, found)), key=len):
        inside = any(path.startswith(f"{other}/") for other in kept)
        if not inside and not path.startswith(("/usr/lib/", "/usr/lib64/")):
            kept.append(path)
    return kept


@cache
def seccomp_filter():
    """The filter of system calls, as bubblewrap reads it.

    raises ValueError, with what is to be installed, where it cannot be made
    """
    try:
        import pyseccomp as seccomp
    except (ImportError, RuntimeError) as error:
        raise ValueError("the grader's wall needs pyseccomp (pip install pyseccomp) "
                         f"and the system's library libseccomp: {error}") from None
    rules = seccomp.SyscallFilter(seccomp.ALLOW)
    refused = seccomp.ERRNO(errno.EPERM)
    known = {seccomp.resolve_syscall(seccomp.Arch.NATIVE, name) for name in REFUSED}
    for number in known.union(NEWER) - {UNKNOWN}:
        rules.add_rule(refused, number)
    rules.add_rule(seccomp.ERRNO(errno.ENOSYS), CLONE3)
    rules.add_rule(refused, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, THREAD, 0))
    here, there = os.pipe()
    with os.fdopen(there, "wb") as file:
        rules.export_bpf(file)
    with os.fdopen(here, "rb") as file:
        return file.read()


def filter_pipe():
    """A handle from which one bubblewrap reads the filter."""
    here, there = os.pipe()
    with os.fdopen(there, "wb") as file:
        file.write(seccomp_filter())
    return here


def find():
    """The Wall of this system.

    raises ValueError, with the way out, where it has none
    """
    reasons = []
    if sys.platform.startswith("linux"):
        program = shutil.which("bwrap")
        if program is None:
            reasons.append("bubblewrap is not installed (apt install bubblewrap, dnf "
                           "install bubblewrap)")
        else:
            reason = trouble(os.path.abspath(program))
            if not reason:
                return Wall("bubblewrap", os.path.abspath(program))
            reasons.append(reason)
    for name in ("docker", "podman"):
        engine = shutil.which(name)
        if engine is None:
            continue
        looked = subprocess.run([engine, "image", "inspect", IMAGE],
                                capture_output=True)
        if looked.returncode == 0:
            return Wall("container", engine)
        reasons.append(f"{name} has no image {IMAGE} (in the repository, "
                       f"{BUILD.format(engine=name)} makes it)")
    if not sys.platform.startswith("linux"):
        reasons.append("bubblewrap is for Linux alone; here a container does the same, "
                       "by docker or podman")
    raise ValueError(f"nothing can shut the answers in: {'; '.join(reasons)}")


def trouble(program):
    """Why bubblewrap shuts nothing in on this system, or nothing."""
    told = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    version = tuple(map(int, re.findall(r"\d+", told)[:2]))
    if version < OLDEST:
        return f"bubblewrap is older than 0.8: {told.strip()}"
    handle = filter_pipe()
    words = Wall("bubblewrap", program).bubble()
    words[words.index("--seccomp") + 1] = str(handle)
    try:
        ran = subprocess.run([*words, sys.executable, "-I", "-S", "-c", "print('in')"],
                             capture_output=True, text=True, env={}, pass_fds=(handle,))
    finally:
        os.close(handle)
    if ran.stdout == "in\n":
        return ""
    for file, closed, line in CLOSED:
        try:
            is_closed = Path(file).read_text().strip() == closed
        except OSError:
            continue    # another system
        if is_closed and os.geteuid():
            return ("this system gives ordinary users no namespaces of their own; its "
                    f"administrator opens them with: {line}")
    last = ran.stderr.strip().splitlines()[-1:] or ["without a word"]
    return f"bubblewrap stopped: {last[0][:200]}"


def read(wall, entry, names):
    """The bytes that reading.py says of one entry, perhaps cut off."""
    process = wall.start("reading", wall.seen(entry), json.dumps(sorted(names)),
                         entry=entry)
    clock = threading.Timer(SECONDS, wall.end, (process,))
    clock.start()
    try:
        return process.stdout.read(MOST_TOLD + 1)
    finally:
        clock.cancel()
        wall.end(process)
        process.stdout.close()
