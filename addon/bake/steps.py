# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs several programs one after another, as if they were one run of the solver."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
import time
from collections.abc import Iterator

from .runner import Progress, Run, State, own_group


class StepError(RuntimeError):
    """A step that failed; the message is for the user."""


class Task:
    """A running program whose output is read when it has ended; it is ended after `limit` seconds. Call `poll`
    regularly; it never blocks."""

    def __init__(self, command: list[str], limit: float) -> None:
        self.state = State.RUNNING
        self.progress = Progress()
        self.output = ""
        self.complaint = ""
        self._end = time.monotonic() + limit
        self._files = [tempfile.TemporaryFile() for _ in range(2)]  # noqa: SIM115
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self._files[0], stderr=self._files[1], **own_group()
        )

    def poll(self) -> State:
        """Checks whether the program has ended."""
        if self.state is State.RUNNING:
            is_late = time.monotonic() > self._end
            if is_late:
                self.kill()
            code = self._process.poll()
            if code is not None:
                self._finish(code, is_late)
        return self.state

    def pause(self) -> None:
        """Blocks for a moment, less if the program ends."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.05)

    def cancel(self) -> None:
        """Ends the program at once."""
        self.kill()

    def kill(self) -> None:
        """Ends the program at once."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def _finish(self, code: int, is_late: bool) -> None:
        self.output, told = (_text(file) for file in self._files)
        self.state = State.FAILED if code else State.DONE
        if code:
            late = "It took too long and was ended" if is_late else f"It ended with exit code {code} and no message"
            self.complaint = told.strip() or self.output.strip() or late


class Steps:
    """The programs that `work` yields, with a label each, one after another. `poll` never blocks for longer than `work`
    does between two steps."""

    def __init__(self, work: Iterator[tuple[str, Run | Task]]) -> None:
        self.state = State.RUNNING
        self.message = ""
        self.told = ""
        self.cancelling = False
        self._work = work
        self._current: Run | Task | None = None
        self._go_on()

    @property
    def progress(self) -> Progress:
        """The progress of the current step."""
        return self._current.progress if self._current else Progress()

    def poll(self) -> State:
        """Starts the next step if the current one has ended."""
        if self.state is State.RUNNING and self._current.poll() is not State.RUNNING:
            self._go_on()
        return self.state

    def pause(self) -> None:
        """Blocks for a moment, less if the step ends."""
        self._current.pause()

    def wait(self) -> State:
        """Blocks until all steps are done."""
        while self.poll() is State.RUNNING:
            self.pause()
        return self.state

    def cancel(self) -> None:
        """Asks the current step to stop; a second call ends it at once. No other step follows."""
        self.cancelling = True
        self._current.cancel()

    def kill(self) -> None:
        """Ends the current step at once. No other step follows."""
        self.cancelling = True
        if self._current:
            self._current.kill()

    def _go_on(self) -> None:
        if self.cancelling:
            self.state = State.CANCELLED
            return
        try:
            self.told, self._current = next(self._work)
        except StopIteration:
            self.state = State.DONE
        except (StepError, OSError) as error:
            self.state, self.message = State.FAILED, str(error)


def _text(file: tempfile._TemporaryFileWrapper[bytes]) -> str:
    with file:
        file.seek(0)
        return file.read().decode("utf-8", "replace")
