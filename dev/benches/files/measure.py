"""Runs pqseal, age and rage by turns on the same files, and prints medians and ratios: lines of docs/performance.tsv. See `run`.

On one core the figure is user time, so that waiting for others does not count; on two cores it is the clock. Files that are
read and written are in memory (--memory), except the large ones of `rekey` and `--range` (--disk).
"""

import argparse
import contextlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import report

MIB = 1 << 20


def main():
    options = arguments()
    samples = {}
    parts = {"files": files, "memory": memory, "large": large}
    for name in options.only or parts:
        parts[name](options, samples)
    found = report.of(samples, options)
    print("".join("\t".join(figure) + "\n" for figure in found), end="")
    if not options.print:
        report.write(found)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", nargs=2, type=pathlib.Path, required=True)
    parser.add_argument("--mib", type=int, default=1024, help="size of a file in memory")
    parser.add_argument("--large-mib", type=int, default=10240, help="size of a file on the disk")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--memory", default="/dev/shm")
    parser.add_argument("--disk", default="/var/tmp")
    parser.add_argument("--only", action="append", choices=["files", "memory", "large"])
    parser.add_argument("--print", action="store_true", help="leave docs as they are")
    options = parser.parse_args()
    rust, peers = options.programs
    options.pqseal, options.cobblestone = rust / "pqseal", rust / "examples/cobblestone"
    options.age, options.keygen = peers / "age", peers / "age-keygen"
    options.rage = peers / "rage-release/bin/rage"
    options.cores = sorted(os.sched_getaffinity(0))
    return options


@contextlib.contextmanager
def folder(options, where):
    """A folder with keys, which is removed at the end."""
    with tempfile.TemporaryDirectory(dir=where, prefix="pqseal-bench-") as name:
        path = pathlib.Path(name)
        check([options.keygen, "-o", path / "id"])
        recipient = subprocess.run([options.keygen, "-y", path / "id"], check=True, capture_output=True, text=True)
        (path / "to").write_text(recipient.stdout)
        (path / "key").write_bytes(os.urandom(16))
        yield path


def check(command):
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)


def plain(path, mib):
    """Random bytes, of which 16 MiB repeat."""
    block = os.urandom(16 * MIB)
    with path.open("wb") as file:
        for _ in range(mib // 16):
            file.write(block)


def run(command, cores):
    """User and system time and the clock, in seconds."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stderr=subprocess.PIPE, preexec_fn=lambda: os.sched_setaffinity(0, cores))
    words = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    clock = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{command}: {words.decode()}")
    return {"user": usage.ru_utime, "system": usage.ru_stime, "clock": clock}


def peak(command):
    """The most resident memory, in bytes. The kernel's own figure (ru_maxrss) would be this program's, from which it is forked."""
    child = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    most = 0
    while child.poll() is None:
        with contextlib.suppress(OSError):
            found = re.search(r"VmHWM:\s*(\d+)", pathlib.Path(f"/proc/{child.pid}/status").read_text())
            most = int(found[1]) * 1024 if found else most
        time.sleep(0.002)
    return most


def candidates(options, path):
    """`{operation: {program: command to `out`}}`, where `plain` and the sealed files are in `path`."""
    age, rage, pqseal = options.age, options.rage, [options.pqseal, "file"]
    plain, out, to, identity = path / "plain", path / "out", path / "to", path / "id"
    cobblestone = lambda verb, source: [options.cobblestone, verb, path / "key", source, out]
    return {
        "encrypt": {
            "pqseal": [*pqseal, "encrypt", "-R", to, "-o", out, plain],
            "pqseal, Cobblestone-128": cobblestone("seal", plain),
            "age": [age, "-R", to, "-o", out, plain],
            "rage": [rage, "-R", to, "-o", out, plain],
        },
        "decrypt": {
            "pqseal": [*pqseal, "decrypt", "-i", identity, "-o", out, path / "sealed"],
            "pqseal, Cobblestone-128": cobblestone("open", path / "cobblestone"),
            "age": [age, "-d", "-i", identity, "-o", out, path / "sealed"],
            "rage": [rage, "-d", "-i", identity, "-o", out, path / "sealed"],
        },
    }


def files(options, samples):
    """Encrypt and decrypt, on one core and on two."""
    with folder(options, options.memory) as path:
        plain(path / "plain", options.mib)
        commands = candidates(options, path)
        seal(path, commands)
        for number in range(options.rounds):
            for operation, programs in commands.items():
                for program, command in programs.items():
                    for cores in (options.cores[:1], options.cores[:2]):
                        found = run(command, cores)
                        kept = samples.setdefault((operation, program, len(cores)), [])
                        kept.append(found)
                        (path / "out").unlink()
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr)


def seal(path, commands):
    """Makes what is decrypted, and sees that everyone opens it."""
    for program, name in {"age": "sealed", "pqseal, Cobblestone-128": "cobblestone"}.items():
        check(commands["encrypt"][program])
        (path / "out").rename(path / name)
    for program, command in commands["decrypt"].items():
        check(command)
        same = subprocess.run(["cmp", path / "plain", path / "out"]).returncode == 0
        (path / "out").unlink()
        if not same:
            sys.exit(f"{program} decrypts to something else")


def memory(options, samples):
    """The most memory, of small and of large files."""
    for mib in (16, options.mib):
        with folder(options, options.memory) as path:
            plain(path / "plain", mib)
            commands = candidates(options, path)
            seal(path, commands)
            for operation, programs in commands.items():
                for program, command in programs.items():
                    samples["memory", operation, program, mib] = peak(command)
                    (path / "out").unlink()


def large(options, samples):
    """Other recipients beside a copy, both until the copy is on the disk; in place; and the last MiB."""
    with folder(options, options.disk) as path:
        make(options, path / "to", path / "sealed")
        sealed, out = path / "sealed", path / "out"
        base = [options.pqseal, "file", "rekey", "-i", path / "id", "-R", path / "to"]
        commands = {
            "rekey": [*base, "-o", out, sealed],
            "cp": ["sh", "-c", 'cp "$0" "$1" && sync "$1"', sealed, out],
            "rekey, in place": [*base, sealed],
            "range": [options.pqseal, "file", "decrypt", "-i", path / "id", f"--range=-{MIB}", "-o", out, sealed],
        }
        for _ in range(min(3, options.rounds)):
            for name, command in commands.items():
                samples.setdefault(name, []).append(run(command, options.cores)["clock"])
                out.unlink(missing_ok=True)


def make(options, to, sealed):
    """A large sealed file, with room for other recipients."""
    command = [options.pqseal, "file", "encrypt", "-R", to, "-o", sealed, "--reserve"]
    encrypt = subprocess.Popen(command, stdin=subprocess.PIPE)
    block = bytes(16 * MIB)
    for _ in range(options.large_mib // 16):
        encrypt.stdin.write(block)
    encrypt.stdin.close()
    if encrypt.wait():
        sys.exit("the large file was not made")


main()
