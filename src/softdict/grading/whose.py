"""Whose a file is, by its name alone: the id of one student, or a reason why not.

Platforms put what they know into the names of downloads; the rest of a name is the
student's. Nothing is guessed: what two students fit, or none, a teacher settles.
"""

import re
import unicodedata
from dataclasses import dataclass
from itertools import permutations

# Where each form is documented:
#   Canvas: Instructor Guide, "How do I download all student submissions for an
#     assignment?": the name, LATE, the user's number, the file's number, its own name
#   Moodle: docs.moodle.org, "Using Assignment" (Download all submissions, and feedback
#     files in a zip): the full name, the participant's number, assignsubmission_file
#   Blackboard: Instructor Help, "Download assignments": the title, the user name,
#     attempt, its date, the file's own name
#   Gradescope: Help Center, "Exporting submissions": submission_ and a number that is
#     nobody's; submission_metadata.yml says whose
#   GitHub Classroom: docs.github.com, "Create an individual assignment": a repository
#     a student, its name the assignment's and the user's
#   Google Classroom: Classroom Help, on the class folder in Drive and "Make a copy for
#     each student": the full name, a dash, the title
CANVAS = re.compile(r"(?P<name>[^_\W]+)(?:_late)?_(?P<key>\d+)_\d+_(?P<rest>.+)")
MOODLE = re.compile(r"(?P<name>.+?)_(?P<key>\d+)_assignsubmission_(?:file|onlinetext)"
                    r"(?:_(?P<rest>.*))?")
BLACKBOARD = re.compile(r"(?:.*/_?(?P<key>.+?)|(?P<head>[^/]+))_attempt_"
                        r"(?P<date>\d{4}(?:-\d\d){5})(?:_(?P<rest>.*))?")
GRADESCOPE = re.compile(r"submission_(?P<key>\d+)")
GOOGLE = re.compile(r"(?P<name>.+?) - (?P<rest>.+)")
NUMBERED = (CANVAS, MOODLE)    # their numbers may be another's id: names must agree
ENDING = re.compile(r"\.(ipynb|zip|txt|html?|pdf|py|md|docx?|rar|7z|tar|gz|json)$")
JOINTS = ".@+-"    # between letters they make one word of two


@dataclass(frozen=True)
class Owner:
    """Whose a file is: the id of a student, or a reason; `date` is the platform's."""

    id: str = ""
    reason: str = ""
    date: str = ""


def folded(text):
    """A text in the one form in which names are compared: NFC, small letters."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def owner(file, students, titles, keys=None):
    """The Owner of a file or folder of this name.

    students is a dict from id to Student; titles are names of the assignment, in which
    no id is looked for; keys are what submission_metadata.yml says, number to id
    """
    name = without_titles(stem(file), titles)
    found = GRADESCOPE.fullmatch(stem(file))
    if found:
        return of_gradescope(found["key"], students, keys or {})
    for form in (MOODLE, BLACKBOARD, CANVAS, GOOGLE):
        found = form.fullmatch(name)
        if found and (form is not GOOGLE or named(found["name"], students)):
            return of_platform(form, found.groupdict(), students)
    return one_of(words_in(name, students))


def stem(file):
    """A name as it is compared, without the ending of a file."""
    name = folded(file).replace("%20", " ")
    return ENDING.sub("", name).strip(" _")


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
    """The ids that stand in a name as whole words, and not inside a longer one."""
    places = []
    for key in students:
        word = folded(key)
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
    if rest[:1] and rest[0] in JOINTS:
        rest = rest.lstrip(JOINTS)
    return not rest or not is_letter(rest[0])


def one_of(ids):
    """The Owner if there is one id; else the reason why there is none."""
    if len(ids) == 1:
        return Owner(*ids)
    if ids:
        return Owner(reason=f"its name has {' and '.join(sorted(ids))}")
    return Owner(reason="its name has no id of the roster")


def of_platform(form, parts, students):
    """The Owner by what a platform wrote; the student's own name for the file must not
    say anything else."""
    own = words_in(parts.get("rest") or "", students)
    given = {key: folded(student.platform or key) for key, student in students.items()}
    by_key = {key for key in given if given[key] == parts.get("key")}
    if parts.get("head"):    # a title that is not known, and behind it a user's name
        by_key = set(sorted((key for key in given if parts["head"].endswith(
            f"_{given[key]}")), key=lambda key: len(given[key]))[-1:])
    by_name = named(parts.get("name") or "", students)
    date = parts.get("date") or ""
    if form in NUMBERED and by_key:
        key = next(iter(by_key))
        if not students[key].platform and key not in by_name:
            return Owner(reason=f"{parts['key']} may be the platform's own number, and "
                         "its name is not that of the roster; a column platform in the "
                         "roster tells")
    platform = by_key or (by_name if len(by_name) == 1 else set())
    if by_name and by_key and not by_key & by_name and form in NUMBERED:
        return Owner(reason="its number and its name are of two students")
    if platform and own - platform:
        return Owner(reason=f"the platform says {' and '.join(platform)}, its own name "
                     f"{' and '.join(sorted(own))}")
    if not platform and by_name and not own & by_name:
        return Owner(reason=f"{' and '.join(sorted(by_name))} have this name")
    if not platform and by_name:
        own &= by_name
    found = one_of(platform or own)
    return Owner(found.id, found.reason, date)


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
    """A full name in each order of its words, without what is between them."""
    words = words_of(name)
    if len(words) > 4:
        return {"".join(words), "".join(words[-1:] + words[:-1])}
    return {"".join(order) for order in permutations(words)}


def gradescope_keys(text):
    """What a submission_metadata.yml says: number of a submission to its ids."""
    found, number = {}, None
    for line in text.splitlines():
        if start := re.match(r"submission_(\d+)(?:\.\w+)?:", line):
            number = start[1]
            found[number] = []
        part = re.match(r"\s*(?:- )?:(?:sid|email): *[\"']?([^\"'\s]+)", line)
        if part and number:
            found[number].append(part[1])
    return found
