# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one bake in its own process and reports its progress."""

from __future__ import annotations

import contextlib
import enum
import json
import os
import queue
import signal
import subprocess
import threading
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

_KEPT_LINES = 30
# The solver's options: report progress, and end with this process.
_TOLD = ("--progress", "json", "--until-stdin-closes")
# The solver's exit code for a wrong scene.
_WRONG_SCENE = 2


class State(enum.Enum):
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass
class Progress:
    """The solver's last report. Times in seconds."""

    settled: float | None = None
    """A lower bound of the finished fraction of the steps before the first frame; None if there are none."""
    frame: int | None = None
    within: tuple[int, float, float] | None = None
    """A long frame that is being simulated, its finished fraction, and its remaining time."""
    finished: int = 0
    done: float = 0.0
    """Finished frames, including the finished part of one."""
    total: int = 0
    particles: int = 0
    steps: int = 0
    time_left: float | None = None

    @property
    def fraction(self) -> float:
        if self.settled is not None:
            return self.settled
        return min(1.0, self.done / self.total) if self.total else 0.0

    def go_to(self, done: float) -> None:
        """Never goes back: a frame is simulated while older ones are written."""
        self.done = max(self.done, done)


def bake_command(binary: Path, scene: Path, cache: Path, resume: bool = False) -> list[str]:
    """A new or resumed bake, which ends when its standard input is closed, as when Blender dies."""
    going_on = ["--resume"] if resume else []
    return [str(binary), "bake", str(scene), "--cache", str(cache), *going_on, *_TOLD]


def look_command(binary: Path, scene: Path, cache: Path, frame: int) -> list[str]:
    """Simulates up to a frame, to preview the bake."""
    return [str(binary), "simulate", str(scene), "--cache", str(cache), f"--frames={frame}", *_TOLD]


class Run:
    """A running solver. Call `poll` regularly; it never blocks. If the solver failed, `message` gives the reason, and
    `path` its place in the scene file, if it has one."""

    def __init__(self, command: list[str]) -> None:
        self.state = State.RUNNING
        self.progress = Progress()
        self.told = ""
        self.message = ""
        self.path = ""
        self.warnings: list[str] = []
        self.cancelling = False
        self.is_scene_wrong = False
        self._done = False
        self._events: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._complaints: deque[str] = deque(maxlen=_KEPT_LINES)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            **own_group(),
        )
        self._readers = [
            _reader(self._process.stdout, self._read_event),
            _reader(self._process.stderr, self._read_complaint),
        ]

    def poll(self) -> State:
        """Reads the solver's output since the last call."""
        if self.state is not State.RUNNING:
            return self.state
        ended = self._process.poll() is not None and not any(reader.is_alive() for reader in self._readers)
        self._drain()
        if ended:
            self._finish(self._process.returncode)
        return self.state

    def pause(self) -> None:
        """Blocks for a moment, less if the solver ends."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.05)

    def wait(self) -> State:
        """Blocks until the solver has ended."""
        while self.poll() is State.RUNNING:
            self.pause()
        return self.state

    def cancel(self) -> None:
        """Asks the solver to stop, which takes a few seconds; a second call ends it at once."""
        if self.cancelling:
            self.kill()
        elif self._process.poll() is None:
            self.cancelling = True
            self._process.stdin.close()

    def kill(self) -> None:
        """Ends the solver at once, as when Blender quits. The frames in its index are complete."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def _read_event(self, line: str) -> None:
        with contextlib.suppress(json.JSONDecodeError):
            event = json.loads(line)
            if isinstance(event, dict):
                self._events.put(event)
                return
        self._read_complaint(line)

    def _read_complaint(self, line: str) -> None:
        if line.strip():
            self._complaints.append(line.rstrip())

    def _drain(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._take(self._events.get_nowait())

    def _take(self, event: dict[str, Any]) -> None:
        progress = self.progress
        match event.get("event"):
            case "settle":
                progress.settled = min(1.0, event.get("step", 0) / max(1, event.get("most", 1)))
            case "start":
                progress.settled = None
                progress.total = event.get("total", 0)
                progress.particles = event.get("particles", 0)
                self.warnings += event.get("warnings", [])
            case "warning":
                self.warnings.append(str(event.get("message")))
            case "frame":
                progress.frame = event.get("frame")
                progress.finished = event.get("index", 0)
                progress.total = event.get("total", progress.total)
                progress.go_to(progress.finished)
                if progress.within and progress.within[0] <= (progress.frame or 0):
                    progress.within = None
                progress.particles = event.get("particles", progress.particles)
                progress.steps = event.get("steps", 0)
                # Unknown for the first frame, while the next one may have reported a time.
                progress.time_left = progress.time_left if event.get("eta") is None else event["eta"]
            case "advance":
                frame, part = event.get("frame", 0), event.get("part", 0.0)
                progress.within = (frame, part, event.get("frame_eta", 0.0))
                progress.go_to(event.get("index", 1) - 1 + part)
                progress.time_left = event.get("eta")
            case "done":
                self._done = True
            case "error":
                told = (event.get("message"), event.get("help"))
                self.message = "\n".join(str(text) for text in told if text)
                self.path = event.get("path") or ""

    def _finish(self, code: int) -> None:
        self._process.stdin.close()
        if code == 0 and self._done:
            self.state = State.DONE
        elif self.cancelling and not self.message:
            self.state = State.CANCELLED
        else:
            self.state = State.FAILED
            self.is_scene_wrong = code == _WRONG_SCENE
            self.message = self.message or "\n".join(self._complaints) or _last_words(code)


def own_group() -> dict[str, Any]:
    """Its own process group, so that Ctrl-C in a terminal reaches the solver only through `cancel`."""
    if os.name == "nt":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return {"start_new_session": True}


def _reader(stream: TextIO, take: Any) -> threading.Thread:
    def read() -> None:
        with stream:
            for line in stream:
                take(line)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    return thread


def _last_words(code: int) -> str:
    if code >= 0:
        return f"The solver ended with exit code {code} and no message"
    if -code == getattr(signal, "SIGKILL", 9):
        return "The solver was killed; the machine may have run out of memory: use a larger particle spacing"
    return f"The solver was ended by signal {-code}"
