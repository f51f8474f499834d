"""A small REST API of users, with Python's standard library alone. It keeps them in memory.

    python3 server.py [PORT] [--feed]

GET /users, POST /users; GET, PUT and DELETE /users/{id}. A row has an ETag, and writes take
If-Match. A POST with an Idempotency-Key is carried out once: a repeated key gets the first answer.
The last 1,000 answers are kept. With --feed, GET /users?since=CURSOR answers what changed since:
{"items": [...], "deleted": [ids], "next": CURSOR, "more": false}. Deleted ids are kept.
"""
import json
import sys
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from urllib.parse import parse_qs, unquote, urlsplit

users, versions, answers, lock = {}, {}, OrderedDict(), Lock()
has_feed = "--feed" in sys.argv
# By id: the number of its last change. The latest is at the end.
changes = OrderedDict()


def changed(key):
    number = next(reversed(changes.values()), 0) + 1
    changes[key] = number
    changes.move_to_end(key)


def feed(since):
    new = [key for key, number in changes.items() if number > since]
    return {
        "items": [users[key] for key in new if key in users],
        "deleted": [key for key in new if key not in users],
        "next": str(next(reversed(changes.values()), 0)),
        "more": False,
    }


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=None, etag=None):
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if etag:
            self.send_header("ETag", etag)
        self.end_headers()
        self.wfile.write(data)

    def row(self, status, key):
        self.answer(status, users[key], f'"{versions[key]}"')

    def body(self):
        return json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    def store(self, status, key, user):
        if "@" not in user.get("email", ""):
            return self.answer(422, {"detail": "The address has no @."})
        users[key], versions[key] = user, versions.get(key, 0) + 1
        changed(key)
        self.row(status, key)

    def is_stale(self, key):
        wanted = self.headers.get("If-Match")
        return wanted and wanted != f'"{versions[key]}"'

    def do_GET(self):
        with lock:
            key = self.key()
            if key is None and has_feed:
                since = parse_qs(urlsplit(self.path).query).get("since", ["0"])[0]
                return self.answer(200, feed(int(since)))
            if key is None:
                return self.answer(200, list(users.values()))
            return self.row(200, key) if key in users else self.answer(404)

    def do_POST(self):
        with lock:
            user, name = self.body(), self.headers.get("Idempotency-Key")
            if name in answers:
                return self.answer(*answers[name])
            if user["id"] in users:
                return self.answer(409, {"detail": "There is such a user."})
            self.store(201, user["id"], user)
            if name and user["id"] in users:
                answers[name] = 201, user, f'"{versions[user["id"]]}"'
                if len(answers) > 1000:
                    answers.popitem(last=False)

    def do_PUT(self):
        with lock:
            key, user = self.key(), self.body()
            if key not in users:
                return self.answer(404)
            if self.is_stale(key):
                return self.answer(412)
            self.store(200, key, {**user, "id": key})

    def do_DELETE(self):
        with lock:
            key = self.key()
            if key not in users:
                return self.answer(404)
            if self.is_stale(key):
                return self.answer(412)
            del users[key]
            changed(key)
            self.answer(204)

    def key(self):
        steps = self.path.split("?")[0].strip("/").split("/")
        return unquote(steps[1]) if len(steps) > 1 else None

    def log_message(self, *arguments):
        pass


ports = [int(word) for word in sys.argv[1:] if word != "--feed"]
server = ThreadingHTTPServer(("127.0.0.1", ports[0] if ports else 8000), Handler)
print(f"Listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
