"""Attacks on the grader, by kind, as a student without scruples would hand them in.

PROBES are bodies of functions that return True where they got what they should not;
all of them run in one box. CHEATS are notebooks of their own: each wants points for
nothing, or another student's. FORGED is what a notebook may send in the place of its
results; it needs no box to be judged.
"""

HELP = """
import ctypes, glob, os, re, resource, signal, socket, subprocess, sys, threading
library = ctypes.CDLL(None, use_errno=True)
def call(number, *given):
    done = library.syscall(number, *given)
    if done < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return done
def c(name, *given):
    done = getattr(library, name)(*given)
    if done < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return done
def found(word, *places):
    for place in places:
        for top, folders, files in os.walk(place):
            for file in files:
                try:
                    if word in open(os.path.join(top, file), "rb").read(10 ** 6):
                        return True
                except OSError:
                    pass
    return False
def written(path):
    with open(path, "w") as file:
        file.write("x")
    return True
WORD = b"WATCH" + b"WORD"
SECRET = re.compile("private fil[e]: WATCH")    # it does not find itself
HELD = [object()]
"""

PROBES = {
    "namespaces": {
        "unmount": 'c("umount2", b"/proc", 2); return True',
        "unmount the root": 'c("umount2", b"/", 2); return True',
        "mount a new file system":
            'c("mount", b"none", b"/tmp", b"tmpfs", 0, None); return True',
        "make the root writable": 'c("mount", b"none", b"/", None, 32, None);'
                                  ' return True',
        "make packages writable":
            'c("mount", b"none", os.__file__.rpartition("/")[0].encode(), None, 4128,'
            ' None); return True',
        "a user namespace": 'c("unshare", 0x10000000); return True',
        "a thread with a user namespace": 'call(56, 0x10010900, 0, 0, 0, 0);'
                                          ' return True',
        "a mount namespace": 'c("unshare", 0x20000); return True',
        "the namespace of process 1":
            'c("setns", os.open("/proc/1/ns/mnt", 0), 0); return True',
        "change the root": 'os.chroot("/tmp"); return True',
        "turn the root": 'call(155, b"/tmp", b"/tmp"); return True',
        "open a tree": 'call(428, -100, b"/", 1); return True',
        "move a mount": 'call(429, -100, b"/tmp", -100, b"/proc", 0); return True',
        "fsopen": 'call(430, b"tmpfs", 0); return True',
        "mount_setattr": 'call(442, -100, b"/", 0, bytes(32), 32); return True'},
    "the teacher's files": {
        "the questions": 'return WORD in open(TASK, "rb").read()',
        "the folder of the task": 'return bool(os.listdir(os.path.dirname(TASK)))',
        "other submissions": 'return bool(glob.glob(FOLDER + "/*"))',
        "the roster": 'return bool(open(ROSTER).read())',
        "everything that can be walked to": 'return found(WORD, FOLDER, "/home",'
            ' "/srv", "/var", "/mnt", "/media", "/opt", "/run", "/tmp",'
            ' os.path.expanduser("~root") + "/..")',
        "through the root of process 1":
            'return found(WORD, "/proc/1/root" + os.path.dirname(TASK))',
        "through the folder of process 1":
            'return bool(os.listdir("/proc/1/cwd/../home"))',
        "solutions built in the course":
            'return bool(glob.glob(COURSE + "/_build")'
            ' + glob.glob(COURSE + "/assign*"))',
        "the course's history": 'return os.path.exists(COURSE + "/.git")',
        "what the kernel tells root": """
    for name in "keys", "slabinfo", "vmallocinfo", "timer_list", "config.gz", "kcore":
        try:
            if open("/proc/" + name, "rb").read(9):
                return True
        except OSError:
            pass
    return False""",
        "passwords": 'return bool(open("/etc/shadow").read())',
        "users": 'return bool(open("/etc/passwd").read())',
        "keys of the teacher":
            'return bool(glob.glob(os.path.expanduser("~root") + "/.ssh/*")'
            ' + glob.glob("/home/*/.ssh/*"))',
        "a handle by its number": 'call(304, -100, bytes(16), 0); return True',
        "open handles": """
    import stat
    for number in range(128):
        try:
            if stat.S_ISDIR(os.fstat(number).st_mode):
                return True
        except OSError:
            pass
    return False"""},
    "the teacher's paths": {
        "mounts": 'return bool(open("/proc/self/mountinfo").read())',
        "mounts of a thread": """
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    found = False
    for place in f"/proc/{thread.native_id}", f"/proc/1/task/{thread.native_id}":
        for name in "mountinfo", "mounts", "mountstats":
            found |= os.path.exists(f"{place}/{name}")
    end.set()
    return found""",
        "the rest of /proc": 'return sorted(os.listdir("/proc") + os.listdir('
            '"/proc/self")) != ["cpuinfo", "self", "statm"]'},
    "the environment": {
        "variables": 'return any("TOKEN" in name for name in os.environ)',
        "variables of process 1":
            'return b"TOKEN" in open("/proc/1/environ", "rb").read()',
        "variables of every process": 'return any(b"TOKEN" in open(p, "rb").read()'
            ' for p in glob.glob("/proc/[0-9]*/environ"))',
        "variables in memory": 'x = ctypes.c_char_p.in_dll(library, "environ"); return '
            'b"s3cret" in ctypes.string_at(x)',
        "words of the command": 'return any(b"questions" in open(p, "rb").read()'
            ' for p in glob.glob("/proc/[0-9]*/cmdline"))'},
    "what others left in memory": {
        "frames": """
    frame, seen = sys._getframe(), ""
    while frame:
        seen += str(list(frame.f_locals.values()))[:10 ** 6]
        frame = frame.f_back
    return bool(SECRET.search(seen) or re.search("last_studen[t]", seen))""",
        "modules of questions": 'return any(n.startswith("questions_")'
                                ' for n in sys.modules)',
        "objects": """
    import gc
    small = (one for one in gc.get_objects() if type(one) in (list, tuple, dict)
             and len(one) < 9)
    return any(SECRET.search(str(one)[:10 ** 5]) for one in small)""",
        "strings of modules": 'return any(SECRET.search(str(m.__doc__))'
                              ' for m in list(sys.modules.values()))',
        "own memory, page by page": """
    here, there = os.pipe()
    library.sbrk.restype = ctypes.c_void_p
    for middle in library.sbrk(0), id(HELD), id(library):
        middle -= middle % 4096
        for place in range(middle - 2 ** 25, middle + 2 ** 25, 4096):
            if library.write(there, ctypes.c_void_p(place), 4096) == 4096:
                if re.search(b"private fil[e]: WATCH", os.read(here, 4096)):
                    return True
    return False""",
        "files that a former student left": 'return bool(os.listdir("/tmp"))'},
    "other processes": {
        "see them":
            'return any(p.isdigit() for p in os.listdir("/proc"))',
        "be somebody else's": 'return os.getpid() != 1 or os.getppid() != 0',
        "signal everybody": """
    try:
        return os.kill(-1, 0) is None
    except ProcessLookupError:
        return False""",
        "trace the one above": 'call(101, 16, os.getppid(), 0, 0); return True',
        "be traced": 'call(101, 0, 0, 0, 0); return True',
        "read a process": 'call(310, 1, None, 0, None, 0, 0); return True',
        "write a process": 'call(311, 1, None, 0, None, 0, 0); return True',
        "a handle on a process": 'call(434, 1, 0); return True',
        "the memory of others": 'return bool([open(p, "rb") for p in glob.glob('
                                '"/proc/[0-9]*/mem") if p != "/proc/1/mem"])',
        "a handle of others": """
    kept = (p for p in glob.glob("/proc/[0-9]*/fd/*") if os.path.lexists(p))
    ours = "pipe:", "/dev/null", "/proc", "anon_inode:[eventpoll]", "socket:", "mnt:"
    return any(not os.readlink(p).startswith(ours) for p in kept)"""},
    "new processes": {
        "fork": 'return os.fork() > 0 or os._exit(0)',
        "vfork": 'call(58); return True',
        "clone": 'call(56, 17, 0, 0, 0, 0); return True',
        "clone with odd flags": """
    for flags in 0, 0x80, 0x4111, 0x10000011, 2 ** 30, 2 ** 32 + 17:
        done = library.syscall(56, ctypes.c_long(flags), 0, 0, 0, 0)
        if done == 0:
            os._exit(0)
        if done > 0:
            return True
    return False""",
        "clone3": 'call(435, bytes(88), 88); return True',
        "a program": 'subprocess.run([sys.executable, "-c", ""]); return True',
        "posix_spawn": 'os.posix_spawn(sys.executable, [sys.executable, "-V"], {});'
                       ' return True',
        "a shell": 'return os.system("true") == 0',
        "multiprocessing": 'import multiprocessing as m; p = m.Process(target=print);'
                           ' p.start(); return True'},
    "network": {
        "this machine": 'socket.create_connection(("127.0.0.1", PORT), 2); return True',
        "the world": 'socket.create_connection(("1.1.1.1", 80), 2); return True',
        "a packet": 'socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1",'
                    ' PORT)); return True',
        "raw": 'socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); return True',
        "sockets of files": 'socket.socket(socket.AF_UNIX).connect("/run/docker.sock");'
                            ' return True',
        "abstract sockets": 'socket.socket(socket.AF_UNIX); return True',
        "the kernel's": 'socket.socket(16, socket.SOCK_RAW, 0); return True',
        "every family there is": """
    for family in range(46):
        for kind in 1, 2, 3:
            if library.syscall(41, family, kind, 0) >= 0:
                return True
    return False""",
        "pairs of other families": """
    two = ctypes.create_string_buffer(8)
    return any(library.syscall(53, family, 1, 0, two) >= 0
               for family in range(2, 46))""",
        "the other half of a table": 'call(0x40000000 + 41, 2, 1, 0); return True'
            ' if False else False'},
    "shared memory": {
        "segments": 'return c("shmget", 0, 4096, 0o1600) >= 0',
        "queues": 'return c("msgget", 0, 0o1600) >= 0',
        "semaphores": 'return c("semget", 0, 1, 0o1600) >= 0',
        "POSIX queues": 'return call(240, b"x", 0o102, 0o600, 0) >= 0',
        "a file in memory": 'return os.memfd_create("x") >= 0',
        "/dev/shm": 'return written("/dev/shm/x")'},
    "keys of the kernel": {
        "keyctl": 'call(250, 0, -3, 1); return True',
        "add_key": 'call(248, b"user", b"x", b"y", 1, -3); return True',
        "request_key": 'call(249, b"user", b"x", None, -3); return True'},
    "doors of the kernel": {
        "bpf": 'call(321, 0, bytes(72), 72); return True',
        "perf": 'call(298, bytes(128), 0, -1, -1, 0); return True',
        "userfaultfd": 'call(323, 0); return True',
        "io_uring": 'call(425, 4, bytes(120)); return True',
        "modules": 'call(175, b"", 0, b""); return True',
        "restart": 'call(169, 0xfee1dead, 672274793, 0x89abcdef, 0); return True',
        "the kernel's words": 'call(103, 3, bytes(100), 100); return True',
        "ports": 'call(172, 3); return True',
        "personality": 'call(135, 0x0040000); return True',
        "fanotify": 'call(300, 0, 0); return True',
        "asynchronous files": 'call(206, 1, bytes(8)); return True',
        "memory that nobody sees": 'call(447, 0); return True',
        "comparing processes": 'call(312, 1, 1, 0, 0, 0); return True',
        "a handle of another": 'call(438, 0, 0, 0); return True',
        "the tables of segments": 'call(154, 0, bytes(16), 16); return True',
        "inotify": 'call(294, 0); return True'},
    "writing": {
        "packages":
            'import numpy; return written(os.path.dirname(numpy.__file__) + "/x")',
        "this package": 'import softdict; return written(softdict.__file__)',
        "the library": 'return written(os.path.dirname(os.__file__) + "/x.py")',
        "the root": 'return written("/x")',
        "what each Python reads first":
            'return written(os.path.dirname(os.__file__) + "/sitecustomize.py")',
        "paths for the next Python": 'import numpy;'
            ' return written(os.path.dirname(numpy.__file__) + "/../x.pth")',
        "terminals": 'return written("/dev/pts/x")',
        "its own memory": 'return bool(open("/proc/self/mem", "r+b"))',
        "its place in the queue": 'return bool(open("/proc/self/autogroup", "r+b"))',
        "the empty folders above": 'return written(os.path.dirname(COURSE) + "/x")',
        "/dev": 'return written("/dev/x")',
        "/etc": 'os.makedirs("/etc/x"); return True',
        "the core pattern": 'return written("/proc/sys/kernel/core_pattern")',
        "sysrq": 'return written("/proc/sysrq-trigger")',
        "who is ended first": 'return written("/proc/self/oom_score_adj")'},
    "devices": {
        "memory": 'return bool(open("/dev/mem", "rb"))',
        "the kernel's log": 'return bool(open("/dev/kmsg", "rb"))',
        "the kernel's memory": 'return bool(open("/proc/kcore", "rb"))',
        "others that read and write": """
    names = "kvm", "fuse", "net/tun", "vsock", "vhost-vsock", "uinput", "loop-control"
    return any(os.path.exists(f"/dev/{name}") for name in names)""",
        "the disk": 'os.mknod("/tmp/disk", 0o60600, os.makedev(254, 0));'
                    ' return bool(open("/tmp/disk", "rb").read(9))',
        "the terminal": 'return bool(open("/dev/tty"))'},
    "rights": {
        "become root": 'os.setuid(0); return True',
        "become another": 'os.setresuid(1, 1, 1); return True',
        "capabilities": """
    held = (ctypes.c_uint32 * 6)()
    call(125, (ctypes.c_uint32 * 2)(0x20080522, 0), held)
    return any(held)""",
        "new capabilities": 'return call(157, 39, 0, 0, 0, 0) != 1',
        "a program of root's": 'return bool(glob.glob("/usr/bin/su") +'
                               ' glob.glob("/bin/mount"))',
        "another host name": 'socket.sethostname("x"); return True',
        "the clock": 'import time; time.clock_settime(0, 0); return True'},
    "limits": {
        "more memory": 'resource.setrlimit(resource.RLIMIT_AS, (-1, -1)); return True',
        "more time": 'resource.setrlimit(resource.RLIMIT_CPU, (-1, -1)); return True',
        "more files": 'resource.setrlimit(resource.RLIMIT_NOFILE, (10 ** 6,) * 2);'
                      ' return True',
        "a dump": 'resource.setrlimit(resource.RLIMIT_CORE, (-1, -1)); return True',
        "larger files": 'resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1));'
                        ' return True',
        "pipes of 1 MB": """
    import fcntl
    for _ in range(200):
        fcntl.fcntl(os.pipe()[1], 1031, 2 ** 20)
    return True""",
        "eight gigabytes": 'return len(bytearray(2 ** 33)) > 0',
        "a mapping": 'import mmap; return bool(mmap.mmap(-1, 2 ** 33))',
        "a large file": """
    with open("/tmp/a", "wb") as file:
        file.write(bytes(2 ** 24 + 1))
    return True""",
        "many files": '''
    for number in range(9):
        with open(f"/tmp/{number}", "wb") as file:
            file.write(bytes(2 ** 24 - 1))
    return True''',
        "thousands of handles": '[os.dup(0) for _ in range(1000)]; return True',
        "the front of the queue": 'os.nice(-5); return True',
        "real time": 'os.sched_setscheduler(0, 1, os.sched_param(9)); return True'},
}
del PROBES["network"]["the other half of a table"]

X32 = """
import ctypes, mmap, os
code = mmap.mmap(-1, 4096, prot=7)
code.write(bytes.fromhex("{machine}"))
place = ctypes.addressof(ctypes.c_char.from_buffer(code))
made = ctypes.CFUNCTYPE(ctypes.c_long)(place)()
"""
MESSAGE = """
from softdict.grading import answering
from softdict.grading.wire import pack
answering.pack = lambda told: pack({told})
"""
RAW = """
import glob, os
for number in range(3, 20):
    try:
        os.write(number, {content})
    except OSError:
        pass
os._exit(0)
"""
PEN = """
import struct, sys
def double(x): return 0
def shares(x): return x * 0
"""
CHEATS = {    # kind: name: the code of a notebook that must get nothing
    "a process that ends": {
        "exit": "import os\nos._exit(0)", "crash": "import ctypes\nctypes.string_at(0)",
        "abort": "import os\nos.abort()",
        "killed by itself": "import os\nos.kill(os.getpid(), 9)",
        "another program": "import os, sys\nos.execv(sys.executable, [sys.executable,"
                           " '-c', 'print(1)'])",
        "silent": "import os\n[os.close(n) for n in range(3, 20) if n != 3]\n"
                  "for n in range(64):\n    try: os.close(n)\n"
                  "    except OSError: pass\nwhile True: pass"},
    "time": {
        "deaf": "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
                "while True: pass",
        "deaf to all": "import signal\nfor n in range(1, 65):\n"
                       "    try: signal.signal(n, signal.SIG_IGN)\n"
                       "    except (OSError, ValueError): pass\nwhile True: pass",
        "in C": "import ctypes\nlibrary = ctypes.CDLL(None)\nlibrary.pause()\n"
                "library.sleep(99)"},
    "threads": {
        "many": "import threading, time\nthreading.stack_size(32768)\n"
                "while True:\n    threading.Thread(target=time.sleep, args=(60,),"
                " daemon=True).start()",
        "files without content": "number = 0\nwhile True:\n    number += 1\n"
                                 "    open(f'/tmp/{number}', 'w').close()",
        "left behind": "import threading\ndef go():\n    while True: pass\n"
                       "[threading.Thread(target=go).start() for _ in range(5)]\n"
                       + PEN},
    "the other table of calls": {
        "fork by int 0x80": X32.format(machine="b802000000cd80c3"),
        "fork by x32": X32.format(machine="b8390000400f05c3")},
    "output": {
        "a result of 80 MB": PEN + "def double(x): return 'x' * 80_000_000",
        "many results": PEN + "def double(x): return [[] for _ in range(3_000_000)]",
        "deep": PEN + "def double(x):\n    y = []\n    for _ in range(10 ** 5):\n"
                "        y = [y]\n    return y",
        "a tensor of 23 dimensions": PEN + """
import torch
def double(x): return (torch.zeros([2] * 23, dtype=torch.uint8), "x")
""",
        "rows without numbers": PEN + """
import torch
def double(x): return torch.zeros(2 ** 29, 0)
""",
        "rubbish without end": "import os\nwhile True:\n    for n in range(3, 12):\n"
                               "        try: os.write(n, bytes(2 ** 20))\n"
                               "        except OSError: pass"},
    "forged messages": {
        "marks for results": MESSAGE.replace("{told}", "{'found': [[[5, 5, 'right', "
            "'Right.']]] * 2, 'judged': [], 'broken': []}"),
        "bytes": RAW.format(content="b'{\"points\": 10}'"),
        "the word of a fresh box": RAW.format(content="b'+' * 9"),
        "one tensor a million times": """
import json, os, torch
from safetensors.torch import save
from softdict.grading.wire import HEAD
numbers = save({"0": torch.zeros(10 ** 6)})
text = json.dumps({"dict": [[{"plain": "found"}, {"list": [
    {"list": [{"list": [{"tensor": "0"}] * 10 ** 5}] * 2},
    {"list": [{"list": []}]}]}],
    [{"plain": "judged"}, {"list": []}], [{"plain": "broken"}, {"list": []}]]}).encode()
for number in range(3, 20):
    try: os.write(number, HEAD.pack(len(text), len(numbers)) + text + numbers)
    except OSError: pass
os._exit(0)
"""},
    "liars": {
        "equal to all": """
import torch
class Same(torch.Tensor):
    def __eq__(self, other): return True
class Equal(float):
    def __eq__(self, other): return True
    def __float__(self): return 6.0
def shares(x): return Same(x * 0)
def double(x): return Equal(1)
""",
        "a comparison that agrees": """
import numpy, torch
from softdict.grading import questions, wire
questions.same = torch.allclose = numpy.allclose = lambda *a, **k: True
torch.testing.assert_close = lambda *a, **k: None
def shares(x): return x * 0
def double(x): return 0
""",
        "a result that runs code": PEN + """
class Runs:
    def __reduce__(self): return (print, ("run",))
def double(x): return Runs()
""",
        "a result that asks": PEN + "class Odd:\n    def __repr__(self):"
                              " raise SystemExit\ndef double(x): return Odd()",
        "not a number": PEN + "def double(x): return float('nan')\n"
                        "def shares(x): return x * float('nan')",
        "any shape": PEN + "def shares(x): return x[..., None] * 0 + 1",
        "a failure as a result": PEN + "from softdict.grading.questions import "
                                 "Failure\ndef double(x): return Failure('right')"},
    "the grader's own code": {
        "its frames": """
import sys
def double(x):
    frame = sys._getframe()
    while frame:
        for value in frame.f_locals.values():
            if hasattr(value, "answer"): return value.answer(x)
        frame = frame.f_back
    return 0
shares = double
""",
        "its objects": """
import gc
def double(x):
    for one in gc.get_objects():
        if type(one).__name__ == "Question": return one.answer(x)
        if callable(one) and getattr(one, "__name__", "") == "shares" and one is not \\
                shares: return one(x)
    return 0
def shares(x): return double(x)
""",
        "its file of questions": """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("questions_shares", TASK)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
shares, double = (one.answer for one in module.QUESTIONS)
""",
        "another's notebook": """
import glob, json
for path in glob.glob(FOLDER + "/*"):
    for cell in json.load(open(path))["cells"]:
        if "shares" in cell["source"]: exec("".join(cell["source"]), globals())
        if "double" in cell["source"]: exec("".join(cell["source"]), globals())
""",
        "its marks": PEN + """
from softdict.grading import questions
questions.Mark.__init__ = lambda self, *a: self.__dict__.update(points=10, most=10)
from softdict.grading import answering
answering.ask = lambda *a: [[True]]
"""},
    "called at odd moments": {
        "while rubbish is collected": PEN + """
import gc, os
gc.callbacks.append(lambda *a: os.write(3, b"x"))
gc.collect()
""",
        "when an object goes": PEN + """
import os, weakref
class Goes: pass
goes = Goes()
weakref.finalize(goes, os.write, 3, bytes(16))
del goes
""",
        "at the end": PEN + """
import atexit, os
os._exit = lambda number: None
atexit.register(lambda: os.write(3, bytes(16)))
""",
        "at each line": PEN + """
import sys
def trace(frame, event, given):
    if frame.f_code.co_name in ("encoded", "within_case", "pack"):
        frame.f_locals.clear()
    return trace
sys.settrace(trace)
sys.setprofile(trace)
"""},
    "patched Python": {
        "its built-in functions": PEN + """
import builtins
builtins.all = builtins.any = builtins.isinstance = lambda *a: True
""",
        "its text of numbers": PEN + """
import json
json.dumps = lambda *a, **k: '{"dict": []}'
""",
        "what goes out": PEN + """
import os
write = os.write
os.write = lambda handle, content: write(handle, bytes(content).replace(b"0", b"6"))
""",
        "its search for modules": PEN + """
import sys
class Refuses:
    def find_spec(self, *a): raise ImportError
sys.meta_path.insert(0, Refuses())
[sys.modules.pop(name) for name in list(sys.modules) if name.startswith("softdict")]
""",
        "all its modules": "import sys\n" + PEN + "sys.modules.clear()"},
    "values of odd kinds": {
        "without an end": PEN + "def double(x): return float('inf')\n"
                          "def shares(x): return x + float('inf')",
        "without numbers": PEN + "def shares(x): return x[:0]",
        "whose text is more": PEN + """
class Text(int):
    def __repr__(self): return '6}]}, {"plain": 6'
    __str__ = __repr__
def double(x): return Text(1)
""",
        "whose keys differ": PEN + """
class Keys(dict):
    def keys(self): return {"a": 0}.keys()
    def items(self): return [(float("nan"), 1), ("a", float("nan"))]
def double(x): return Keys()
""",
        "of another class": PEN + """
import torch
class Other:
    __class__ = property(lambda self: torch.Tensor)
    def detach(self): return torch.ones(3)
def shares(x): return Other()
def double(x): return Other()
""",
        "that PyTorch cannot store": PEN + """
import torch
def double(x): return torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
def shares(x): return x.to("meta")
"""}
}

DEEP = 1
for _ in range(150):
    DEEP = [DEEP]
FORGED = {    # what an answer sends in the place of its results: a value, or bytes
    **{f"number {number}": told for number, told in enumerate((
        5, {"found": 5, "judged": [], "broken": []},
        {"found": [], "judged": [], "broken": []},
        {"found": [[[1]], "x"], "judged": 3, "broken": []},
        {"found": [5, {1: 2}], "judged": [], "broken": "x"},
        {"found": [[[1], [1]], None], "judged": [], "broken": [[None, 2], 7]},
        {"found": [[[DEEP], [DEEP]], [[DEEP, DEEP]]], "judged": [], "broken": []},
        {"marks": [5, 5], "found": [], "judged": [], "broken": []}))},
    "nothing": b"", "a pickle": b"cos\nsystem\n(S'id'\ntR.",
    "sizes that lie": b"\xff" * 16,
    "brackets": (2 * 10 ** 6).to_bytes(8, "big") + (10).to_bytes(8, "big")
                + b"[" * 2 * 10 ** 6 + b"\2" + bytes(7) + b"{}",
    "two of them": (b"\0" * 7 + b"\x0b") * 2 + b'{"dict":[]}' * 2,
    "half of one": bytes(20),
}
