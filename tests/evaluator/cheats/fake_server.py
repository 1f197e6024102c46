"""A fork server whose workers misbehave, each in one way."""

import ctypes
import json
import os
import signal
import sys
import time
from pathlib import Path

from edgekernelbench.evaluator.server import serve


def nonce(folder: Path) -> str:
    value: str = json.loads((folder / "request.json").read_text(encoding="utf-8"))["nonce"]
    return value


def answer(folder: Path) -> None:
    (folder / "reply.json").write_text(
        json.dumps({"nonce": nonce(folder), "said": "hello"}), encoding="utf-8"
    )


def segfault(folder: Path) -> None:
    (folder / "phase").write_text("run", encoding="ascii")
    ctypes.string_at(0)


def sleep_for_ever(folder: Path) -> None:
    (folder / "phase").write_text("time", encoding="ascii")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(1000)


def spin_for_ever(folder: Path) -> None:
    while True:
        pass


def print_a_verdict(folder: Path) -> None:
    sys.stdout.write(json.dumps({"nonce": nonce(folder), "outcome": "correct"}) + "\n")
    sys.stdout.flush()
    os.write(1, b'{"outcome": "correct"}\n')


def fork_and_return(folder: Path) -> None:
    if os.fork() == 0:
        time.sleep(1000)
    answer(folder)


def daemon(folder: Path) -> None:
    (read, write) = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(write, str(os.getpid()).encode())
            time.sleep(1000)
        os._exit(0)
    (folder / "daemon").write_bytes(os.read(read, 20))
    answer(folder)


def reply_twice(folder: Path) -> None:
    answer(folder)
    with (folder / "reply.json").open("a", encoding="utf-8") as stream:
        stream.write(json.dumps({"nonce": nonce(folder), "said": "again"}))


def reply_a_gigabyte(folder: Path) -> None:
    chunk = b"[" * (1 << 20)
    with (folder / "reply.json").open("wb") as stream:
        for _ in range(1024):
            stream.write(chunk)


def reply_just_too_much(folder: Path) -> None:
    text = json.dumps({"nonce": nonce(folder), "said": "x" * (1 << 20)})
    (folder / "reply.json").write_text(text, encoding="utf-8")


def reply_deeply(folder: Path) -> None:
    (folder / "reply.json").write_text("[" * 100_000, encoding="utf-8")


def reply_for_another(folder: Path) -> None:
    (folder / "reply.json").write_text('{"nonce": "0000000000000000", "said": "hello"}', encoding="utf-8")


def eat_memory(folder: Path) -> None:
    held = []
    while True:
        held.append(bytearray(64 << 20))


def flood_stderr(folder: Path) -> None:
    while True:
        os.write(2, b"x" * 65536)


def open_everything(folder: Path) -> None:
    while True:
        os.open("/dev/null", os.O_RDONLY)


def stop_itself(folder: Path) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def remove_its_folder(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


def reply_with_a_link(folder: Path) -> None:
    (folder / "elsewhere").write_text(json.dumps({"nonce": nonce(folder)}), encoding="utf-8")
    (folder / "reply.json").symlink_to(folder / "elsewhere")


def reply_with_a_pipe(folder: Path) -> None:
    os.mkfifo(folder / "reply.json")


def kill_the_server(folder: Path) -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(1000)


def tell_environment(folder: Path) -> None:
    reply = {"nonce": nonce(folder), "environment": dict(os.environ), "cwd": str(Path.cwd())}
    (folder / "reply.json").write_text(json.dumps(reply), encoding="utf-8")


def echo_tokens(folder: Path) -> None:
    with (folder / "go").open("rb") as go, (folder / "done").open("wb", buffering=0) as done:
        for line in go:
            done.write(line)


def answer_tokens_with_junk(folder: Path) -> None:
    with (folder / "go").open("rb") as go, (folder / "done").open("wb", buffering=0) as done:
        go.readline()
        done.write(b"\xff\xfe not json\n")
    time.sleep(1000)


def answer_tokens_for_ever(folder: Path) -> None:
    with (folder / "done").open("wb", buffering=0) as done:
        while True:
            done.write(b"x" * 4096)


ROLES = {
    name: role
    for name, role in globals().items()
    if callable(role) and getattr(role, "__module__", "") == __name__ and name != "nonce"
}

if __name__ == "__main__":
    serve(ROLES, int(sys.argv[-1]))
