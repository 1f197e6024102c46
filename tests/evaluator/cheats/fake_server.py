"""A fork server whose workers misbehave, each in one way."""

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

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


def tell_network(folder: Path) -> None:
    """Say what becomes of sockets of some families, here and in a process that this one starts."""
    families = {"inet": socket.AF_INET, "inet6": socket.AF_INET6, "netlink": 16, "unix": socket.AF_UNIX}
    found = {name: _try_socket(family) for name, family in families.items()}
    program = "import socket\ntry:\n socket.socket()\nexcept OSError as e:\n print(e.errno)"
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    reply = {"nonce": nonce(folder), **found, "child": child.stdout.strip()}
    (folder / "reply.json").write_text(json.dumps(reply), encoding="utf-8")


def _try_socket(family: int) -> int:
    try:
        socket.socket(family, socket.SOCK_DGRAM).close()
    except OSError as error:
        return error.errno or -1
    return 0


def tell_oom_score(folder: Path) -> None:
    score = Path("/proc/self/oom_score_adj").read_text(encoding="ascii").strip()
    (folder / "reply.json").write_text(json.dumps({"nonce": nonce(folder), "score": score}), encoding="utf-8")


def fill_its_folder(folder: Path) -> None:
    """Write files of a size that is allowed until there is no room."""
    for number in range(1_000_000):
        (folder / f"filler{number}").write_bytes(bytes(1 << 16))


def echo_tokens(folder: Path) -> None:
    with (folder / "go").open("rb") as go, (folder / "done").open("wb", buffering=0) as done:
        for line in go:
            done.write(line)


def spin_beside_tokens(folder: Path) -> None:
    """Answer tokens while a thread, and a process in another session, spin."""
    read, write = os.pipe()
    if os.fork() == 0:
        os.setsid()
        os.write(write, b"x")
        while True:
            pass
    os.read(read, 1)
    threading.Thread(target=_spin, daemon=True).start()
    echo_tokens(folder)


def follow_a_script(folder: Path) -> None:
    """Say of each batch what the request says, and write files before that, such as some of a fake `/sys`."""
    request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
    script = iter(request["script"])
    with (folder / "go").open("rb") as go, (folder / "done").open("wb", buffering=0) as done:
        for line in go:
            answer: dict[str, Any] = {"runs": 1, "single_ns": 1000}
            if json.loads(line)["do"] == "batch":
                answer = next(script)
                for path, text in answer.pop("files", {}).items():
                    Path(path).write_text(text, encoding="ascii")
            done.write(json.dumps(answer).encode() + b"\n")


def _spin() -> None:
    while True:
        pass


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
    if callable(role) and getattr(role, "__module__", "") == __name__ and name[0] != "_" and name != "nonce"
}

if __name__ == "__main__":
    serve(ROLES, int(sys.argv[-1]))
