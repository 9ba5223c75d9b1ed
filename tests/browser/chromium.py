# SPDX-License-Identifier: GPL-3.0-or-later
"""Speaks to a headless Chromium over a pipe, in the words of its DevTools protocol; needs nothing but the program."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

_SECONDS = 300

# axe-core is slow where it lists what is in order, so it lists violations only.
_FAULTS = """axe.run({resultTypes: ["violations"]}).then(result => result.violations.flatMap(
  one => one.nodes.map(node => `${one.id}: ${one.help}: ${node.html.slice(0, 200)}`)))"""


class Chromium:
    """One browser with one page; everything that the page logs or asks of the network is kept."""

    def __init__(self) -> None:
        program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        assert program, "there is no Chromium; install the package chromium"
        self._profile = tempfile.mkdtemp()
        command_read, self._write = os.pipe()
        self._read, answer_write = os.pipe()
        flags = ["--headless=new", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage", "--hide-scrollbars"]
        flags += ["--disable-background-networking", "--disable-component-update", f"--user-data-dir={self._profile}"]
        # The sandbox does not start for root.
        flags += ["--no-sandbox"] if os.geteuid() == 0 else []
        # The browser reads commands from descriptor 3 and answers on 4.
        shell = f'exec "$0" "$@" 3<&{command_read} 4>&{answer_write}'
        self._process = subprocess.Popen(
            ["bash", "-c", shell, program, "--remote-debugging-pipe", *flags, "about:blank"],
            pass_fds=(command_read, answer_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(command_read)
        os.close(answer_write)
        self._buffer = b""
        self._number = 0
        self._session = ""
        self.events: list[dict] = []
        targets = self._wait_for_page()
        self._session = self.call("Target.attachToTarget", targetId=targets, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def _wait_for_page(self) -> str:
        end = time.monotonic() + _SECONDS
        while time.monotonic() < end:
            for target in self.call("Target.getTargets")["targetInfos"]:
                if target["type"] == "page":
                    return target["targetId"]
            time.sleep(0.1)
        raise AssertionError("Chromium has opened no page")

    def close(self) -> None:
        """End it, and remove its profile."""
        self._session = ""
        self._send("Browser.close", {})
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._write)
        os.close(self._read)
        shutil.rmtree(self._profile, ignore_errors=True)  # helpers of a killed browser may still write there

    def call(self, method: str, **params) -> dict:
        """One command, and its answer; what happens meanwhile goes to `events`."""
        number = self._send(method, params)
        while True:
            message = self._receive()
            if message.get("id") == number:
                assert "error" not in message, f"{method}: {message['error']}"
                return message["result"]
            if "method" in message:
                self.events.append(message)

    def _send(self, method: str, params: dict) -> int:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        return self._number

    def _receive(self) -> dict:
        while b"\0" not in self._buffer:
            ready, _write, _error = select.select([self._read], [], [], _SECONDS)
            assert ready, "Chromium does not answer"
            chunk = os.read(self._read, 1 << 20)
            assert chunk, "Chromium has ended"
            self._buffer += chunk
        text, _zero, self._buffer = self._buffer.partition(b"\0")
        return json.loads(text)

    def open(self, path: Path) -> None:
        """Show a file, and wait until it is there."""
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri())
        end = time.monotonic() + _SECONDS
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            assert time.monotonic() < end, "the page does not load"
            self.evaluate("1")
            time.sleep(0.05)

    def evaluate(self, expression: str):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def size(self, width: int, height: int, scale: float = 1) -> None:
        """The window, as a phone or a desktop has it."""
        phone = width < 600
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=phone
        )

    def media(self, kind: str = "", scheme: str = "light") -> None:
        """Screen or paper, light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=kind, features=features)

    def picture(self, path: Path) -> None:
        """What the window shows, as a PNG file."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def faults(self) -> list[str]:
        """What axe-core, whose file the variable AXE names, finds wrong with the page as it is shown now."""
        if not self.evaluate("window.axe ? 1 : 0"):
            self.evaluate(Path(os.environ["AXE"]).read_text(encoding="utf-8") + "\n;0")
        return self.evaluate(_FAULTS)

    def complaints(self) -> list[str]:
        """Errors and warnings on the console, and exceptions."""
        found = []
        for event in self.events:
            if event["method"] == "Runtime.exceptionThrown" or (
                event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] in ("error", "warning")
            ):
                found.append(json.dumps(event["params"]))
            elif event["method"] == "Runtime.consoleAPICalled":
                found.append(json.dumps(event["params"]["args"]))
        return found

    def requests(self) -> list[str]:
        """Every address that the page asked for, but for the file itself and what stands in it."""
        sent = [
            event["params"]["request"]["url"] for event in self.events if event["method"] == "Network.requestWillBeSent"
        ]
        return [url for url in sent[1:] if not url.startswith("data:")]
