"""When all that the edge and ModSecurity logged has arrived."""

import json
import time

from parts import PATIENCE, Failed


def wait_until_delivered(folder, all_parts):
    """Until all is delivered twice in a row: ModSecurity writes its record after its answer."""
    end = time.monotonic() + PATIENCE
    times = 0
    while times < 2:
        times = times + 1 if is_shipped(folder) and is_sealed(folder) else 0
        for part in all_parts:
            part.check()
        if time.monotonic() > end:
            raise Failed("not all events were delivered in time")
        time.sleep(0.2)


def is_shipped(folder):
    """Whether the receiver has acknowledged all events of the edge."""
    state, log = folder / "shipped.json", folder / "events.ndjson"
    return state.exists() and log.exists() and json.loads(state.read_text())["offset"] == log.stat().st_size


def is_sealed(folder):
    """Whether each line of the audit log is sealed."""
    logs = [folder / "audit.log", folder / "audit.sealed.ndjson"]
    return all(log.exists() for log in logs) and len({log.read_bytes().count(b"\n") for log in logs}) == 1
