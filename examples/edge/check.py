"""What was opened, next to what was sent."""

import collections
import json

from opened import OPENED, SEALED, lines

PUBLISHED = '{"http.request.version": "HTTP/1.1", "http.request.uri.path": "/cms/%0Aadmin"}'
# Of targets and bodies: none of it may be in a log that is stored. Base64 does not have it by
# chance.
IN_THE_CLEAR = ["/cms/%0A", "?action", "/comments/", "etc/passwd", "UNION SELECT", "<script"]
# Python ends by the signal itself.
PROGRAMS = ["edge", "nginx", "receiver", "sealer"]


def report(folder, sent, opened, codes, with_kills):
    """Prints what holds and what does not; how many passed and failed."""
    checks = [
        *of_events(sent, opened, with_kills),
        *of_audit(folder, sent, opened, with_kills),
        *of_answers(folder, sent, with_kills),
        *of_logs(folder),
        ("each program ended with 0 when it was asked to end", not any(codes[name] for name in PROGRAMS)),
    ]
    for name, is_so in checks:
        print("ok    " if is_so else "FAILED", name)
    passed = sum(is_so for _, is_so in checks)
    return passed, len(checks) - passed


def of_events(sent, opened, with_kills):
    """The events of the edge. A request that was sent again may have several; an unanswered one may have none."""
    answered, attempts = collections.Counter(), collections.Counter()
    for each in sent:
        if each.request.matched:
            answered[each.request.matched] += each.status != 0
            attempts[each.request.matched] += each.attempts
    found = collections.Counter(event["Metadata"]["decrypted_matched_data"] for event in opened.events)
    is_so = all(answered[data] <= found[data] <= attempts[data] for data in attempts | found)
    yield f"command line: {found.total()} events of {answered.total()} answered requests, each with what the rule read", is_so
    yield "command line: the published JSON of the published request", PUBLISHED in found

    yield "page: the same events, the same bytes as on the command line", opened.has_same_events_in_page
    received = [named(event) for event in opened.received]
    again = len(received) - len(set(received))
    is_so = set(received) == set(map(named, opened.events)) and (with_kills or not again)
    yield f"receiver: the same events, and {again} of them again", is_so


def named(event):
    """An event by what identifies it, and what is sealed in it."""
    return event["RayID"], event["MatchIndex"], event["Metadata"]["decrypted_matched_data"]


def of_audit(folder, sent, opened, with_kills):
    """The records of ModSecurity, which writes them after it answered: a kill between the two leaves none."""
    original = (folder / "audit.log").read_text()
    records = [record_of(line) for line in lines(original)]
    yield f"command line: {len(records)} records of ModSecurity, the same bytes as before they were sealed", opened.audit == original

    in_page = [restored(record) for record in opened.audit_in_page]
    yield f"page: the same {len(in_page)} records, with what was sealed in them", in_page == records

    found = collections.defaultdict(list)
    for record in records:
        if transaction := record.get("transaction"):
            found[transaction["request"]["uri"]] += [message["details"] for message in transaction["messages"]]
    blocked = [each.request for each in sent if each.request.attack and each.status == 403]
    count = sum(is_found(request, found[request.target]) for request in blocked)
    yield f"ModSecurity: {count} records of {len(blocked)} blocked attacks, by the rules that cover them", with_kills or count == len(blocked)


def record_of(line):
    """A line that was cut off by a kill is sealed as a whole, under this name."""
    value = value_of(line)
    return value if isinstance(value, dict) else {"record": value}


def value_of(text):
    """JSON, or a line that was cut off."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def restored(value):
    """A record before it was sealed, from what the page saved: each result as text, beside what is sealed."""
    if isinstance(value, list):
        return [restored(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name.removeprefix(OPENED): value_of(each) if name.startswith(OPENED) else restored(each)
        for name, each in value.items()
        if not name.startswith(SEALED)
    }


def is_found(request, details):
    return any(detail["ruleId"].startswith(request.rules) and request.attack in detail["data"] for detail in details)


def of_answers(folder, sent, with_kills):
    reached = (folder / "upstream.log").read_text().splitlines()
    passed = {each.request.target for each in sent if each.status == 200}
    may_pass = {each.request.target for each in sent if each.request.passes}
    yield f"server: it got the {len(passed)} harmless requests that were answered, and no attack", passed <= set(reached) <= may_pass
    if not with_kills:
        is_so = all(each.status == (200 if each.request.passes else 403) for each in sent)
        yield f"clients: {len(sent)} requests, each answered as expected", is_so and len(reached) == len(passed)


def of_logs(folder):
    logs = ["events.ndjson", "audit.sealed.ndjson", *(path.name for path in folder.glob("*.err"))]
    clear = [name for name in logs if any(part in (folder / name).read_text() for part in IN_THE_CLEAR)]
    yield f"{', '.join(clear) or 'stored logs'}: nothing of a request in the clear", not clear
