#!/usr/bin/env python3
"""Prints what `turnstone --json log [--all]` says of one recorded folder, from its files alone.

    python3 reader.py STORE/roots/KEY [--all]

Written from src/core/journal/FORMAT.md and nothing else, in another language than Turnstone's own: as long as the two
agree, that document is enough to read a history. What is wrong with the files is said in words on standard error, and
what can be read is printed all the same. Exit codes: 0; 1 a content needs zstd, which this Python has not; 2 usage;
5 the journal is damaged or a record is not sound.
"""
import hashlib
import json
import re
import struct
import sys
import zlib
from datetime import datetime, timedelta, timezone
from pathlib import Path

COUNTED_BYTES = 262_144
COUNTED_LINES = 4_000
EMPTY = hashlib.sha256(b"").hexdigest()
DIGITS = "23456789bcdfghjkmnpqrstvwxyz"


# Journal: checked lines, and the records in them.

class Trouble:
    """What is not as it should be, in words, and the exit code that it asks for."""

    def __init__(self):
        self.words, self.code = [], 0

    def say(self, words, code):
        self.code = max(self.code, code)
        if words not in self.words:
            self.words.append(words)


def checked(line):
    """The object in a line without its line feed; None if its checksum is wrong."""
    if line[8:9] != b" " or line[:8] != b"%08x" % zlib.crc32(line[9:]):
        return None
    try:
        return json.loads(line[9:].decode("utf-8", "replace"))
    except ValueError:
        return {}


def torn(line, begin):
    """Whether a line behind the last good one can be of a write that was not synced, which began at that byte or before."""
    # A line feed may be lost, too: then a batch hangs on to the bad line before it.
    hanging = [] if checked(line) is not None else [line[found.start():] for found in re.finditer(rb'[0-9a-f]{8} \{"seq":', line)]
    values = [value for value in map(checked, [line, *hanging]) if value is not None]
    return all(batch(value) and value.get("write", begin + 1) <= begin for value in values)


def one_byte_wrong(before, after):
    """Bytes with digits between them, of which any one may be another."""
    def spoiled(part):
        return [re.escape(part[:index]) + b"." + re.escape(part[index + 1:]) for index in range(len(part))]
    first, last = re.escape(before), re.escape(after)
    ways = [first + rb"\d*.\d*" + last, *(way + rb"\d+" + last for way in spoiled(before)), *(first + rb"\d+" + way for way in spoiled(after))]
    return re.compile(b"|".join(ways), re.DOTALL)


BEGAN_ITSELF = one_byte_wrong(b',"tick":', b',"records":[')


def later_write(rest, begin):
    """Whether what is behind the last good line says, though its checksums are wrong, that a part of it was written later."""
    return (any(found.start() >= 80 for found in BEGAN_ITSELF.finditer(rest))
            or any(int(found[1]) > begin for found in re.finditer(rb'"write":(\d+),"records":\[', rest)))


def generation_names(directory):
    return sorted((path for path in directory.glob("generations/*") if re.fullmatch(r"[0-9]{12}\.gen", path.name)), reverse=True)


def newest_seen(directory):
    """The newest record that a generation says was there, and where its line ends: (record, segment, offset, CRC); None without one."""
    for path in generation_names(directory):
        frames, newest = path.read_bytes(), None
        while len(frames) >= 53 and frames[:4] == b"TSG1":
            end = 53 + struct.unpack_from("<I", frames, 39)[0]
            if len(frames) < end or zlib.crc32(frames[53:end], zlib.crc32(frames[:49])) != struct.unpack_from("<I", frames, 49)[0]:
                break
            place = struct.unpack_from("<I", frames, 21)[0], int.from_bytes(frames[25:31], "little"), b"%08x" % struct.unpack_from("<I", frames, 31)[0]
            newest = max(newest or (0,), (int.from_bytes(frames[11:17], "little"), *place), key=lambda one: one[0])
            frames = frames[end:]
        if newest is not None:
            return newest
    return None


def was_begun(directory):
    contents = any(path.name == "index" or re.fullmatch(r"[0-9]{6}\.pack", path.name) for path in directory.glob("blobs/*"))
    return contents or generation_names(directory) != []


def batches(directory, store, trouble):
    """Every batch up to the end, the torn end or the first damage."""
    def damage(where):
        trouble.say(f"The journal is damaged: {where}. What is before that is shown.", 5)

    def ends(segment, offset, seq):
        newest = newest_seen(directory)
        if newest is not None and newest[0] < seq and newest not in ended:
            damage("%06d.log at byte %d, where there was another record %d" % (newest[1], newest[2], newest[0]))
        elif newest is not None and newest[0] >= seq or segment == 1 and offset == 0 and was_begun(directory):
            damage("%06d.log at byte %d, where there was more" % (segment, offset))

    ended = set()
    names = sorted(path.name for path in directory.glob("journal/*") if re.fullmatch(r"[0-9]{6}\.log", path.name))
    prev, seq = "00000000", 1
    for segment, name in enumerate(names, 1):
        if name != "%06d.log" % segment:
            return damage("segment %06d.log is missing" % segment)
        *lines, rest = (directory / "journal" / name).read_bytes().split(b"\n")
        offset, last = 0, name == names[-1]
        for index, line in enumerate(lines):
            value = checked(line)
            if index == 0:
                fits = header(value) and value["segment"] == segment and value["store"] == store
            else:
                fits = batch(value)
            if not fits or value["prev"] != prev or value["seq"] != seq:
                behind = b"\n".join([*lines[index:], rest])
                if last and all(torn(later, offset) for later in lines[index:]) and not later_write(behind, offset):
                    return ends(segment, offset, seq)
                return damage(f"{name} at byte {offset}")
            if index > 0:
                yield value
                seq += len(value["records"])
            prev, offset = line[:8].decode(), offset + len(line) + 1
            if index > 0:
                ended.add((seq - 1, segment, offset, line[:8]))
        if rest != b"" and later_write(rest, offset) or not last and (rest != b"" or not lines):
            return damage(f"{name} at byte {offset}")
        if last:
            return ends(segment, offset, seq)
    return ends(segment=1, offset=0, seq=1)


# Shapes: a field whose name ends with `_` may be missing.

def text(value):
    return isinstance(value, str)


def number(value):
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2 ** 53


def count(value):
    return number(value) and value >= 0


def flag(value):
    return isinstance(value, bool)


def a_hash(value):
    return text(value) and re.fullmatch("[0-9a-f]{64}", value) is not None


def an_id(value):
    return text(value) and re.fullmatch(r"[A-Za-z0-9_-]+", value) is not None


def path(value):
    if not text(value) or "\0" in value or re.match(r"[A-Za-z]:[/\\]", value):
        return False
    return not any(part in ("", ".", "..") or part.lower().rstrip(". ") in (".git", "git~1") for part in value.split("/"))


def one_of(*values):
    return lambda value: value in values


def list_of(check):
    return lambda value: isinstance(value, list) and all(map(check, value))


def fields(**checks):
    def check(value):
        return isinstance(value, dict) and all(
            one(value[name.rstrip("_")]) if name.rstrip("_") in value else name.endswith("_") for name, one in checks.items())
    return check


STATES = {
    "content": fields(hash=a_hash, mode=number, size=number),
    "oversize": fields(hash=a_hash, mode=number, size=number),
    "directory": fields(mode=number),
    "link": fields(target=text),
    "unreadable": fields(reason=text),
    "special": fields(),
    "absent": fields(),
}


def state(value):
    return isinstance(value, dict) and text(value.get("kind")) and value["kind"] in STATES and STATES[value["kind"]](value)


header = fields(turnstone=one_of("journal"), format=one_of(1), store=text, segment=count, seq=count, prev=text)
batch = fields(seq=count, prev=text, at=count, tick=count, write_=count, records=lambda value: isinstance(value, list) and value != [])
folder = fields(path=path, mode=number)
SHAPES = {
    "session.open": fields(session=text, agent=text, agentSession=text, transcript_=text, title_=a_hash),
    "turn.open": fields(session=text, turn=text, prompt_=a_hash, codeHead_=text, conversationHead_=text, elsewhere_=flag),
    "turn.resume": fields(session=text, turn=text, resumes=text),
    "turn.close": fields(session=text, turn=text, outcome=one_of("closed", "interrupted")),
    "call.open": fields(
        session=text, turn=text, call=text, tool=text, agentCall_=text, delegate_=text, undeclared_=flag,
        paths=list_of(fields(path=path, before=state, missing=list_of(path), expects_=a_hash)),
        outside_=list_of(fields(path=text, reason=text))),
    "call.report": fields(session=text, turn=text, call=text, paths=list_of(fields(path=path, expects_=a_hash))),
    "call.close": fields(
        session=text, turn=text, call=text, outcome=one_of("done", "failed", "interrupted", "cancelled"),
        paths=list_of(fields(path=path, found_=state, after=state, made=list_of(folder)))),
    "effects": fields(
        session=text, turn=text, call=text, candidates_=list_of(text), isComplete=flag, uncovered=list_of(fields(path=text, reason=text)),
        paths=list_of(fields(path=path, before=state, after=state, made_=list_of(folder))), removed_=list_of(folder), made_=list_of(folder)),
    "step": fields(session=text, turn=text, step=text, label_=a_hash),
    "checkpoint": fields(checkpoint=text, label_=a_hash),
    "drift": fields(paths=list_of(fields(path=path, after=state))),
    "gap": fields(session=text, turn_=text, tool_=text, happenedAt=number, reason=text),
    "restore.intent": fields(
        operation=an_id, kind=one_of("rewind", "rollback", "undo", "redo", "switch", "fork"),
        scope=one_of("code", "conversation", "both"), reach=one_of("session", "workspace"), session_=text, target=text,
        fromSeq=number, calls_=list_of(text), owner=fields(host=text, boot=text, pid=number, started=text),
        roots_=list_of(fields(key=text, store=text)), emptied=list_of(folder), made=list_of(folder),
        paths=list_of(fields(
            path=path, action=one_of("restore", "create", "delete", "merge"), before=state, after=state, inPlace_=flag, unsaved_=a_hash)),
        left=list_of(fields(path=path, action=one_of("unchanged", "conflict", "unavailable"), reason_=text))),
    "restore.done": fields(
        operation=an_id, recovered_=flag, cancelled_=flag, removed=list_of(folder), made=list_of(folder),
        paths=list_of(fields(path=path, outcome=one_of("done", "failed", "skipped"), after=state, reason_=text))),
}


# States.

def same_content(a, b):
    if a is None or b is None:
        return False
    if "hash" in a or "hash" in b:
        return a.get("hash") == b.get("hash")
    no_file = ("absent", "directory")
    return a["kind"] in no_file and b["kind"] in no_file or a["kind"] == b["kind"] == "link" and a["target"] == b["target"]


def same_state(a, b):
    return same_content(a, b) and a.get("mode") == b.get("mode")


MOVES = ("rewind", "switch", "fork")
NOT_KEPT = {"oversize": "it was too large", "unreadable": "it could not be read", "special": "it was neither a file nor a link"}


# Folding.

class Session:
    def __init__(self):
        self.agent = "unknown"
        self.turns = []


class Turn:
    def __init__(self, turn, seq, at, session):
        self.id, self.seq, self.at, self.session = turn, seq, at, session
        self.prompt, self.state, self.calls, self.gaps = None, "open", [], []


class Call:
    def __init__(self, record, seq, turn):
        self.id, self.seq, self.session, self.turn = record["call"], seq, record["session"], turn
        self.tool, self.by_agent, self.outcome, self.reported = record["tool"], "agentCall" in record, "open", False
        self.before, self.after, self.expects, self.gaps, self.undeclared = {}, {}, {}, [], record.get("undeclared", False)


class Operation:
    def __init__(self, record, seq):
        self.id, self.seq, self.kind, self.scope = record["operation"], seq, record["kind"], record["scope"]
        self.target, self.from_seq, self.calls = record["target"], record["fromSeq"], record.get("calls", [])
        self.session = record.get("session") if record["reach"] == "session" else None
        self.intent, self.done = record, None

    def goes_past(self, earlier):
        return self.kind in MOVES and self.from_seq <= earlier.seq

    def covers(self, path):
        outcomes = [item["outcome"] for item in self.done["paths"] if item["path"] == path]
        if outcomes:
            return outcomes[0] == "done"
        return any(item["path"] == path and item["action"] == "unchanged" for item in self.intent["left"])


class History:
    """All that the records say. `changes` has for each path (seq, before, after, call or None)."""

    def __init__(self):
        self.sessions, self.turns, self.calls, self.operations = {}, {}, {}, {}
        self.resumed, self.last, self.changes, self.open_calls = {}, {}, {}, {}

    def fold(self, seq, at, record):
        """Takes in a record that has its shape; there is one method for each type."""
        getattr(self, record["type"].replace(".", "_"))(seq, at, record)

    # What a record means.

    def session_of(self, record):
        return self.sessions.setdefault(record["session"], Session())

    def turn_of(self, seq, at, record):
        session, turn = self.session_of(record), record["turn"]
        if turn == "current":
            turn = session.turns[-1].id if session.turns else record["session"] + " without a prompt"
        turn = self.resumed.get(turn, turn)
        if turn not in self.turns:
            self.turns[turn] = Turn(turn, seq, at, record["session"])
            session.turns.append(self.turns[turn])
        return self.turns[turn]

    def observe(self, seq, path, observed):
        last = self.last.get(path)
        if observed["kind"] == "unreadable" and last is not None:
            return
        if last is not None and not same_content(last, observed):
            expecting = (call for call in self.open_calls.get(path, []) if call.expects.get(path, "") == observed.get("hash"))
            self.changes.setdefault(path, []).append((seq, last, observed, next(expecting, None)))
        self.last[path] = observed

    def change(self, seq, path, before, after, owner):
        unknown = before["kind"] == after["kind"] and before["kind"] in ("special", "unreadable")
        if not unknown and not same_state(before, after):
            self.changes.setdefault(path, []).append((seq, before, after, owner))
        self.last[path] = after

    # The records.

    def session_open(self, seq, at, record):
        self.session_of(record).agent = record["agent"]

    def turn_open(self, seq, at, record):
        turn = self.turn_of(seq, at, record)
        turn.prompt = turn.prompt or record.get("prompt")
        if turn.state == "interrupted" and turn.id == record["turn"]:
            turn.state = "open"

    def turn_close(self, seq, at, record):
        turn = self.turn_of(seq, at, record)
        if turn.state != "closed":
            turn.state = record["outcome"]

    def turn_resume(self, seq, at, record):
        if record["resumes"] in self.turns and record["turn"] not in self.turns:
            self.resumed[record["turn"]] = record["resumes"]

    def call_open(self, seq, at, record):
        if record["call"] in self.calls:
            return
        turn = self.turn_of(seq, at, record)
        call = self.calls[record["call"]] = Call(record, seq, turn)
        turn.calls.append(call)
        if record.get("undeclared"):
            call.gaps.append(f"{call.tool}: what it changed is not tracked")
        for item in record.get("outside", []):
            call.gaps.append(f"{call.tool} {item['path']}: not tracked, {item['reason']}")
        for item in record["paths"]:
            path, before = item["path"], item["before"]
            self.observe(seq, path, before)
            call.before[path] = before
            if "expects" in item:
                call.expects[path] = item["expects"]
            self.open_calls.setdefault(path, []).append(call)
            if before["kind"] in NOT_KEPT:
                call.gaps.append(f"{path}: what was there before is not kept, {NOT_KEPT[before['kind']]}")
        turn.gaps.extend(call.gaps)

    def call_report(self, seq, at, record):
        call = self.calls.get(record["call"])
        if call is None or call.outcome != "open":
            return
        call.reported = True
        for item in record["paths"]:
            if item["path"] in call.before:
                call.expects.pop(item["path"], None)
                if "expects" in item:
                    call.expects[item["path"]] = item["expects"]

    def call_close(self, seq, at, record):
        call = self.calls.get(record["call"])
        if call is None:
            turn = self.turn_of(seq, at, record)
            for item in record["paths"]:
                self.observe(seq, item["path"], item["after"])
                turn.gaps.append(f"{item['path']}: not recorded, what was there before the call is not known")
            return
        outcome, was_open = record["outcome"], call.outcome == "open"
        report = outcome != "interrupted" and (was_open or not call.reported)
        call.reported = call.reported or report
        if call.outcome in ("open", "interrupted"):
            call.outcome = outcome
        for path in call.before:
            self.open_calls[path] = [other for other in self.open_calls.get(path, []) if other is not call]
        if outcome == "cancelled":
            for gap in call.gaps:
                if gap in call.turn.gaps:
                    call.turn.gaps.remove(gap)
        for item in record["paths"]:
            if item["path"] in call.before:
                self.close_path(seq, call, item, outcome, was_open, report)
            else:
                self.observe(seq, item["path"], item["after"])

    def close_path(self, seq, call, item, outcome, was_open, report):
        path, after, found, before = item["path"], item["after"], item.get("found"), call.before[item["path"]]
        first = report and (was_open or same_content(call.after.get(path), before))
        blurred = False
        if report and found is not None and same_content(self.last.get(path), before):
            self.observe(seq, path, found)
            blurred = found["kind"] == "unreadable"
        expected = "hash" in after and after["hash"] == call.expects.get(path)
        by_report = first and (outcome == "done" or outcome == "failed" and not call.by_agent)
        if not blurred and (by_report or expected):
            self.change(seq, path, self.last[path], after, call)
            call.after[path] = after
            return
        since = [change for change in self.changes.get(path, []) if change[0] > call.seq]
        of_others = bool(since) and same_content(since[-1][2], after) and all(isinstance(owner, Call) and owner is not call for _, _, _, owner in since)
        if (blurred or was_open and not of_others) and not same_content(after, before):
            call.turn.gaps.append(f"{path}: changed while {call.tool} was open, and not provably by it")
        self.observe(seq, path, after)
        call.after.setdefault(path, before)

    def effects(self, seq, at, record):
        call = self.calls.get(record["call"])
        candidates = [self.calls[name] for name in record.get("candidates", []) if name in self.calls]
        for item in record["paths"]:
            path, before, after = item["path"], item["before"], item["after"]
            self.observe(seq, path, before)
            if call is not None and not candidates:
                self.change(seq, path, before, after, call)
                if before["kind"] in NOT_KEPT:
                    gap = f"{path}: what was there before is not kept, {NOT_KEPT[before['kind']]}"
                    call.turn.gaps.append(gap)
                    if path not in call.before:
                        call.gaps.append(gap)
                call.before.setdefault(path, before)
                call.after[path] = after
            else:
                self.observe(seq, path, after)
            self.doubt(path, candidates)
        if call is None or candidates:
            removed, made = ([item["path"] for item in record.get(name, [])] for name in ("removed", "made"))
            for folder in dict.fromkeys(removed + made):
                if folder in removed and folder in made or not any(item["path"].startswith(folder + "/") for item in record["paths"]):
                    self.doubt(folder, candidates)
        if call is None:
            return
        untracked = f"{call.tool}: what it changed is not tracked"
        if record["isComplete"] and call.undeclared and untracked in call.turn.gaps:
            call.turn.gaps.remove(untracked)
        for item in record["uncovered"]:
            call.turn.gaps.append(f"{call.tool}{' ' if item['path'] else ''}{item['path']}: not tracked, {item['reason']}")

    def doubt(self, path, candidates):
        """Nobody knows which of the candidates changed it."""
        for turn in dict.fromkeys(candidate.turn for candidate in candidates):
            doubt = f"changed while {candidates[0].tool} was running in the background, and not provably by it"
            if len(candidates) > 1:
                doubt = "changed while several calls were open, and which of them did it is not known"
            turn.gaps.append(f"{path}: {doubt}")

    def drift(self, seq, at, record):
        for item in record["paths"]:
            self.observe(seq, item["path"], item["after"])

    def step(self, seq, at, record):
        self.turn_of(seq, at, record)

    def gap(self, seq, at, record):
        session = self.session_of(record)
        turn = self.turn_of(seq, at, record) if "turn" in record else session.turns[-1] if session.turns else None
        if turn is not None:
            turn.gaps.append(f"{record.get('tool', 'an event')}: not recorded, {record['reason']}")

    def checkpoint(self, seq, at, record):
        pass

    def restore_intent(self, seq, at, record):
        self.operations.setdefault(record["operation"], Operation(record, seq))

    def restore_done(self, seq, at, record):
        operation = self.operations.get(record["operation"])
        if operation is None or operation.done is not None:
            return
        operation.done = record
        intended = {item["path"]: item["before"] for item in operation.intent["paths"]}
        for item in record["paths"]:
            path = item["path"]
            if path not in intended or item["outcome"] != "done":
                self.observe(seq, path, item["after"])
            else:
                self.observe(seq, path, intended[path])
                self.change(seq, path, intended[path], item["after"], None)


# What is in force.

class Standing:
    """What stands just before a place of the history: for each session (None: for nobody), the operations in force, latest first."""

    def __init__(self, history, place=float("inf"), earlier=None):
        self.history, self.place, self.forces, self.earlier = history, place, {}, {} if earlier is None else earlier

    def force(self, session):
        if session not in self.forces:
            force, undone = self.forces.setdefault(session, []), set()
            for one in reversed(code_operations(self.history)):
                if one.seq >= self.place or one.session not in (None, session) or one.id in undone or any(later.goes_past(one) for later in force):
                    continue
                force.append(one)
                if one.kind in ("undo", "redo") and one.target in (other.id for other in self.before(one.seq).force(session)):
                    undone.add(one.target)
        return self.forces[session]

    def before(self, place):
        """What stood just before an earlier place."""
        return self.earlier.setdefault(place, Standing(self.history, place, self.earlier))

    def abandoned(self, entry):
        """The operation that abandoned a turn or call; None if it stands."""
        moves = (one for one in self.force(entry.session) if one.kind in MOVES and one.from_seq <= entry.seq < one.seq)
        return next(moves, None)

    def rolled_back(self, call, path):
        rollbacks = [one for one in self.force(call.session) if one.kind == "rollback" and call.id in one.calls]
        abandoned = self.abandoned(call)
        return any(one.covers(path) for one in rollbacks + ([abandoned] if abandoned else []))

    def active_path(self):
        """Turns, calls and rollbacks that stand, in order."""
        everybody = {None, *self.history.sessions, *(one.session for one in self.history.operations.values())}
        rollbacks = {one for each in everybody for one in self.force(each) if one.kind == "rollback"}
        entries = [one for one in [*self.history.turns.values(), *self.history.calls.values()] if one.seq < self.place and not self.abandoned(one)]
        return sorted([*entries, *rollbacks], key=lambda one: one.seq)


def code_operations(history):
    done = [one for one in history.operations.values() if one.done is not None and not one.done.get("cancelled")]
    return sorted((one for one in done if one.scope in ("code", "both")), key=lambda one: one.seq)


# Branches.

def branch_id(origin):
    digest = hashlib.sha256(json.dumps(["branch", origin], separators=(",", ":"), ensure_ascii=False).encode()).digest()
    value, digits = int.from_bytes(digest[:16], "big"), ""
    for _ in range(16):
        value, digit = divmod(value, len(DIGITS))
        digits += DIGITS[digit]
    return "b-" + digits


def begins(path, other):
    """Whether a path is the beginning of another one, for each session by itself."""
    def of(session, entries):
        return [one for one in entries if one.session == session]

    return all(of(session, path) == of(session, other)[:len(of(session, path))] for session in {one.session for one in path})


def listed_branches(history):
    """(id of the branch, ids of its own turns), the one left last first."""
    current, left, lines_before = branch_id("first"), {}, {}

    def path_of(line):
        return Standing(history, left[line].seq).active_path()

    def is_again(line, operation):
        return path_of(line) == [one for one in Standing(history, operation.seq + 1).active_path() if one.seq < left[line].seq]

    for one in code_operations(history):
        goes_back = one.kind in ("undo", "redo") and one.target in lines_before
        if not goes_back and one.kind not in MOVES:
            continue
        before = current
        left[current], lines_before[one.id] = one, current
        if goes_back:
            known = is_again(lines_before[one.target], one)
        else:
            known = one.kind == "switch" and (one.target == before or one.target in left and is_again(one.target, one))
        current = (lines_before[one.target] if goes_back else one.target) if known else branch_id(one.id)
    lines = [(line, path_of(line)) for line in sorted(left, key=lambda line: -left[line].seq) if line != current]
    active, listed = Standing(history).active_path(), []
    for index, (line, path) in enumerate(lines):
        others = [(at, other) for at, (_, other) in enumerate(lines) if at != index]
        if begins(path, active) or any(begins(path, other) and (path != other or other in (seen for _, seen, _ in listed)) for at, other in others):
            continue
        listed.append((line, path, {one.turn.id if isinstance(one, Call) else one.id for one in path if one not in active and not isinstance(one, Operation)}))
    return [(line, own) for line, _, own in listed]


# Contents.

class Contents:
    """Every content in the packs, by hash."""

    def __init__(self, directory, trouble):
        self.places, self.trouble = {}, trouble
        for pack in sorted((directory / "blobs").glob("*.pack")):
            data, at = pack.read_bytes(), 0
            while at is not None:
                at = self.frame(data, at)

    def frame(self, data, at):
        """Where the frame ends; None if there is no whole one here."""
        if data[at:at + 4] != b"TSF1" or at + 18 > len(data):
            return None
        codec, count, stored, _ = struct.unpack_from("<BBII", data, at + 4)
        table, body = at + 14, at + 18 + 36 * count
        if body + stored > len(data) or struct.unpack_from("<I", data, body - 4)[0] != zlib.crc32(data[at:body - 4]):
            return None
        begin = 0
        for index in range(count):
            digest, length = struct.unpack_from("<32sI", data, table + 36 * index)
            self.places[digest.hex()] = (codec, data[body:body + stored], begin, length)
            begin += length
        return body + stored

    def get(self, digest):
        """The bytes with this hash; None, and a word about it, if they are not to be had."""
        if digest == EMPTY:
            return b""
        if digest not in self.places:
            return self.trouble.say(f"The content {digest} is in no pack.", 0)
        codec, body, begin, length = self.places[digest]
        try:
            content = UNPACK[codec](body)[begin:begin + length]
        except ImportError:
            return self.trouble.say(f"The content {digest} is packed with zstd: to read it, Python 3.14 or newer is needed.", 1)
        except Exception as error:  # Each decoder has errors of its own.
            return self.trouble.say(f"The content {digest} can't be unpacked: {error}.", 0)
        if hashlib.sha256(content).hexdigest() != digest:
            return self.trouble.say(f"The content {digest} is damaged.", 0)
        return content


def unpack_zstd(body):
    from compression import zstd
    return zstd.decompress(body)


UNPACK = {0: bytes, 1: lambda body: zlib.decompress(body, -15), 2: unpack_zstd}


# The document.

def decoded(content):
    """A content's text; None if it is binary."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if content.startswith(mark):
            return content[len(mark):].decode(encoding, "replace")
    if b"\0" in content[:8000]:
        return None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def lines_of(text):
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def common_lines(a, b):
    """The length of the longest common subsequence, all positions of `a` at once in the bits of one number."""
    where = {}
    for index, line in enumerate(a):
        where[line] = where.get(line, 0) | 1 << index
    everywhere = row = (1 << len(a)) - 1
    for line in b:
        matches = row & where.get(line, 0)
        row = (row + matches | row - matches) & everywhere
    return len(a) - bin(row).count("1")


def counted(contents, before, after):
    """(added, removed) lines."""
    texts = []
    for one in (before, after):
        if one["kind"] not in ("content", "absent"):
            return 0, 0
        content = b"" if one["kind"] == "absent" else contents.get(one["hash"])
        text = None if content is None or len(content) > COUNTED_BYTES else decoded(content)
        if text is None:
            return 0, 0
        texts.append(lines_of(text))
    a, b = texts
    if abs(len(a) - len(b)) > COUNTED_LINES:
        return 0, 0
    while a and b and a[-1] == b[-1]:
        a.pop(), b.pop()
    start = next((index for index, (one, other) in enumerate(zip(a, b)) if one != other), min(len(a), len(b)))
    a, b = a[start:], b[start:]
    common = common_lines(a, b)
    added, removed = len(b) - common, len(a) - common
    return (added, removed) if added + removed <= COUNTED_LINES else (0, 0)


def files_of(turn, history, standing, contents, root):
    files = []
    paths = {path for call in turn.calls for path in call.before}
    for path in sorted(paths, key=lambda one: one.encode("utf-16-be", "surrogatepass")):
        changes = [one for one in history.changes.get(path, []) if one[3] in turn.calls]
        if not changes or same_state(changes[0][1], changes[-1][2]):
            continue
        before, after = changes[0][1], changes[-1][2]
        status = "added" if before["kind"] == "absent" else "deleted" if after["kind"] == "absent" else "modified"
        added, removed = counted(contents, before, after)
        back = [standing.rolled_back(owner, path) for _, _, _, owner in changes]
        state = "rolledBack" if all(back) else "partly" if any(back) else "active"
        files.append({"root": root, "path": path, "status": status, "added": added, "removed": removed, "state": state})
    return files


def prompt_of(turn, contents):
    prompt = None if turn.prompt is None else contents.get(turn.prompt)
    return "(prompt not recorded)" if prompt is None else prompt.decode("utf-8", "replace")


def opened_at(at):
    time = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=at)
    return time.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (time.microsecond // 1000)


def log(history, contents, root, everything):
    standing, branches, turns = Standing(history), listed_branches(history), []
    for turn in sorted(history.turns.values(), key=lambda one: -one.seq):
        left = all(map(standing.abandoned, [turn, *turn.calls]))
        if left and not everything:
            continue
        reasons = list(dict.fromkeys(turn.gaps))
        turns.append({
            "id": turn.id,
            "seq": turn.seq,
            "session": turn.session,
            "agent": history.sessions[turn.session].agent,
            "prompt": prompt_of(turn, contents),
            "openedAt": opened_at(turn.at),
            "state": turn.state,
            "branch": next((line for line, own in branches if turn.id in own), None) if left else None,
            "coverage": {"state": "partly" if reasons else "full", "reasons": reasons},
            "files": files_of(turn, history, standing, contents, root),
        })
    return {"turns": turns}


def main(parameters):
    directories = [one for one in parameters if one != "--all"]
    if len(directories) != 1:
        print("usage: python3 reader.py STORE/roots/KEY [--all]", file=sys.stderr)
        return 2
    directory, trouble, history = Path(directories[0]), Trouble(), History()
    try:
        root = json.loads((directory / "root.json").read_text("utf-8"))
        if root["format"] != 1:
            raise ValueError(f"its format is {root['format']}")
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"{directory / 'root.json'} can't be read: {error}.", file=sys.stderr)
        return 5
    for one in batches(directory, root["store"], trouble):
        for seq, record in enumerate(one["records"], one["seq"]):
            kind = record.get("type") if isinstance(record, dict) else None
            if not text(kind) or kind in SHAPES and not SHAPES[kind](record):
                trouble.say(f"Record {seq} ({kind}) is not sound. The history is shown without it.", 5)
            elif kind in SHAPES:
                history.fold(seq, one["at"], record)
    print(json.dumps(log(history, Contents(directory, trouble), root["path"], "--all" in parameters), indent=2))
    for words in trouble.words:
        print(words, file=sys.stderr)
    return trouble.code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
