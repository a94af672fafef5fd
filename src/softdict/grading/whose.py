"""Whose a file is, by its name alone: the id of one student, or a reason why not.

Platforms put what they know into the names of downloads; the rest of a name is the
student's. Nothing is guessed: what two students fit, or none, a teacher settles.
"""

import dataclasses
import re
import unicodedata
from dataclasses import dataclass
from itertools import permutations

# Where each form is documented; where no address stands, by title alone:
#   Canvas: its source, github.com/instructure/canvas-lms, lib/content_zipper.rb: the
#     name, LATE, the user's number, the file's number, the file's own name
#   Moodle: its source, github.com/moodle/moodle, mod/assign/locallib.php (the function
#     download_submissions): the full name, the participant's number, the plugin
#   Blackboard: github.com/terr-steak/bb-file-cleanup, and Instructor Help, "Download
#     assignments": the title, the user name, attempt, its date, the file's own name;
#     beside it a text file of the same attempt
#   Gradescope: Help Center, "Exporting submissions": submission_ and a number that is
#     nobody's; submission_metadata.yml says whose
#   GitHub Classroom: github.com/github/gh-classroom/issues/29: a folder a student, its
#     name the assignment's and the user's
#   Google Classroom: Classroom Help, on the class folder in Drive and "Make a copy for
#     each student": the full name, a dash, the title
CANVAS = re.compile(r"(?P<name>[^_\W]+)(?:_late)?_(?P<key>\d+)_\d+_(?P<rest>.+)")
MOODLE = re.compile(r"(?P<name>.+?)_(?P<key>\d+)_assignsubmission_(?:file|onlinetext)"
                    r"(?:_(?P<rest>.*))?")
BLACKBOARD = re.compile(r"(?P<head>.+?)_attempt_(?P<date>\d{4}(?:-\d\d){5})"
                        r"(?:_(?P<rest>.*))?")
GRADESCOPE = re.compile(r"submission_(?P<key>\d+)")
GOOGLE = re.compile(r"(?:copy of )*(?P<name>.+?) - (?P<rest>.+)")
NUMBERED = (CANVAS, MOODLE)    # their numbers may be another's id: names must agree
ENDING = re.compile(r"(\.ipynb)*\.(ipynb|zip|txt|html?|pdf|py|md|docx?|rar|7z|tar|gz|"
                    r"json)$")
JOINTS = ".@+'\u2019\u00b7\u2027\u30fb"    # between letters they make one word of two
JOINING = "Pd", "Cf"    # as every dash does, and what is not seen
COPY = re.compile(r"( ?\(\d+\)|-main|-master)$")    # a browser's, and GitHub's
SHORT = re.compile(r"\d{1,2}")    # may count copies or chapters, beside other words


@dataclass(frozen=True)
class Owner:
    """Whose a file is: the id of a student, or a reason; `date` is the platform's.

    known says whether a platform names anybody; behind a reason, of is the id of whom
    it names without doubt
    """

    id: str = ""
    reason: str = ""
    date: str = ""
    known: bool = False
    of: str = ""


def folded(text):
    """A text in the one form in which names are compared: NFC, small letters."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def owner(file, students, titles, keys=None):
    """The Owner of a file or folder of this name.

    students is a dict from id to Student; titles are names of the assignment, in which
    no id is looked for; keys are what submission_metadata.yml says, number to id
    """
    name = stem(file)
    found = GRADESCOPE.fullmatch(name)
    if found:
        return of_gradescope(found["key"], students, keys or {})
    fits = [(form, found.groupdict()) for form in (MOODLE, BLACKBOARD, CANVAS, GOOGLE)
            if (found := form.fullmatch(name))]
    read = [of_platform(form, parts, students, titles) for form, parts in fits
            if form is not GOOGLE or named(parts["name"], students)]
    known = [one for one in read if one.known] or read[:1]
    if len({one.id for one in known}) > 1:    # the student has written one of them
        return Owner(reason="its name is that of two platforms' downloads")
    if known:    # what another form could be read from, may be the student's own date
        return known[0] if len(read) == 1 else dataclasses.replace(known[0], date="")
    # a name that ends like a file may be somebody's id
    rest, whole = (without_titles(one, titles) for one in (name, folded(file)))
    ids = words_in(rest, students) | {
        key for key in words_in(whole, students) if ENDING.search(folded(key))}
    only = next(iter(ids)) if len(ids) == 1 else ""
    if SHORT.fullmatch(only) and words_of(rest) not in (
            [only], words_of(students[only].platform)):
        return Owner(reason=f"{only} in its name may be a number of another kind")
    return one_of(ids)


def beginning(file):
    """What Moodle or Canvas put in front of a student's own name for a file: the name,
    numbers and, of Moodle, the plugin; "" for other names."""
    found = re.match(r".+?_\d+_assignsubmission_(?:file|onlinetext)(?=_|$)", file) or (
        CANVAS.fullmatch(stem(file)) and re.match(
            r"[^_]+(?:_late)?_\d+_\d+(?=_)", file, re.IGNORECASE))
    return found[0] if found else ""


def number_of(file):
    """The number by which Moodle or Canvas knows the student of a file; "" if none."""
    return re.findall(r"_(\d+)", start)[0] if (start := beginning(file)) else ""


def stem(file):
    """A name as it is compared, without the ending of a file."""
    name = folded(file).replace("%20", " ")
    return COPY.sub("", ENDING.sub("", name)).strip(" _")


def is_letter(sign):
    """Whether a sign is part of a word: a letter, a digit, a mark on one."""
    return sign.isalnum() or unicodedata.category(sign).startswith("M")


def words_of(text):
    """The words of a text, in the form in which names are compared."""
    return "".join(sign if is_letter(sign) else " " for sign in folded(text)).split()


def without_titles(name, titles):
    """A name without the assignment's own, however its words are joined."""
    for title in sorted(titles, key=len, reverse=True):
        joined = r"[\W_]*".join(map(re.escape, words_of(title)))
        if joined:
            name = re.sub(rf"(?<![^\W_]){joined}(?![^\W_])", "/", name)
    return name


def words_in(name, students):
    """The ids that stand in a name as whole words, and not inside a longer one; a
    platform's user name does as well."""
    places = []
    for key, student in students.items():
        user = folded(student.platform)
        for word in {folded(key), key if user.isdigit() else user or key}:
            start = name.find(word)
            while start >= 0:
                end = start + len(word)
                if ends_word(name[:start][::-1]) and ends_word(name[end:]):
                    places.append((start, end, key))
                start = name.find(word, start + 1)
    return {key for start, end, key in places if not any(
        other[0] <= start and end <= other[1] and (start, end) != other[:2]
        for other in places)}


def ends_word(rest):
    """Whether what follows does not go on with the word before it."""
    behind = next((sign for sign in rest if not is_joint(sign)), "")
    return not behind or not is_letter(behind)


def is_joint(sign):
    """Whether a sign between two letters makes one word of both."""
    return sign in JOINTS or unicodedata.category(sign) in JOINING


def one_of(ids):
    """The Owner if there is one id; else the reason why there is none."""
    if len(ids) == 1:
        return Owner(*ids)
    if ids:
        return Owner(reason=f"its name has {' and '.join(sorted(ids))}")
    return Owner(reason="its name has no id of the roster")


def of_platform(form, parts, students, titles):
    """The Owner by what a platform wrote; the student's own name for the file must not
    say anything else."""
    own = words_in(without_titles(parts.get("rest") or "", titles), students)
    given = {key: folded(student.platform or key) for key, student in students.items()}
    by_key = {key for key in given if given[key] == parts.get("key")}
    if form is BLACKBOARD:
        by_key = behind_title(parts["head"], given, titles)
    by_name = named(parts.get("name") or "", students)
    date = parts.get("date") or ""
    platform = by_key or (by_name if len(by_name) == 1 else set())
    if platform:    # a bare number may be that of a copy, and contradicts nothing
        own = {key for key in own if not SHORT.fullmatch(key)}
    reason = ""
    if form in NUMBERED and by_key:
        key = next(iter(by_key))
        if not students[key].platform and key not in by_name:
            reason = (f"{parts['key']} may be the platform's own number, and its name "
                      "is not that of the roster; a column platform in it tells")
        elif by_name and not by_key & by_name:
            reason = "its number and its name are of two students"
    elif not platform and not by_name and (form is BLACKBOARD or any(
            student.name or student.platform for student in students.values())):
        reason = "the platform names nobody of the roster"
    if not reason and platform and own - platform:
        reason = (f"the platform says {' and '.join(platform)}, its own name "
                  f"{' and '.join(sorted(own))}")
    if not reason and not platform and by_name and not own & by_name:
        reason = f"{' and '.join(sorted(by_name))} have this name"
    if reason:
        return Owner(reason=reason, date=date, known=True,
                     of=" ".join(platform) if form is BLACKBOARD else "")
    if not platform and by_name:
        own &= by_name
    found = one_of(platform or own)
    return Owner(found.id, found.reason, date, bool(platform or by_name), found.id)


def behind_title(head, given, titles):
    """The ids of whoever a download of Blackboard names behind its title."""
    rest = without_titles(head, titles)
    if rest.startswith("/"):
        return {key for key in given if given[key] == rest[1:].strip("_ ")}
    # a title that is not known
    return set(sorted((key for key in given if head.endswith(f"_{given[key]}")),
                      key=lambda key: len(given[key]))[-1:])


def of_gradescope(number, students, keys):
    """The Owner of a folder of Gradescope, by its submission_metadata.yml."""
    if number not in keys:
        return Owner(reason="submission_metadata.yml, which says whose it is, does not "
                     "name it")
    found = {key for key in students for given in keys[number]
             if folded(students[key].platform or key) == folded(given)}
    return one_of(found) if found else Owner(
        reason=f"submission_metadata.yml says {', '.join(keys[number])[:80]}")


def named(name, students):
    """The students of this full name, whichever of its words stands first."""
    squashed = "".join(words_of(name))
    return {key for key, student in students.items()
            if squashed and squashed in orders(student.name)}


def orders(name):
    """A full name in each order of its words, without what is between them.

    of more than four words, wherever the family name begins, it may stand in front
    """
    words = words_of(name)
    if len(words) > 4:
        return {"".join(words[start:] + words[:start]) for start in range(len(words))}
    return {"".join(order) for order in permutations(words)}


def gradescope_keys(text):
    """What a submission_metadata.yml says: number of a submission to its ids.

    only the lines of the list under :submitters: count, by their depth: deeper may
    stand what an answer has printed
    """
    found, ids, key = {}, [], ""
    for line in text.split("\n"):
        if start := re.match(r"submission_(\d+)(?:\.\w+)?:", line):
            found[start[1]] = ids = []
        key = line.strip() if re.match("  :|[^ ]", line) else key
        part = re.match(r"  (?:- |  ):(?:sid|email): *[\"']?([^\"'\s]+)", line)
        if part and key == ":submitters:":
            ids.append(part[1])
    return found
