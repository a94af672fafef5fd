"""Every release stays readable: python tools/releases.py KEPT lays the folders of KEPT
into _build/html.

KEPT has the site of each release in a folder of its own, named by its tag. The newest
stands at the root too. A page of an older one says so, in a line that leads to the same
page of the newest, or to its first page.
"""

import os
import re
import shutil
import sys
from pathlib import Path

from environment import script

SITE = Path(__file__).resolve().parent.parent / "_build/html"
TAG = re.compile(r"v[0-9.]+")
BODY = re.compile(r"<body[^>]*>")
LINE = ('\n<p style="padding:.5em 1em;margin:0;border-bottom:1px solid">'
        'You read release {tag}. <a href="{newest}">Read the newest release</a>.</p>')


def number(tag):
    """What releases are ordered by: v1.10 comes behind v1.9."""
    return [int(part) for part in re.findall(r"\d+", tag)]


def lay(kept, site=SITE):
    """Copies each release's folder into the site; returns their tags, the newest last.

    raises FileNotFoundError where the site is not built
    """
    if not (site / "index.html").is_file():
        raise FileNotFoundError(f"{site} has no index.html: make book first")
    folders = [folder for folder in kept.iterdir() if TAG.fullmatch(folder.name)]
    tags = sorted((folder.name for folder in folders), key=number)
    for tag in tags:
        shutil.rmtree(site / tag, ignore_errors=True)
        shutil.copytree(kept / tag, site / tag)
    for tag in tags[:-1]:
        for page in (site / tag).rglob("*.html"):
            page.write_text(older(page, tag, site), encoding="utf-8")
    return tags


def older(page, tag, site):
    """The text of a page of an older release, with its line if Sphinx made it."""
    text = page.read_text(encoding="utf-8")
    if "data-content_root" not in text:    # a figure inside a page
        return text
    newest = site / page.relative_to(site / tag)
    if not newest.is_file():
        newest = site / "index.html"
    link = Path(os.path.relpath(newest, page.parent)).as_posix()
    return BODY.sub(lambda body: body[0] + LINE.format(tag=tag, newest=link), text,
                    count=1)


if __name__ == "__main__":
    with script():
        if len(sys.argv) != 2:
            sys.exit("python tools/releases.py KEPT: a folder of releases is needed")
        print("releases:", ", ".join(lay(Path(sys.argv[1]))) or "none yet")
