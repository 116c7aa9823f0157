"""The classes of fixtures/corral-2016, written a second time, by hand."""

import itertools
from collections import namedtuple

from .model import NONE, Model, always, numbers, pure, record, unchanged


def linear():
    C, all_of = record("N", N=range(-1, 6))
    step = lambda k: (lambda c: c.N == k, lambda c: C(c.N + 1), NONE)
    actions = {"a0": step(0), "a1": step(1), "a2": step(2), "get_N": pure}
    return Model(all_of, lambda c: 0 <= c.N <= 3, {"Linear()": (always, lambda c: C(0), NONE)}, actions)


def vending_machine(lowest_change):
    C, all_of = record("selling change", selling=(False, True), change=range(lowest_change, 8))
    pay = itertools.product(range(2), range(3))
    actions = {
        "DisplayPrice": (lambda c, item: not c.selling, unchanged, numbers(0, 1)),
        "Buy": (
            lambda c, item, money: not c.selling,
            lambda c, item, money: C(True, 5 if money > 0 else c.change),
            list(pay),
        ),
        "ReturnChange": (lambda c: c.selling and c.change > 0, lambda c: C(c.selling, 0), NONE),
        "ReturnItem": (lambda c: c.change == 0 and c.selling, lambda c: C(False, c.change), NONE),
    }
    invariant = lambda c: (c.selling or not c.change > 0) and c.change >= lowest_change
    return Model(all_of, invariant, {"VendingMachine()": (always, lambda c: C(False, 0), NONE)}, actions)


def finite_stack():
    C, all_of = record("Max Next", Max=range(0, 8), Next=range(-3, 9))
    actions = {
        "Pop": (lambda c: c.Next > -1, lambda c: C(c.Max, c.Next - 1), NONE),
        "Push": (lambda c, elem: c.Next < c.Max, lambda c, elem: C(c.Max, c.Next + 1), numbers(0, 1)),
        "get_Max": pure,
        "get_Next": pure,
    }
    constructors = {
        "FiniteStack()": (always, lambda c: C(5, -1), NONE),
        "FiniteStack(int)": (lambda c, size: size > 2, lambda c, size: C(size, -1), numbers(-1, 6)),
    }
    return Model(all_of, lambda c: c.Max > 2 and c.Next >= -1 and c.Max >= c.Next, constructors, actions)


def generic_stack_set():
    elements = range(6)  # one more than fit
    C = namedtuple("C", "size data")
    all_of = [C(size, data) for size in range(6) for data in itertools.product(elements, repeat=5)]

    def belongs(c, item):
        found, i = False, 0
        while not found and i < c.size:
            found = c.data[i] == item
            i += 1
        return found

    def push(c, item):
        if belongs(c, item):
            return c
        return C(c.size + 1, c.data[: c.size] + (item,) + c.data[c.size + 1 :])

    actions = {
        "Push": (lambda c, item: c.size < 5, push, numbers(0, 5)),
        "Pop": (lambda c: c.size > 0, lambda c: C(c.size - 1, c.data), NONE),
        "Belongs": pure,
        "get_Capacity": pure,
        "get_Size": pure,
    }
    new = {"GenericStackSet()": (always, lambda c: C(0, (0,) * 5), NONE)}
    return Model(all_of, lambda c: 0 <= c.size <= 5 and len(c.data) == 5, new, actions)


def door():
    both = (False, True)
    C, all_of = record("emergency closed moving", emergency=both, closed=both, moving=both)
    actions = {
        "Open": (lambda c: c.closed and not c.moving, lambda c: c._replace(closed=False), NONE),
        "Close": (lambda c: not c.closed and not c.emergency, lambda c: c._replace(closed=True), NONE),
        "Start": (
            lambda c: not c.moving,
            lambda c: c._replace(moving=True, closed=c.closed if c.emergency else True),
            NONE,
        ),
        "Stop": (lambda c: c.moving, lambda c: c._replace(moving=False), NONE),
        "Alarm": (lambda c: not c.emergency, lambda c: c._replace(emergency=True, closed=False), NONE),
        "Safe": (lambda c: c.emergency, lambda c: c._replace(emergency=False), NONE),
    }
    invariant = lambda c: not c.emergency or not c.closed
    return Model(all_of, invariant, {"Door()": (always, lambda c: C(False, True, False), NONE)}, actions)


def atm():
    both, some = (False, True), range(-1, 2)
    C, all_of = record("inside halfway given card passwd", inside=both, halfway=both, given=both, card=some, passwd=some)
    eject = lambda c: C(False, True, False, 0, 0)
    actions = {
        "InsertCard": (
            lambda c, card: not c.inside and card > 0,
            lambda c, card: c._replace(inside=True, card=card),
            numbers(-1, 1),
        ),
        "EnterPassword": (
            lambda c, word: not c.given and word > 0,
            lambda c, word: c._replace(given=True, passwd=word),
            numbers(-1, 1),
        ),
        "TakeCard": (lambda c: c.halfway, lambda c: c._replace(halfway=False, inside=False), NONE),
        "DisplayMainScreen": (lambda c: not c.inside and not c.halfway, unchanged, NONE),
        "RequestPassword": (lambda c: not c.given, unchanged, NONE),
        "EjectCard": (lambda c: c.inside, eject, NONE),
        "RequestTakeCard": (lambda c: c.halfway, unchanged, NONE),
        "CanceledMessage": (lambda c: c.inside, unchanged, NONE),
    }
    return Model(all_of, always, {"ATM()": (always, lambda c: C(False, False, False, 0, 0), NONE)}, actions)


def linked_list():
    # The queue is its length, or None for null.
    C, all_of = record("buffer size", buffer=(None, 0, 1, 2, 3, 4), size=range(-2, 5))

    def remove_is_possible(c):
        # The body assumes that the two sizes agree: where they do not, there is no run.
        return c.buffer is not None and c.size > 0 and c.buffer == c.size

    actions = {
        "Add": (lambda c, e: c.buffer is not None, lambda c, e: C(c.buffer + 1, c.size + 1), numbers(0, 1)),
        "Remove": (lambda c: c.buffer is not None and c.size > 0, lambda c: C(c.buffer - 1, c.size - 1), NONE),
        "Destroy": (lambda c: c.buffer is not None, lambda c: C(None, -1), NONE),
        "get_buffer": pure,
        "get_size": pure,
    }
    model = Model(
        all_of,
        lambda c: c.buffer is None or c.size >= 0,
        {"LinkedList()": (always, lambda c: C(0, 0), NONE)},
        actions,
    )
    every_step = model.steps
    model.steps = lambda c: (step for step in every_step(c) if step[0] != "Remove" or remove_is_possible(c))
    return model


def list_itr():
    # The list is flattened into its fields: `length` is that of elementData, None for null.
    C, all_of = record(
        "length size changes cursor last expected",
        length=(None, 10, 11, 12),
        size=range(0, 14),
        changes=(0, 1),
        cursor=range(0, 14),
        last=range(-2, 14),
        expected=(0, 1),
    )

    def access(c, index):
        assert c.length is not None and 0 <= index < c.length, "an array access fails"

    def next_(c):
        access(c, c.cursor)
        return c._replace(last=c.cursor, cursor=c.cursor + 1)

    def previous(c):
        access(c, c.cursor - 1)
        return c._replace(last=c.cursor - 1, cursor=c.cursor - 1)

    def remove(c):
        return c._replace(
            changes=c.changes + 1, size=c.size - 1, cursor=c.last, last=-1, expected=c.changes + 1
        )

    def set_(c):
        access(c, c.last)
        return c

    def add(c):
        length = c.length if c.size + 1 <= c.length else max(3 * c.length // 2 + 1, c.size + 1)
        added = C(length, c.size + 1, c.changes + 1, c.cursor + 1, -1, c.changes + 1)
        access(added, c.cursor)
        return added

    ok = lambda c: c.length is not None and c.changes == c.expected
    at_last = lambda c: ok(c) and c.last != -1 and 0 <= c.last < c.size
    actions = {
        "next": (lambda c: ok(c) and 0 <= c.cursor < c.size, next_, NONE),
        "previous": (lambda c: ok(c) and 0 <= c.cursor - 1 < c.size, previous, NONE),
        "remove": (at_last, remove, NONE),
        "set": (at_last, set_, NONE),
        "add": (lambda c: ok(c) and 0 <= c.cursor <= c.size, add, NONE),
    }
    lists = list(itertools.product((None, 9, 10, 11), range(-1, 4), (-1, 0, 1), range(-1, 5)))
    constructors = {
        "ListItr(ArrayList?, int)": (
            lambda c, length, size, changes, index: length is not None
            and 0 <= index <= size <= length
            and changes >= 0
            and length >= 10,
            lambda c, length, size, changes, index: C(length, size, changes, index, -1, changes),
            lists,
        )
    }

    def invariant(c):
        return (
            c.length is not None
            and 0 <= c.cursor <= c.size <= c.length
            and (
                c.last == -1
                or (c.cursor < c.size and c.last == c.cursor)
                or (c.cursor > 0 and c.last == c.cursor - 1)
            )
            and c.expected >= 0
            and c.changes >= 0
            and c.length >= 10
        )

    return Model(all_of, invariant, constructors, actions)


def maquina_expendedora():
    C, all_of = record("sale money", sale=(False, True), money=range(-40, 60))

    def release(c, drink):
        return C(c.money - 15 != 0, c.money - 15)

    actions = {
        "IngresarDinero": (
            lambda c, amount: amount > 0 and not c.sale,
            lambda c, amount: c._replace(money=c.money + amount),
            numbers(-1, 40),
        ),
        "LiberarBotella": (lambda c, drink: not c.sale and c.money >= 15, release, numbers(0, 4)),
        "DarVuelto": (lambda c: c.sale and c.money > 0, lambda c: C(False, 0), NONE),
        "EstaVendiendo": pure,
        "DineroDisponible": pure,
        "PrecioDeLaBotella": pure,
    }
    return Model(all_of, always, {"MaquinaExpendedora()": (always, lambda c: C(False, 0), NONE)}, actions)


def test2():
    C, all_of = record("x y", x=range(-2, 9), y=range(-2, 9))
    actions = {
        "m1": (lambda c: c.x == 0 and c.y == 0, lambda c: c._replace(x=5), NONE),
        "m2": (lambda c: c.x > 0 and c.y == 0, lambda c: c._replace(y=7), NONE),
        "m3": (lambda c: c.x == 5 and c.y == 7, lambda c: C(3, 3), NONE),
    }
    return Model(all_of, always, {"Test2()": (always, lambda c: C(0, 0), NONE)}, actions)


def count_up(state, rounds):
    for _ in range(rounds):
        state += 1
    return state


def loop6(state):
    for i in range(30):
        if i == 10:
            return state
    return 10


def loop7(state):
    state = count_up(state, 30)
    return 10 if state == 30 else state


LOOPS = {
    "CicloMasChicoQueRecursionBound": (lambda state: count_up(state, 1), NONE),
    "CicloMasLargoQueRecursionBound": (lambda state: count_up(state, 10), NONE),
    "CicloBasadoEnParam": (count_up, numbers(-1, 31)),
    "CicloDeberiaIrA10": (lambda state: 10, NONE),
    "CicloNoDeberiaIrA10": (lambda state: state, NONE),
    "CicloNoDeberiaIrA10ConIf": (loop6, NONE),
    "CicloDeberiaIrA10ConIf": (loop7, NONE),
}


def loops(names):
    C, all_of = record("state", state=range(-2, 35))

    def method(body, parameters):
        return lambda c, *p: c.state == 0, lambda c, *p: C(body(c.state, *p)), parameters

    actions = {
        "TestigoEstado1": (lambda c: c.state == 1, unchanged, NONE),
        "TestigoEstado10": (lambda c: c.state == 10, unchanged, NONE),
        **{name: method(*LOOPS[name]) for name in names},
    }
    return Model(all_of, always, {"TestCorral()": (always, lambda c: C(0), NONE)}, actions)


MODELS = {
    "linear": linear(),
    "vending_machine": vending_machine(-3),
    "vending_machine_unsigned": vending_machine(0),
    "finite_stack": finite_stack(),
    "generic_stack_set": generic_stack_set(),
    "door": door(),
    "atm": atm(),
    "linked_list": linked_list(),
    "list_itr": list_itr(),
    "maquina_expendedora": maquina_expendedora(),
    "test2": test2(),
    **{f"loop{number}": loops([name]) for number, name in enumerate(LOOPS, start=1)},
    "loops_all": loops(list(LOOPS)),
}
