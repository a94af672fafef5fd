"""Executes one notebook in an empty folder, as a fresh reader would.

    python tools/execute.py SOURCE TARGET
"""

import asyncio
import re
import signal
import subprocess
import sys
import tempfile

from environment import script    # before nbformat

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

SECONDS_A_CELL = 900


class Loop(asyncio.SelectorEventLoop):
    """An event loop in which Ctrl+C stays asyncio's: it cancels what is run.

    nbclient would take its kernel away from under the cell that runs
    """

    def add_signal_handler(self, number, *handler):
        if number != signal.SIGINT:
            super().add_signal_handler(number, *handler)


async def executed(client):
    """What the client makes of its notebook; cancelled is cancelled, whatever it says
    instead. Of the kernel's own words none is shown."""
    try:
        return await client.async_execute(stderr=subprocess.DEVNULL)
    except Exception:
        if asyncio.current_task().cancelling():
            raise asyncio.CancelledError from None
        raise


def execute(notebook):
    """The notebook with all its outputs; a ValueError names a failing cell."""
    running = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        client = NotebookClient(
            notebook,
            kernel_name="python3",
            timeout=SECONDS_A_CELL,
            resources={"metadata": {"path": folder}},
            record_timing=False,
            on_cell_start=lambda cell, cell_index: running.update(cell),
        )
        try:
            with asyncio.Runner(loop_factory=Loop) as runner:
                return as_seen(runner.run(executed(client)))
        except CellExecutionError as error:
            reason = f"{error.ename}: {error.evalue}"
        except CellTimeoutError:
            reason = f"the cell ran longer than {SECONDS_A_CELL} s"
        except DeadKernelError:
            reason = "the kernel died"
    first_line = running.get("source", "").strip().partition("\n")[0]
    reason = re.sub(r"\x1b\[[0-9;]*m", "", reason)
    raise ValueError(f"cell {running.get('id')}, which begins {first_line!r}: {reason}")


def as_seen(notebook):
    """The notebook with each line as a screen shows it last: of a bar, its end."""
    for cell in notebook.cells:
        seen = []
        for output in cell.get("outputs", []):
            is_stream = output.output_type == "stream"
            if seen and is_stream and output.get("name") == seen[-1].get("name"):
                seen[-1].text += output.text    # a bar comes in many parts
            else:
                seen.append(output)
        for output in seen:
            if output.output_type == "stream":
                output.text = "\n".join(line.rpartition("\r")[2]
                                        for line in output.text.split("\n"))
        if seen:
            cell.outputs = seen
    return notebook


def main():
    source, target = sys.argv[1:]
    try:
        executed = execute(nbformat.read(source, as_version=4))
    except ValueError as error:
        print(error)
        sys.exit(1)
    nbformat.write(executed, target)


if __name__ == "__main__":
    with script():
        main()
