"""The classes of fixtures/tse-2012, written a second time, by hand.

They are contracts: a body here gives every configuration that the postcondition allows. Where one breaks the invariant, the
contract has no implementation that does this.
"""

import itertools

from .model import NONE, Model, always, record, unchanged

BOTH = (False, True)


def circular_buffer(is_strong, has_reset):
    # What is in the buffer is left out.
    C, all_of = record("length wp rp", length=range(2, 9), wp=range(-1, 9), rp=range(-1, 9))
    following = lambda place, length: place + 1 if place < length - 1 else 0

    def may_advance(place, other, length):
        return place < other - 1 or (place == length - 1 and other > 0) or (place < length - 1 and other < place)

    actions = {
        "write": (lambda c: may_advance(c.wp, c.rp, c.length), lambda c: c._replace(wp=following(c.wp, c.length)), NONE),
        "read": (lambda c: may_advance(c.rp, c.wp, c.length), lambda c: c._replace(rp=following(c.rp, c.length)), NONE),
    }
    if has_reset:
        actions["reset"] = (always, lambda c: c._replace(rp=c.wp), NONE)

    def invariant(c):
        return 0 <= c.rp < c.length and 0 <= c.wp < c.length and c.length > 3 and not (is_strong and c.rp == c.wp)

    initially = (always, lambda c, length: C(length, 0, length - 1), [(length,) for length in range(4, 9)])
    return Model(all_of, invariant, {"initially": initially}, actions)


def web_fetcher():
    # A socket is its state.
    C, all_of = record("site cxn", site=(None, "site"), cxn=(None, "raw", "open", "closed"))
    actions = {
        "setSite": (lambda c: c.cxn is None, lambda c: c._replace(site="site"), NONE),
        "open": (lambda c: c.cxn is None, lambda c: c._replace(cxn="open"), NONE),
        "close": (lambda c: c.cxn is not None, lambda c: c._replace(cxn=None), NONE),
        "getPage": (lambda c: c.cxn is not None, unchanged, NONE),
    }
    invariant = lambda c: c.site is not None and c.cxn in (None, "open")
    return Model(all_of, invariant, {"initially": (always, lambda c: C("site", None), NONE)}, actions)


def atm():
    C, all_of = record("inside halfway given", inside=BOTH, halfway=BOTH, given=BOTH)
    actions = {
        "displayMainScreen": (lambda c: not c.inside and not c.halfway, unchanged, NONE),
        "insertCard": (lambda c: not c.inside, lambda c: c._replace(inside=True), NONE),
        "requestPassword": (lambda c: not c.given, unchanged, NONE),
        "enterPassword": (lambda c: not c.given, lambda c: c._replace(given=True), NONE),
        "canceledMessage": (lambda c: c.inside, unchanged, NONE),
        "ejectCard": (lambda c: c.inside, lambda c: c._replace(inside=False, halfway=True), NONE),
        "requestTakeCard": (lambda c: c.halfway, unchanged, NONE),
        "takeCard": (lambda c: c.halfway, lambda c: c._replace(halfway=False, inside=False), NONE),
    }
    return Model(all_of, always, {"initially": (always, lambda c: C(False, False, False), NONE)}, actions)


def ms_nss():
    stages = "NotStarted Processed InProgress Done Error".split()
    C, all_of = record(
        "tcp stage gss accepted protects data",
        tcp=BOTH, stage=stages, gss=("None", "Continue", "Complete", "Error"), accepted=BOTH, protects=BOTH,
        data=("Idle", "Wrapped", "Received"),
    )
    processed = lambda gss: lambda c: c.tcp and c.stage == "Processed" and c.gss == gss
    waits = lambda c: c.tcp and not c.accepted and c.stage in ("InProgress", "Done")
    exchanges = lambda c: c.tcp and c.accepted
    to = lambda stage: lambda c: c._replace(stage=stage)
    ends = lambda c: [c._replace(stage="NotStarted", tcp=True), c._replace(stage="Error", tcp=False)]
    either = lambda c: [c._replace(tcp=tcp) for tcp in BOTH]

    def becomes(data):
        return lambda c: [c._replace(data=data, tcp=True), c._replace(data="Idle", tcp=False)]

    def accept(c):
        return [c._replace(accepted=True, stage="Done", data="Idle", protects=protects) for protects in BOTH]

    with_data = lambda data: lambda c: exchanges(c) and c.data == data
    actions = {
        "gssInitSec": (
            lambda c: c.tcp and c.stage == "NotStarted",
            lambda c: [c._replace(stage="Processed", gss=gss) for gss in ("Continue", "Complete", "Error")],
            NONE,
        ),
        "sndInProgress": (processed("Continue"), to("InProgress"), NONE),
        "sndDone": (processed("Complete"), to("Done"), NONE),
        "sndError": (processed("Error"), ends, NONE),
        "rcvInProgress": (lambda c: waits(c) and c.stage == "InProgress", to("NotStarted"), NONE),
        "rcvDone": (lambda c: waits(c) and c.gss != "Error", accept, NONE),
        "rcvError": (waits, ends, NONE),
        "sndData": (lambda c: exchanges(c) and not c.protects, either, NONE),
        "rcvData": (lambda c: exchanges(c) and not c.protects, either, NONE),
        "gssWrap": (lambda c: with_data("Idle")(c) and c.protects, becomes("Wrapped"), NONE),
        "sndEncData": (with_data("Wrapped"), becomes("Idle"), NONE),
        "rcvEncData": (lambda c: with_data("Idle")(c) and c.protects, becomes("Received"), NONE),
        "gssUnwrap": (with_data("Received"), becomes("Idle"), NONE),
    }

    def invariant(c):
        return (not c.accepted or (c.stage == "Done" and c.gss != "Error")) and (
            (c.accepted and c.protects) or c.data == "Idle"
        )

    def initially(c, protects):
        return C(True, "NotStarted", "None", False, protects, "Idle")

    return Model(all_of, invariant, {"initially": (always, initially, [(False,), (True,)])}, actions)


MESSAGES = """Start SetupInitialization TrafficInitiation AssociationStop
StartRequestControl StartRequestObserve StartResponseControl StartResponseObserve
MapRequestControl MapRequestObserve MapResponseControl MapResponseObserve
RecordsRequestControl RecordsRequestObserve RecordsResponseControl RecordsResponseObserve
UpdateControl UpdateObserve""".split()
OWNERS = ("First", "Second")
SETS = [frozenset(), frozenset(["First"]), frozenset(["Second"]), frozenset(OWNERS)]


def winsra(once_corrected, twice_corrected):
    # Left out is what no requires clause asks for: the partners (the invariant says that there are some in both roles
    # after the setup), which of them was told what, and the versions, since any of them may arrive: any set of owners may be
    # pending after that. The number of records to request is the size of that set.
    C, all_of = record(
        "message setup on traffic association lasting pending asked",
        message=MESSAGES, setup=BOTH, on=BOTH, traffic=("No", "Pull", "Push", "DataVerify"),
        association=("None", "Pull", "Push", "Both"), lasting=BOTH, pending=SETS, asked=OWNERS,
    )

    def at(*messages):
        return lambda c, *p: c.setup and c.on and c.message in messages

    def to(message):
        return lambda c, *p: c._replace(message=message)

    def may_start(c):
        if not (c.setup and c.on):
            return False
        if not twice_corrected:
            return (
                (c.association == "None" and not c.lasting)
                or (c.association == "Pull" and c.traffic == "Push")
                or (c.association == "Push" and c.traffic != "Push")
                or c.association != "Both"
            )
        fits = {"None": not c.lasting, "Pull": c.traffic == "Push", "Push": c.traffic != "Push", "Both": False}
        return c.message == "TrafficInitiation" and fits[c.association]

    def may_go_on(role, c):
        in_role = (c.traffic == "Push") == (role == "Push")
        return at("TrafficInitiation")(c) and in_role and c.lasting and c.association in (role, "Both")

    def may_request(c, owner):
        begun = at("MapResponseObserve", "RecordsResponseObserve", "UpdateObserve")(c)
        verifies = at("StartResponseObserve")(c) and c.traffic == "DataVerify"
        return owner in c.pending and (begun or verifies)

    def initiate(traffic):
        def body(c):
            pending = frozenset(OWNERS) if traffic == "DataVerify" else c.pending
            return c._replace(message="TrafficInitiation", on=True, traffic=traffic, pending=pending)

        return (lambda c: c.setup and not (once_corrected and c.on)), body, NONE

    def started(message):
        def body(c, lasting):
            role = "Push" if c.traffic == "Push" else "Pull"
            joined = role if c.association in ("None", role) else "Both"
            return c._replace(message=message, lasting=lasting, association=joined)

        return body

    def broken(c, *p):
        return c._replace(message="AssociationStop", on=False, association="None", lasting=False)

    def done(c):
        return c._replace(message="AssociationStop", on=False, association=c.association if c.lasting else "None")

    def news(message):
        return lambda c: [c._replace(message=message, pending=pending) for pending in SETS]

    def answered(c):
        return c._replace(message="RecordsResponseObserve", pending=c.pending - {c.asked})

    def ask(message):
        return lambda c, owner: c._replace(message=message, asked=owner)

    asks_for_map = lambda c: (at("StartResponseObserve")(c) and c.traffic != "Push") or may_go_on("Pull", c)
    is_asked_for_map = lambda c: (at("StartResponseControl")(c) and c.traffic == "Push") or may_go_on("Push", c)
    serves = at("UpdateControl", "MapResponseControl", "RecordsResponseControl")
    may_end = lambda c: c.setup and not c.on and c.message == "AssociationStop" and c.lasting
    end = lambda c: c._replace(association="None", lasting=False)
    lasting = [(value,) for value in BOTH]
    owners = [(owner,) for owner in OWNERS]
    started_any = at("StartResponseControl", "StartResponseObserve")
    actions = {
        "setupInitialization": (
            lambda c: not (once_corrected and c.setup),
            lambda c: c._replace(setup=True, message="SetupInitialization"),
            NONE,
        ),
        "initiateTrafficPull": initiate("Pull"),
        "initiateTrafficPush": initiate("Push"),
        "initiateTrafficDataVerify": initiate("DataVerify"),
        "associationStartRequestControlSuccess": (may_start, to("StartRequestControl"), NONE),
        "associationStartRequestControlDisconnect": (may_start, broken, NONE),
        "associationStartRequestObserve": (may_start, to("StartRequestObserve"), NONE),
        "associationStartResponseControlSuccess": (at("StartRequestObserve"), started("StartResponseControl"), lasting),
        "associationStartResponseControlDisconnect": (at("StartRequestObserve"), broken, NONE),
        "associationStartResponseObserve": (at("StartRequestControl"), started("StartResponseObserve"), lasting),
        "associationStartResponseObserveDisconnect": (at("StartRequestControl"), broken, NONE),
        "ownerVersionMapRequestControlSuccess": (asks_for_map, to("MapRequestControl"), NONE),
        "ownerVersionMapRequestControlDisconnect": (asks_for_map, broken, NONE),
        "ownerVersionMapResponseObserve": (at("MapRequestControl"), news("MapResponseObserve"), NONE),
        "ownerVersionMapResponseObserveDisconnect": (at("MapRequestControl"), broken, NONE),
        "ownerVersionMapRequestObserve": (is_asked_for_map, to("MapRequestObserve"), NONE),
        "ownerVersionMapResponseControlSuccess": (at("MapRequestObserve"), to("MapResponseControl"), NONE),
        "ownerVersionMapResponseControlDisconnect": (at("MapRequestObserve"), broken, NONE),
        "nameRecordsRequestControlSuccess": (may_request, ask("RecordsRequestControl"), owners),
        "nameRecordsRequestControlDisconnect": (may_request, broken, owners),
        "nameRecordsResponseObserve": (at("RecordsRequestControl"), answered, NONE),
        "nameRecordsResponseObserveDisconnect": (at("RecordsRequestControl"), broken, NONE),
        "nameRecordsRequestObserve": (serves, ask("RecordsRequestObserve"), owners),
        "nameRecordsResponseControlSuccess": (at("RecordsRequestObserve"), to("RecordsResponseControl"), NONE),
        "nameRecordsResponseControlDisconnect": (at("RecordsRequestObserve"), broken, NONE),
        "updateNotificationControl": (lambda c: started_any(c) and c.traffic == "Push", to("UpdateControl"), NONE),
        "updateNotificationControlPersistent": (lambda c: may_go_on("Push", c), to("UpdateControl"), NONE),
        "updateNotificationObserve": (
            lambda c: at("StartResponseControl")(c) and c.traffic != "Push",
            news("UpdateObserve"),
            NONE,
        ),
        "updateNotificationObservePersistent": (lambda c: may_go_on("Pull", c), news("UpdateObserve"), NONE),
        "associationStopRequestControlSuccess": (
            lambda c: at("MapResponseObserve", "RecordsResponseObserve", "UpdateObserve")(c) and not c.pending,
            done,
            NONE,
        ),
        "associationStopRequestControlPersistent": (may_end, end, NONE),
        "associationStopRequestObserve": (serves, done, NONE),
        "associationStopRequestObservePersistent": (may_end, end, NONE),
    }

    def invariant(c):
        return (c.association != "None" or not c.lasting) and (c.on or c.lasting or c.association == "None")

    def initially(c, asked):
        return C("Start", False, False, "No", "None", False, frozenset(), asked)

    return Model(all_of, invariant, {"initially": (always, initially, owners)}, actions)


MODELS = {
    "circular_buffer_weak": circular_buffer(False, False),
    "circular_buffer_strong": circular_buffer(True, False),
    "circular_buffer_weak_reset": circular_buffer(False, True),
    "circular_buffer_strong_reset": circular_buffer(True, True),
    "web_fetcher": web_fetcher(),
    "atm": atm(),
    "ms_nss": ms_nss(),
    "winsra_initial": winsra(False, False),
    "winsra_second": winsra(True, False),
    "winsra_final": winsra(True, True),
}
