"""A headless Chromium that is controlled through its debugging pipe, without a port, a server or a driver."""

from __future__ import annotations

import base64
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time
import typing

TIMEOUT_S = 30


class Failure(Exception):
    """Raised if the browser, or the page in it, did not do what it was told to do."""


class Browser:
    """One page. `complaints` collects the errors in the console, and `requests` the requests that the page sends."""

    def __init__(self, *further: str) -> None:
        """Starts Chromium with the additional options in `further`."""
        program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if program is None:
            raise Failure("there is no Chromium: sh common/bootstrap/bootstrap.sh install browser installs it")
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self.to = os.pipe()
        self.read_end, from_browser = os.pipe()
        # Chromium reads from descriptor 3 and writes to 4.
        shell = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
                   "--disable-background-networking", f"--user-data-dir={self.folder.name}", *further,
                   "about:blank"]  # fmt: skip
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "bash", program, *options],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.left = b""
        self.number = 0
        self.session: str | None = None
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.loaded = False
        targets = self.ask("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")
        # The page must receive keys from the beginning, although no window has the focus.
        self.ask("Emulation.setFocusEmulationEnabled", enabled=True)

    def close(self) -> None:
        os.close(self.to)
        os.close(self.read_end)
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.folder.cleanup()

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def receive(self) -> dict[str, typing.Any]:
        """Returns the next message."""
        end = time.monotonic() + TIMEOUT_S
        while b"\0" not in self.left:
            if not select.select([self.read_end], [], [], max(0.0, end - time.monotonic()))[0]:
                raise Failure(f"the browser has not answered for {TIMEOUT_S} s")
            more = os.read(self.read_end, 1 << 20)
            if not more:
                raise Failure("the browser has ended")
            self.left += more
        message, self.left = self.left.split(b"\0", 1)
        found: dict[str, typing.Any] = json.loads(message)
        return found

    def note(self, message: dict[str, typing.Any]) -> None:
        """Stores what an event reports, if it is an error or a request."""
        what, values = message.get("method"), message.get("params", {})
        if what == "Runtime.exceptionThrown":
            self.complaints.append(str(values["exceptionDetails"].get("exception", {}).get("description")))
        elif what == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(values["args"]))
        elif what == "Log.entryAdded" and values["entry"]["level"] == "error":
            self.complaints.append(values["entry"]["text"])
        elif what == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])
        elif what == "Page.loadEventFired":
            self.loaded = True

    def ask(self, method: str, **values: typing.Any) -> dict[str, typing.Any]:
        """Sends a command and waits for its answer. Raises Failure."""
        self.number += 1
        message: dict[str, typing.Any] = {"id": self.number, "method": method, "params": values}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failure(f"{method}: {answer['error']}")
                result: dict[str, typing.Any] = answer["result"]
                return result
            self.note(answer)

    def open(self, page: pathlib.Path, place: str = "") -> None:
        """Opens a file, and waits until it is loaded."""
        self.go(page.as_uri() + place)

    def go(self, address: str) -> None:
        """Opens an address, and waits until it is loaded."""
        # Opens an empty page first, because going to a different place in the same page would not load it again.
        for url in ("about:blank", address):
            self.loaded = False
            self.ask("Page.navigate", url=url)
            while not self.loaded:
                self.note(self.receive())

    def look(self, width: int, height: int, dark: bool = False, still: bool = True) -> None:
        """Sets the window's size, the theme, and whether the reader prefers reduced motion."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setScrollbarsHidden", hidden=True)
        self.ask("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"}])  # fmt: skip

    def value(self, expression: str) -> typing.Any:
        """Returns the value of a JavaScript expression. Raises Failure."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise Failure(f"{expression}: {answer['exceptionDetails']['exception'].get('description')}")
        return answer["result"].get("value")

    def wait_for(self, expression: str, seconds: float = 60) -> None:
        """Waits until a JavaScript expression is true. A page that is still loading may not be able to evaluate it,
        which counts as false. Raises Failure."""
        until = time.monotonic() + seconds
        while True:
            why = ""
            try:
                if self.value(expression):
                    return
            except Failure as failure:
                why = f"{failure}\n"
            if time.monotonic() > until:
                raise Failure(f"not true after {seconds} s: {expression}\n{why}{self.value('document.body.innerText')}")
            time.sleep(0.05)

    def press(self, key: str) -> None:
        """Presses a key, as a reader does."""
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        codes = {"Enter": 13, "Tab": 9, "Home": 36, "End": 35, "ArrowLeft": 37, "ArrowRight": 39}
        code = codes.get(key, ord(key.upper()[0]))
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def seen(self, whole: bool = False) -> bytes:
        """Returns a picture of the window, or of the whole page, as PNG."""
        shot = self.ask("Page.captureScreenshot", captureBeyondViewport=whole)
        return base64.b64decode(shot["data"])

    def picture(self, to: pathlib.Path) -> None:
        """Writes a picture of the whole page."""
        to.write_bytes(self.seen(whole=True))
