"""Serves the live page on 127.0.0.1, only to clients that know the token in its address.

A request's path is looked up in a table and never used as the name of a file. The server refuses a wrong token, the
Origin of another page, and a Host that is not its own. Such a Host is sent by a page whose name was made to resolve to
this machine (DNS rebinding).
"""

from __future__ import annotations

import http
import http.server
import pathlib
import secrets
import socketserver
import sys
import threading
import typing

from student.live import policy
from student.live.board import Board

HERE = pathlib.Path(__file__).resolve().parent
MAX_LISTENERS = 16  # pages that get updates at the same time
HEARTBEAT_S = 5.0  # to notice when a browser has gone
QUIET_S = 20.0  # the time after which an idle connection is closed

Answer = tuple[str, bytes, str]  # media type, body, policy
HTML = "text/html; charset=utf-8"


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a browser may keep a connection open for as long as it likes

    def __init__(
        self,
        board: Board,
        lesson: typing.Callable[[], tuple[str, bytes]],
        answered: typing.Callable[[str, str], bool],
    ) -> None:
        """`answered` is called with the kind of a player's question and the result. Returns true if both are known."""
        super().__init__(("127.0.0.1", 0), Handler)
        self.board, self._lesson, self.answered = board, lesson, answered
        self._fixed: dict[str, Answer] = {
            "": (HTML, (HERE / "live.html").read_bytes(), policy.OF_LIVE_PAGE),
            "live.js": ("text/javascript; charset=utf-8", (HERE / "live.js").read_bytes(), policy.OF_TEXT),
            "live.css": ("text/css; charset=utf-8", (HERE / "live.css").read_bytes(), policy.OF_TEXT),
        }
        self.begin = f"/{secrets.token_urlsafe(32)}/"  # the beginning of every path
        # If the port is forwarded, the browser asks for localhost. Other names are refused.
        self.hosts = (f"127.0.0.1:{self.server_port}", f"localhost:{self.server_port}")
        self.listeners = threading.BoundedSemaphore(MAX_LISTENERS)

    def server_bind(self) -> None:
        # The base class would look up this machine's name, which can take seconds and isn't needed.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", int(self.server_address[1])

    def answer(self, name: str) -> Answer | None:
        """Returns the answer for the name after the token, or None if there is no such name."""
        if name == "player" and (page := self.board.player):
            return HTML, page, policy.of_player(page)
        if name == "lesson":
            return (*self._lesson(), policy.OF_LESSON)
        return self._fixed.get(name)

    @property
    def address(self) -> str:
        return f"http://{self.hosts[0]}{self.begin}"

    def handle_error(self, request: typing.Any, client_address: typing.Any) -> None:
        # A closed connection is not an error.
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)

    def __enter__(self) -> Server:
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.board.close()
        self.shutdown()
        self._thread.join()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "workbook", ""
    timeout = QUIET_S

    def log_message(self, format: str, *args: typing.Any) -> None:
        """Prints nothing, because the terminal belongs to the student, and the addresses contain the token."""

    def end_headers(self) -> None:
        for name, value in (
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
        ):
            self.send_header(name, value)
        super().end_headers()

    def _refusal(self) -> str | None:
        """Returns why the request is refused, or None if it is not."""
        hosts = self.headers.get_all("Host") or []
        if len(hosts) != 1 or hosts[0] not in self.server.hosts:
            return "This server has a different host name."
        origins = self.headers.get_all("Origin") or []
        if any(origin != f"http://{hosts[0]}" for origin in origins):
            return "This server accepts no requests from other pages."
        # A browser sends Content-Length: 0 with a POST that has no body.
        empty = self.command == "POST" and self.headers.get_all("Content-Length") == ["0"]
        if "Transfer-Encoding" in self.headers or ("Content-Length" in self.headers and not empty):
            return "This server accepts no request body."
        begin = self.path[: len(self.server.begin)]
        if not secrets.compare_digest(begin.encode("utf-8", "replace"), self.server.begin.encode()):
            return "Wrong address: open the one that `make liveN` has printed."
        return None

    def do_GET(self) -> None:
        refusal = self._refusal()
        if refusal is not None:
            self._say(http.HTTPStatus.FORBIDDEN, refusal)
            return
        name = self.path[len(self.server.begin) :].partition("?")[0]
        if name == "events":
            self._events()
            return
        answer = self.server.answer(name)
        if answer is None:
            self._say(http.HTTPStatus.NOT_FOUND, "There is nothing here.")
        else:
            self._send(http.HTTPStatus.OK, answer)

    def do_POST(self) -> None:
        """Receives an answer that was given in the player: answered/KIND/RESULT. Our own pages always send their
        Origin."""
        refusal = self._refusal() or (
            None if "Origin" in self.headers else "This server accepts no requests from other pages."
        )
        if refusal is not None:
            self._say(http.HTTPStatus.FORBIDDEN, refusal)
            return
        what, _, rest = self.path[len(self.server.begin) :].partition("/")
        kind, _, result = rest.partition("/")
        known = what == "answered" and self.server.answered(kind, result)
        status = http.HTTPStatus.OK if known else http.HTTPStatus.NOT_FOUND
        self._say(status, "Noted." if known else "There is nothing here.")

    def _say(self, status: http.HTTPStatus, words: str) -> None:
        self._send(status, ("text/plain; charset=utf-8", words.encode(), policy.OF_TEXT))

    def _send(self, status: http.HTTPStatus, answer: Answer) -> None:
        kind, body, allowed = answer
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", allowed)
        if status != http.HTTPStatus.OK:
            # The rest of the request is not read.
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def _events(self) -> None:
        """Sends the board each time it changes (server-sent events), until the browser disconnects or the server
        ends."""
        if not self.server.listeners.acquire(blocking=False):
            self._say(http.HTTPStatus.SERVICE_UNAVAILABLE, "Too many pages are open.")
            return
        try:
            self.send_response(http.HTTPStatus.OK)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Content-Security-Policy", policy.OF_TEXT)
            self.send_header("Connection", "close")
            self.end_headers()
            version = 0
            while True:
                newest, text = self.server.board.after(version, HEARTBEAT_S)
                if text is None:
                    break
                self.wfile.write(b": still here\n\n" if newest == version else f"data: {text}\n\n".encode())
                version = newest
            self.wfile.write(b"event: end\ndata: \n\n")
        except (ConnectionError, TimeoutError):
            return
        finally:
            self.server.listeners.release()
