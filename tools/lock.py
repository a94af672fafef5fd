"""The locks of the environment: each package in one version, with its files' hashes.

    python tools/build.py lock

`requirements.lock` holds everything that requirements.txt needs, but torch and what
only torch's builds for NVIDIA need: `torch.lock` has these. What the locks name already
keeps its version where requirements.txt allows it; without the files, the newest is
taken. uv does the work, with the package index that pip uses; requirements.lock is in
pip's own format. PyTorch's own index is asked only where torch has another version.
"""

import re
import subprocess
import sys
import urllib.request

from environment import (
    BUILD, NEWEST, OLDEST, PYTHON_IN_VENV, ROOT, Stop, requirements_hash, stamped, step,
    write_whole)

UV = "uv==0.13.9"
CPU_BUILDS = "https://download.pytorch.org/whl/cpu/torch/"
APART = re.compile(r"torch|triton|nvidia-[\w-]+|cuda-[\w-]+")
MADE = "# make lock made this. "


def renew():
    """Writes requirements.lock again, by uv's answer, and torch.lock where torch has
    another version: then with the hashes of its CPU builds."""
    with step("Asking for the hashes of every package"):
        locked = compiled()
    common, apart = split(locked)
    [version] = re.findall(r"^torch==(\S+)", apart, re.M)
    first = f"torch=={version} \\\n"
    if first not in stamped(ROOT / "torch.lock"):
        more = "".join(f"    --hash=sha256:{found} \\\n"
                       for found in linux_hashes(cpu_builds(), version)
                       if found not in apart)
        apart = f"environment.py reads it.\n{apart.replace(first, first + more)}"
        write_whole(ROOT / "torch.lock", (MADE + apart).encode())
    common = f"Its requirements.txt had the hash {requirements_hash()}.\n{common}"
    write_whole(ROOT / "requirements.lock", (MADE + common).encode())


def cpu_builds():
    """PyTorch's page of its builds for CPU."""
    try:
        with urllib.request.urlopen(CPU_BUILDS, timeout=60) as page:
            return page.read().decode()
    except OSError as error:
        raise Stop(f"{CPU_BUILDS} could not be read, so the locks are as they were: "
                   f"{error}") from None


def linux_hashes(page, version):
    """The hashes of the builds for Linux; elsewhere the package index has the same."""
    pythons = "|".join(f"3{minor}" for minor in range(OLDEST[1], NEWEST[1] + 1))
    wheel = (rf"torch-{re.escape(version)}(?:%2B|\+)cpu-cp({pythons})-cp\1-manylinux"
             r"[^\"#]*\.whl#sha256=([0-9a-f]{64})")
    found = sorted({match[2] for match in re.finditer(wheel, page)})
    if not found:
        raise Stop(f"{CPU_BUILDS} names no build of torch {version} for Linux.")
    return found


def compiled():
    """What uv says: every package, for every system and Python of the book."""
    folder = BUILD / "lock"
    uv, out = folder / PYTHON_IN_VENV, folder / "all.lock"
    if not uv.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([uv, "-m", "pip", "install", "-q", "--disable-pip-version-check",
                    UV], check=True)
    # its former answer, so that versions stay
    out.write_text(stamped(ROOT / "requirements.lock") + stamped(ROOT / "torch.lock"),
                   "utf-8")
    subprocess.run(
        [uv, "-m", "uv", "pip", "compile", "--quiet", "--no-config", "--universal",
         "--generate-hashes", "--only-binary", ":all:", "--no-annotate", "--no-header",
         "--default-index", index(uv),
         "--python-version", ".".join(map(str, OLDEST)),
         ROOT / "requirements.txt", "-o", out], check=True, cwd=ROOT)
    return out.read_text("utf-8")


def index(python):
    """The package index that pip uses here: of a mirror where it is told of one."""
    listed = subprocess.run([python, "-m", "pip", "config", "list"], text=True,
                            capture_output=True, check=True).stdout
    told = dict(re.findall(r"^(\S+)\.index-url='(.*)'$", listed, re.M))
    return (told.get(":env:") or told.get("install") or told.get("global")
            or "https://pypi.org/simple")


def split(locked):
    """The packages that all environments have, and those that come with torch."""
    packages = re.split(r"^(?=\w)", locked, flags=re.M)[1:]
    apart = [package for package in packages
             if APART.fullmatch(package.partition("==")[0])]
    return "".join(p for p in packages if p not in apart), "".join(apart)
