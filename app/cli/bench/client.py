"""A sequential client in a process of its own, so that the server's CPU can be told apart; needs Python alone.

Reads lines "path number" and answers each, when that many requests have been answered, with "ok" or what was wrong.
"""

from __future__ import annotations

import sys
from http.client import HTTPConnection, HTTPException

_SECONDS = 20


def ask(connection: HTTPConnection, path: str, number: int, cookie: str) -> str:
    """Send ``number`` requests one after the other on one connection; "ok" when all had the first one's status."""
    statuses = set()
    for _ in range(number):
        connection.request("GET", path, headers={"Cookie": cookie, "HX-Request": "true"})
        response = connection.getresponse()
        response.read()
        statuses.add(response.status)
    return "ok" if statuses <= {200} or statuses <= {204} else f"statuses {sorted(statuses)}"


def main() -> None:
    """Serve the lines of standard input."""
    port, cookie = int(sys.argv[1]), sys.argv[2]
    for line in sys.stdin:
        path, number = line.split()
        connection = HTTPConnection("127.0.0.1", port, timeout=_SECONDS)
        try:
            answer = ask(connection, path, int(number), cookie)
        except (OSError, HTTPException) as error:
            answer = type(error).__name__
        finally:
            connection.close()
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
