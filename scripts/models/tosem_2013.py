"""The classes of fixtures/tosem-2013, written a second time, by hand."""

import itertools
from collections import namedtuple

from .model import NONE, Model, Raised, always, record, unchanged

BOTH = (False, True)


def linked_list(add, remove):
    """The list: None for NULL, or its size, its first node, and each node's next; nodes are numbers, None for null."""
    C = namedtuple("C", "size first nexts")
    all_of = [None]
    for nodes in range(4):
        places = (None, *range(nodes))
        for size, first in itertools.product(range(-1, 4), places):
            all_of += [C(size, first, nexts) for nexts in itertools.product(places, repeat=nodes)]

    def destroy(c):
        return None if chain(c) is not None else []

    there = lambda c: c is not None
    actions = {
        "add": (there, add, NONE),
        "remove": (lambda c: there(c) and c.size > 0, remove, NONE),
        "destroy": (there, destroy, NONE),
    }
    constructors = {"List()": (always, lambda c: [None, C(0, None, ())], NONE)}
    return Model(all_of, lambda c: c is None or c.size >= 0, constructors, actions)


def chain(c):
    """The nodes from the first to the last; None where they go in a circle."""
    found, node = [], c.first
    while node is not None:
        if node in found:
            return None
        found.append(node)
        node = c.nexts[node]
    return found


def with_next(nexts, node, following):
    return nexts[:node] + (following,) + nexts[node + 1 :]


def add_at_end(c):
    nodes, new = chain(c), len(c.nexts)
    added = []  # the last node is looked for in a circle
    if c.first is None:
        added = [c._replace(size=c.size + 1, first=new, nexts=c.nexts + (None,))]
    elif nodes is not None:
        added = [c._replace(size=c.size + 1, nexts=with_next(c.nexts, nodes[-1], new) + (None,))]
    return [None] + added  # None: the allocation fails, before anything is looked for


def add_in_ring(c):
    """As printed: the last node is the one before the first."""
    node, seen, new = c.first, set(), len(c.nexts)
    while True:
        if node is None:
            return [Raised("NullDereference", c)]
        if node in seen:
            return []
        if c.nexts[node] == c.first:
            return [None, c._replace(size=c.size + 1, nexts=with_next(c.nexts, node, new) + (c.first,))]
        seen.add(node)
        node = c.nexts[node]


def remove_first(c, less):
    if c.first is None:
        return [Raised("NullDereference", c)]
    return c._replace(size=c.size - less, first=c.nexts[c.first])


def piped_output_stream():
    # The pipe is flattened into its fields, None where there is none. Its positions say nothing of what is enabled:
    # a write waits until it can go on.
    Pipe, pipes = record(
        "by_writer by_reader connected reader", by_writer=BOTH, by_reader=BOTH, connected=BOTH, reader=(None, "alive", "dead")
    )

    def accepts(c):
        return c != () and c.connected and not c.by_writer and not c.by_reader and c.reader != "dead"

    actions = {
        "connect": (lambda c: c == (), lambda c: Pipe(False, False, True, None), NONE),
        "write": (accepts, unchanged, NONE),
        "flush": (always, unchanged, NONE),
        "close": (always, lambda c: c if c == () else c._replace(by_writer=True), NONE),
    }
    return Model([(), *pipes], always, {"PipedOutputStream()": (always, lambda c: (), NONE)}, actions)


def signature():
    C, all_of = record("state", state=("Uninitialized", "Sign", "Verify"))
    actions = {
        "initSign": (always, lambda c: C("Sign"), NONE),
        "initVerify": (always, lambda c: C("Verify"), NONE),
        "update": (lambda c: c.state != "Uninitialized", unchanged, NONE),
        "sign": (lambda c: c.state == "Sign", unchanged, NONE),
        "verify": (lambda c: c.state == "Verify", unchanged, NONE),
    }
    return Model(all_of, always, {"Signature()": (always, lambda c: C("Uninitialized"), NONE)}, actions)


def list_itr():
    # Nobody else changes the list, so that its count of changes is left out.
    C, all_of = record(
        "capacity size cursor last", capacity=range(8), size=range(-1, 8), cursor=range(-1, 8), last=range(-1, 8)
    )

    def rem(c):
        assert c.last < c.size, "the list has no such element"
        return C(c.capacity, c.size - 1, c.cursor - 1 if c.last < c.cursor else c.cursor, -1)

    def add(c):
        assert 0 <= c.cursor <= c.size, "the list has no such place"
        capacity = c.capacity if c.size < c.capacity else max(3 * c.capacity // 2 + 1, c.size + 1)
        return C(capacity, c.size + 1, c.cursor + 1, -1)

    def set_(c):
        assert 0 <= c.last < min(c.size, c.capacity), "the list has no such element"
        return c

    actions = {
        "next": (lambda c: c.cursor < c.size, lambda c: c._replace(last=c.cursor, cursor=c.cursor + 1), NONE),
        "rem": (lambda c: c.last != -1, rem, NONE),
        "prev": (lambda c: c.cursor > 0, lambda c: c._replace(last=c.cursor - 1, cursor=c.cursor - 1), NONE),
        "set": (lambda c: c.last != -1, set_, NONE),
        "add": (always, add, NONE),
    }
    lists = [(capacity, size, index) for capacity in range(5) for size in range(capacity + 1) for index in range(size + 1)]

    def invariant(c):
        next_to_cursor = (c.last == c.cursor and c.cursor < c.size) or (c.last == c.cursor - 1 and c.cursor > 0)
        return 0 <= c.cursor <= c.size <= c.capacity and (c.last == -1 or next_to_cursor)

    new = {"ListItr(ArrayList, int)": (always, lambda c, capacity, size, index: C(capacity, size, index, -1), lists)}
    return Model(all_of, invariant, new, actions)


def socket(is_more_known):
    # `shut_in` and `shut_out` are the socket's and its implementation's at once: the invariant says that they agree.
    C, all_of = record(
        "bound connected closed shut_in shut_out pending",
        bound=BOTH, connected=BOTH, closed=BOTH, shut_in=BOTH, shut_out=BOTH, pending=BOTH,
    )
    is_open = lambda c: c.connected and not c.closed
    actions = {
        "connect": (lambda c: not c.closed and not c.connected, lambda c: c._replace(connected=True, bound=True), NONE),
        "bind": (lambda c: not c.closed and not c.bound, lambda c: c._replace(bound=True), NONE),
        "getOutputStream": (lambda c: is_open(c) and not c.shut_out and not c.pending, unchanged, NONE),
        "getInputStream": (lambda c: is_open(c) and not c.shut_in and not c.pending, unchanged, NONE),
        "close": (always, lambda c: c._replace(closed=True), NONE),
        "shutdownOutput": (lambda c: is_open(c) and not c.shut_out, lambda c: c._replace(shut_out=True), NONE),
        "shutdownInput": (lambda c: is_open(c) and not c.shut_in, lambda c: c._replace(shut_in=True), NONE),
    }

    def known(c, enabled):
        before = enabled in ({"connect", "bind", "close"}, {"connect", "close"})
        return not (is_more_known and before) or not (c.shut_in or c.shut_out or c.pending)

    new = {"Socket()": (always, lambda c: C(*[False] * 6), NONE)}
    return Model(all_of, lambda c: not c.connected or c.bound, new, actions, known)


def pccrr(is_corrected):
    # What is only kept, and never asked for, is left out: the flags of messages, and that a response was sent.
    stages = "Null GetPlatform Init Idle Listening SendNegoResp SendBlkList SendBlk VerifyContent End".split()
    C, all_of = record(
        "stage platform testing normal complete block",
        stage=stages, platform=("None", "Windows7", "NonWindows"), testing=BOTH, normal=BOTH, complete=BOTH, block=range(6),
    )
    at = lambda stage: lambda c, *p: c.stage == stage
    to = lambda stage: lambda c, *p: c._replace(stage=stage)
    three = list(itertools.product(BOTH, repeat=3))
    four = list(itertools.product(BOTH, repeat=4))

    def faults(expired, same, formed):
        return expired + (not same) + (not formed)

    def verify(c):
        following = "End" if c.complete and c.block == 3 else "Listening"
        return c._replace(stage=following, complete=False, block=0)

    def send_block(c, *flags):
        return c._replace(stage="VerifyContent", complete=faults(*flags) == 0)

    actions = {
        "GetSutPlatform": (at("GetPlatform"), lambda c: c._replace(stage="Init", platform="NonWindows"), NONE),
        "InitSut": (
            at("Init"),
            lambda c, n: c._replace(stage="Idle", testing=n and not is_corrected),
            [(False,), (True,)],
        ),
        "RcvNegoReq": (lambda c: c.stage == "Listening" and c.platform != "Windows7", to("SendNegoResp"), NONE),
        "SndNegoResp": (lambda c: c.testing or c.stage == "SendNegoResp", to("Listening"), NONE),
        "TriggerSutDwnld": (at("Idle"), to("Listening"), NONE),
        "RcvGetBlkList": (at("Listening"), to("SendBlkList"), NONE),
        "SndBlkList": (
            lambda c, overlap, *f: faults(*f) == 0 and overlap and c.stage == "SendBlkList" and c.normal,
            to("Listening"),
            four,
        ),
        "SndBlkListAb": (
            lambda c, overlap, *f: faults(*f) + (not overlap) == 1 and c.stage == "SendBlkList" and not c.normal,
            to("Listening"),
            four,
        ),
        "RcvGetBlk": (
            lambda c, index: c.stage == "Listening" and index < 4,
            lambda c, index: c._replace(stage="SendBlk", block=index),
            [(index,) for index in range(6)],
        ),
        "SndBlk": (
            lambda c, *f: c.stage == "SendBlk" and (faults(*f) == 0 or (faults(*f) == 1 and c.block == 0)),
            send_block,
            three,
        ),
        "SutTimeOut": (at("Listening"), lambda c: c._replace(stage="End", complete=False, block=0), NONE),
        "SutVerifyBlk": (at("VerifyContent"), verify, NONE),
    }
    invariant = lambda c: c.platform == "NonWindows" and not (is_corrected and c.testing)
    new = {"Pccrr()": (always, lambda c: C("GetPlatform", "NonWindows", False, True, False, 0), NONE)}
    return Model(all_of, invariant, new, actions)


def smtp_server():
    commands = "None Ehlo Helo Vrfy Rset Noop Auth Mail Rcpt Data".split()
    C, all_of = record(
        "last mail rcpt recipients attempts",
        last=commands, mail=BOTH, rcpt=BOTH, recipients=range(3), attempts=range(2),
    )
    between = ("None", "Ehlo", "Vrfy", "Noop")
    command = lambda name: lambda c: c._replace(last=name)
    new_message = lambda name: lambda c: C(name, False, False, 0, c.attempts)

    def rcpt(c):
        return [c._replace(last="Rcpt", rcpt=True, recipients=c.recipients + more) for more in (0, 1)]

    actions = {
        "ehlo": (always, command("Ehlo"), NONE),
        "verify": (always, command("Vrfy"), NONE),
        "rset": (always, new_message("Rset"), NONE),
        "noop": (always, command("Noop"), NONE),
        "helo": (lambda c: False, command("Helo"), NONE),
        "mail": (lambda c: c.last in between + ("Rset",), lambda c: c._replace(last="Mail", mail=True), NONE),
        "rcpt": (lambda c: c.mail and c.last in between + ("Mail", "Rcpt"), rcpt, NONE),
        "data": (lambda c: c.last == "Rcpt" and c.mail and c.rcpt and c.recipients > 0, new_message("Data"), NONE),
        "auth": (lambda c: c.attempts < 0, lambda c: c._replace(attempts=c.attempts + 1), NONE),
    }
    new = {"SmtpServer()": (always, lambda c: C("None", False, False, 0, 0), NONE)}
    return Model(all_of, always, new, actions)


def smtp_protocol():
    C, all_of = record("state", state=("NotConnected", "Plain", "Authorized"))
    lost = C("NotConnected")
    connected = lambda c: c != lost
    say = lambda c: [c, lost]  # well or not, or the connection is gone
    actions = {
        "openPort": (always, lambda c: [C("Plain"), c, lost], NONE),
        "startTLS": (always, say, NONE),
        "ehlo": (connected, say, NONE),
        "helo": (connected, say, NONE),
        "auth": (connected, lambda c: [C("Authorized"), c, lost], NONE),
        "mail": (connected, say, NONE),
        "rcpt": (always, say, NONE),
        "data": (connected, say, NONE),
        "quit": (always, lambda c: lost, NONE),
        "reset": (always, say, NONE),
        "verify": (always, say, NONE),
        "expand": (connected, say, NONE),
        "noop": (connected, say, NONE),
        "authReceive": (always, unchanged, NONE),
        "authSend": (always, say, NONE),
        "dropConnection": (always, lambda c: lost, NONE),
    }
    return Model(all_of, always, {"SmtpProtocol(Text, int)": (always, lambda c: lost, NONE)}, actions)


MODELS = {
    "list_buggy": linked_list(add_at_end, lambda c: remove_first(c, 0)),
    "list_fixed": linked_list(add_at_end, lambda c: remove_first(c, 1)),
    "list_as_printed": linked_list(add_in_ring, lambda c: remove_first(c, 0)),
    "piped_output_stream": piped_output_stream(),
    "signature": signature(),
    "list_itr": list_itr(),
    "socket_first": socket(False),
    "socket_second": socket(True),
    "pccrr_first": pccrr(False),
    "pccrr_second": pccrr(True),
    "smtp_server": smtp_server(),
    "smtp_protocol": smtp_protocol(),
}
