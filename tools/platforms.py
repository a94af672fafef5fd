"""README's table of platforms, from the records in book/platforms.toml."""

import datetime
import re
import tomllib

FILE = "book/platforms.toml"
STATES = ("run", "rehearsed", "never")
KEYS = {"name": str, "state": str, "what": str}
RAN = {"date": datetime.date, "commit": str, "versions": str}    # unless never
TABLE = re.compile(r"<!-- platforms -->.*?<!-- /platforms -->", re.DOTALL)


def with_platforms(readme, root):
    """The text of README with its table of platforms written afresh."""
    return TABLE.sub(lambda match: table(root), readme)


def table(root):
    """The table between its two marks; ValueError for a record that lacks something."""
    rows = ["<!-- platforms -->", "| Platform | State | What, and with what |",
            "|---|---|---|"]
    for record in tomllib.loads((root / FILE).read_text("utf-8"))["platform"]:
        check(record)
        ran = record["state"] != "never"
        state = f"{record['state']} {record['date']}" if ran else "never"
        with_what = [record["versions"], f"commit {record['commit']}"] if ran else []
        told = "; ".join(filter(None, [record["what"], *with_what]))
        rows.append(f"| {record['name']} | {state} | {told} |".replace("|  |", "| |"))
    return "\n".join([*rows, "<!-- /platforms -->"])


def check(record):
    """Raises ValueError for a record that is not as the file's head says."""
    name, state = record.get("name"), record.get("state")
    if state not in STATES:
        raise ValueError(f"{FILE}: the state of {name} is {state!r}; it must be one of "
                         f"{', '.join(STATES)}")
    wanted = KEYS if state == "never" else KEYS | RAN
    if wanted.keys() != record.keys() or any(
            not isinstance(record[key], kind) for key, kind in wanted.items()):
        raise ValueError(f"{FILE}: {name}, {state}, needs {', '.join(wanted)}, and "
                         "nothing else")
    if not re.fullmatch("[0-9a-f]{7,40}", record.get("commit", "0" * 7)):
        raise ValueError(f"{FILE}: the commit of {name} must be 7 to 40 hex digits")
