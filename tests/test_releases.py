"""Older releases stay below their tags, and each of their pages leads to the newest."""

import os
import re
import shutil
import subprocess
import sys

import pytest
import releases
import yaml
from books import ROOT

PAGE = '<html data-content_root="../"><body class="x"><p>{}</p></body></html>'


def write(folder, *names, text="old"):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PAGE.format(text), encoding="utf-8")


@pytest.fixture
def folders(tmp_path):
    site, kept = tmp_path / "html", tmp_path / "kept"
    write(site, "index.html", "book/terms.html", text="new")
    for tag in ("v1.9", "v1.10", "v1.2"):
        write(kept / tag, "index.html", "book/terms.html", "book/gone.html", text=tag)
    (kept / "v1.2/figure.html").write_text("<body>", encoding="utf-8")
    (kept / ".git").mkdir()
    return kept, site


def test_a_page_of_an_older_release_leads_to_the_same_page_of_the_newest(folders):
    kept, site = folders
    assert releases.lay(kept, site) == ["v1.2", "v1.9", "v1.10"]
    for tag in ("v1.2", "v1.9"):
        for name, wanted in (("book/terms.html", "book/terms.html"),
                             ("book/gone.html", "index.html"),
                             ("index.html", "index.html")):
            page = site / tag / name
            [link] = re.findall('href="([^"]+)"', page.read_text("utf-8"))
            assert (page.parent / link).resolve() == (site / wanted).resolve()
            assert f"release {tag}." in page.read_text("utf-8")
    for name in ("v1.10/book/terms.html", "book/terms.html", "v1.2/figure.html"):
        assert "release" not in (site / name).read_text("utf-8")
    # what is kept stays as it was made: a later release names another newest
    assert kept.joinpath("v1.2/index.html").read_text("utf-8") == PAGE.format("v1.2")
    before = {page: page.read_bytes() for page in site.rglob("*.html")}
    assert releases.lay(kept, site) and before == {
        page: page.read_bytes() for page in site.rglob("*.html")}


def test_releases_want_a_built_site(tmp_path, folders):
    with pytest.raises(FileNotFoundError, match="make book first"):
        releases.lay(folders[0], tmp_path / "none")


@pytest.mark.skipif(not shutil.which("bash"), reason="the workflow runs bash")
def test_the_workflow_keeps_each_release_and_lays_out_all(tmp_path):
    """Its steps, as they stand, against a bare repository: two releases, one twice."""
    jobs = yaml.safe_load((ROOT / ".github/workflows/publish.yml").read_text("utf-8"))[
        "jobs"]
    [earlier] = [step["run"] for step in jobs["build"]["steps"]
                 if "releases.py" in step.get("run", "")]
    [keeping] = [step["run"] for step in jobs["executed"]["steps"]
                 if "origin sites" in step.get("run", "")]

    def run(script, cwd, **more):
        subprocess.run(["bash", "-ec", script], cwd=cwd, check=True,
                       stdout=subprocess.PIPE,
                       env={**os.environ, "HOME": str(tmp_path), **more})

    run("git init -q -b main --bare origin.git && git clone -q origin.git first && cd "
        "first && git config user.name A && git config user.email a@b.c && "
        "touch one && git add . && git commit -qm One && git push -q origin main",
        tmp_path)
    for tag, count in (("v1", 1), ("v2", 2), ("v2", 2)):
        clone = tmp_path / f"{tag} {count}"
        run(f"rm -rf '{clone}' && git clone -q origin.git '{clone}'", tmp_path)
        write(clone / "_build/html", "index.html", "book/terms.html", text=tag)
        tools = clone / "tools"
        tools.mkdir()
        for name in ("releases.py", "environment.py"):
            (tools / name).write_bytes((ROOT / "tools" / name).read_bytes())
        more = {"GITHUB_REF_NAME": tag, "GITHUB_REF_TYPE": "tag"}
        run(earlier.replace("python ", f"'{sys.executable}' "), clone, **more)
        run("git config user.name A && git config user.email a@b.c\n" + keeping, clone,
            RUNNER_TEMP=str(clone / "_build"), **more)
        kept = subprocess.run(["git", "ls-tree", "--name-only", "sites"], text=True,
                              cwd=tmp_path / "origin.git", capture_output=True).stdout
        assert kept.split() == [f"v{n}" for n in range(1, count + 1)]
    page = (clone / "_build/html/v1/book/terms.html").read_text("utf-8")
    assert "v1</p>" in page and 'href="../../book/terms.html"' in page
    assert "release" not in (clone / "_build/html/v2/index.html").read_text("utf-8")


def test_the_book_is_cited_as_its_citation_file_says():
    told = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    page = (ROOT / "book/how_to_use.md").read_text("utf-8")
    entry = dict(re.findall(r"(\w+) += \{+(.*?)\}+,?$", page, re.MULTILINE))
    assert entry == {"author": told["authors"][0]["name"], "title": told["title"],
                     "year": str(told["date-released"])[:4]}
