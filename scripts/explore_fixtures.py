#!/usr/bin/env python3
"""Confirms the expected EPAs of fixtures/*/expected.txt by brute force, without the program under test.

Each class is written a second time, by hand, as a small Python model (models/FOLDER.py). All its configurations within small
bounds are visited, which gives an EPA to compare with expected.txt edge for edge; and all runs from the constructors are
followed breadth-first, which gives the length of the shortest run through each edge, to compare with the [k] there.
No model may break its invariant but where `violates:` says so, and no model may raise an error (an index out of range,
say).

    explore_fixtures.py                        checks everything
    explore_fixtures.py NAME ...               checks these classes
    explore_fixtures.py --notation NAME        prints what the model does, in the notation of expected.txt

Exit status: 0 all is as expected, 1 something differs, 2 bad usage.
"""

import sys

from check_fixtures import FIXTURES, read, with_pure_loops
from models import corral_2016, tosem_2013, tse_2012

FOLDERS = {
    "corral-2016": corral_2016.MODELS,
    "tosem-2013": tosem_2013.MODELS,
    "tse-2012": tse_2012.MODELS,
}
LONGEST_RUN = 20  # in calls; the longest that is needed is 14


def explore(model):
    """The EPA within the bounds, as a set of (source set, label, target set), and the invariant violations met."""
    by_state = {}
    for configuration in model.configurations:
        if model.invariant(configuration) and model.is_possible(configuration):
            by_state.setdefault(model.enabled(configuration), []).append(configuration)
    edges, violations, waiting, done = set(), set(), set(), set()

    def end(source, label, after):
        if not model.invariant(after):
            violations.add((source, label))
        elif model.is_possible(after):
            target = model.enabled(after)
            edges.add((source, label, target))
            if target not in done:
                waiting.add(target)

    for name, born in model.births():
        end("I", name, born)
    while waiting:
        source = waiting.pop()
        done.add(source)
        for configuration in by_state.get(source, []):
            for label, after in model.steps(configuration):
                end(source, label, after)
    return edges, violations


def shortest_runs(model, wanted):
    """The length of the shortest run through each edge, in calls, the constructor counted; stops when all are known."""
    shortest, seen, front = {}, set(), set()
    for name, born in model.births():
        shortest.setdefault(("I", name, model.enabled(born)), 1)
        front.add(born)
    for calls in range(2, LONGEST_RUN + 1):
        seen |= front
        following = set()
        for configuration in front:
            source = model.enabled(configuration)
            for label, after in model.steps(configuration):
                if not model.invariant(after):
                    continue
                shortest.setdefault((source, label, model.enabled(after)), calls)
                if after not in seen:
                    following.add(after)
        front = following
        if not front or wanted <= shortest.keys():
            break
    return shortest


def compare(case, model):
    """The differences between what is expected and what the model does."""
    expected = {}
    for edges in with_pure_loops(case):
        source = "I" if edges.source == "I" else frozenset(case.enabled(edges.source))
        for target, calls, _ in edges.targets:
            expected[source, edges.action, frozenset(case.enabled(target))] = calls
    edges, violations = explore(model)
    runs = shortest_runs(model, expected.keys())
    violating = {(frozenset(case.enabled(source)), action) for source, action in case.violations}

    def shown(edge):
        source, action, target = edge
        return f"{'I' if source == 'I' else sorted(source)} -{action}-> {sorted(target)}"

    if list(model.actions) != case.actions:
        yield "the model has other actions"
    yield from (f"not expected: {shown(edge)}" for edge in edges - expected.keys())
    yield from (f"not found: {shown(edge)}" for edge in expected.keys() - edges)
    yield from (f"{action} can break the invariant" for _, action in violations - violating)
    yield from (f"{action} never breaks the invariant" for _, action in violating - violations)
    for edge, calls in expected.items():
        if calls is not None and runs.get(edge, 0) != calls:
            yield f"{shown(edge)}: the shortest run has {runs.get(edge, 0)} calls, expected {calls} (0: none)"


def notation(model):
    """What the model does, in the notation of expected.txt; a state's name is the sum of its actions' bits."""
    edges, violations = explore(model)
    runs = shortest_runs(model, edges)
    actions = list(model.actions)
    bits = lambda state: sum(1 << actions.index(action) for action in state)
    name = lambda state: f"S{bits(state)}"
    states = sorted({target for _, _, target in edges}, key=bits)
    yield "actions: " + " ".join(actions)
    yield " ".join(f"{name(state)}={{{','.join(a for a in actions if a in state)}}}" for state in states)
    for source in ["I", *states]:
        targets = {}
        for _, label, target in sorted((e for e in edges if e[0] == source), key=lambda e: bits(e[2])):
            targets.setdefault(label, []).append(f"{name(target)}[{runs.get((source, label, target), '--')}]")
        in_order = sorted(targets, key=lambda label: actions.index(label.split("!")[0]) if source != "I" else 0)
        if source == "I":
            yield from (f"I -{label}-> {' '.join(targets[label])}" for label in in_order)
        elif targets:
            yield f"{name(source)}: " + "; ".join(f"{label}->{' '.join(targets[label])}" for label in in_order)
    if violations:
        yield "violates: " + " ".join(sorted(f"{name(source)}.{label}" for source, label in violations))


def main():
    arguments = sys.argv[1:]
    known = {name: model for models in FOLDERS.values() for name, model in models.items()}
    if arguments[:1] == ["--notation"] and len(arguments) == 2 and arguments[1] in known:
        print("\n".join(notation(known[arguments[1]])))
        return 0
    if any(argument not in known for argument in arguments):
        print(__doc__)
        return 2
    differences = 0
    for folder, models in FOLDERS.items():
        for case in read((FIXTURES / folder / "expected.txt").read_text(encoding="utf-8")):
            if arguments and case.name not in arguments:
                continue
            found = list(compare(case, models[case.name]))
            differences += len(found)
            remark = "as expected" if not found else f"{len(found)} differences"
            print(f"{folder}/{case.name}: {remark}", flush=True)
            for line in found:
                print(f"  {line}")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
