#!/usr/bin/env python3
"""Checks fixtures/*/expected.txt, and that the .json files beside it say the same; --write makes those files.

The expected EPAs are typed from the reference, or confirmed by explore_fixtures.py (the notation is explained at the top of
each expected.txt). This script never asks the program under test anything. It checks that each EPA has the size and the
number of questions that are given, numbers the states as the program must, and compares the result with the .json files.
Where a folder has a published.json, written by hand, its expected numbers and findings must be those of the EPA.
Expected interfaces are written by hand; they must be whole, and of the sizes that their published.json expects.

Exit status: 0 all is well, 1 something differs, 2 expected.txt cannot be read.
"""

import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
EDGE = re.compile(r"(\w+)\s*-([^>]+?)->|([\w!]+)\s*->")
TARGET = re.compile(r"(\w+)(?:\[(\d+|--)\])?(\?)?")
STATE = re.compile(r"(\w+)=\{([^}]*)\}")
QUESTIONS = re.compile(r"(\d+)\+(\d+)\+(\d+)")


class BadNotation(Exception):
    """A line of expected.txt that cannot be read."""


@dataclass
class Edges:
    """One action's edges from one state: each target with its shortest run (None: not given, 0: spurious) and doubt."""

    source: str
    action: str
    targets: list


@dataclass
class Case:
    """One class, as written in expected.txt. `I` is the synthetic initial state."""

    name: str
    cls: str
    actions: list = field(default_factory=list)
    short: dict = field(default_factory=dict)
    pure: list = field(default_factory=list)
    questions: list = field(default_factory=list)
    size: tuple = None
    own_size: tuple = None
    violations: list = field(default_factory=list)
    states: dict = field(default_factory=dict)
    edges: list = field(default_factory=list)
    bound_states: dict = field(default_factory=dict)
    bound_edges: list = field(default_factory=list)

    def bits(self, enabled):
        """An enabled set as a number: the first declared action is the least significant bit."""
        return sum(1 << self.actions.index(action) for action in enabled)

    def enabled(self, state):
        """The enabled actions of a state, in the order of declaration."""
        states = {**self.states, **self.bound_states}
        return [action for action in self.actions if action in states[state]]

    def long(self, label):
        """An action's whole name, with the exception that it ends in, if there is one."""
        action, mark, exception = label.partition("!")
        name = self.short.get(action, action)
        if name not in self.actions:
            raise BadNotation(f"{self.name}: no action {name}")
        return name + mark + exception


def read(text):
    """The cases of an expected.txt, in its order."""
    cases = []
    at_bound = False
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        heading = re.fullmatch(r"\[(\w+)\] (\w+), .*", line)
        if heading:
            cases.append(Case(heading[1], heading[2]))
            at_bound = False
            continue
        if not cases:
            raise BadNotation(f"a line before the first heading: {line}")
        if line == "bound 3:":
            at_bound = True
            continue
        read_line(cases[-1], line, at_bound)
    return cases


def read_line(case, line, at_bound):
    """Adds what one line says to its case."""
    key, _, rest = line.partition(": ")
    if key == "actions":
        case.actions += rest.split()
    elif key == "short":
        case.short.update(pair.split("=") for pair in rest.split())
    elif key == "pure":
        case.pure = rest.split()
    elif key == "size":
        case.size = tuple(int(number) for number in rest.split("/"))
    elif key == "size without I":
        case.own_size = tuple(int(number) for number in rest.split("/"))
    elif key == "violates":
        case.violations = [(state, case.long(action)) for state, action in (p.split(".") for p in rest.split())]
    elif key == "questions":
        case.questions = [tuple(map(int, counts)) for counts in QUESTIONS.findall(rest)]
    elif STATE.match(line):
        states = case.bound_states if at_bound else case.states
        for name, enabled in STATE.findall(line):
            listed = [case.long(action) for action in enabled.split(",") if action]
            states[name] = set(listed) | set(case.pure)
    else:
        (case.bound_edges if at_bound else case.edges).extend(read_edges(case, line))


def read_edges(case, line):
    """`S1 -a-> S2[2] S3[--]; …` or `S1: a->S2[2] b->S3[2]; …`"""
    source, colon, rest = line.partition(": ")
    result = []
    for part in (rest if colon else line).split(";"):
        ends = list(EDGE.finditer(part))
        for this, following in zip(ends, ends[1:] + [None]):
            targets = part[this.end() : following.start() if following else len(part)]
            name = this[2] or this[3]
            if colon:
                origin, action = source, case.long(name)
            elif this[3]:
                origin, action = name, f"{case.cls}()"
            else:
                origin, action = this[1], name if this[1] == "I" else case.long(name)
            if action == "ctor":
                action = f"{case.cls}()"
            result.append(Edges(origin, action, read_targets(case, targets, line)))
    if not result:
        raise BadNotation(f"{case.name}: not understood: {line}")
    return result


def read_targets(case, text, line):
    targets = []
    for word in text.split():
        match = TARGET.fullmatch(word)
        if not match or not (match[1] in case.states or match[1] in case.bound_states):
            raise BadNotation(f"{case.name}: {word} is no target in: {line}")
        calls = {None: None, "--": 0}.get(match[2], match[2])
        targets.append((match[1], None if calls is None else int(calls), bool(match[3])))
    if not targets:
        raise BadNotation(f"{case.name}: no target in: {line}")
    return targets


def with_pure_loops(case):
    """The edges with the self loops of the pure actions, which the notation leaves out."""
    loops = [Edges(state, action, [(state, None, False)]) for state in case.states for action in case.pure]
    return case.edges + loops


def labels(case):
    """The actions in the order of declaration, each followed by its exceptional ends."""
    used = {edges.action for edges in case.edges}
    for action in case.actions:
        yield action
        yield from sorted(label for label in used if label.startswith(f"{action}!"))


def order(case):
    """The states, breadth-first from the initial ones; targets that are new together by the bits of their sets."""
    steps = {}
    for edges in with_pure_loops(case):
        steps.setdefault((edges.source, edges.action), []).extend(target for target, _, _ in edges.targets)
    constructors = [action for source, action in steps if source == "I"]
    found = []

    def visit(key):
        for target in sorted(steps.get(key, []), key=lambda state: case.bits(case.enabled(state))):
            if target not in found:
                found.append(target)

    for constructor in constructors:
        visit(("I", constructor))
    for state in found:  # grows while it is walked
        for label in labels(case):
            visit((state, label))
    return found


def epa(case):
    """The expected EPA as the program prints it, without `findings`, `notes` and `stats`."""
    states = order(case)
    ids = {state: f"S{number}" for number, state in enumerate(states, start=1)}
    constructors, transitions = [], []
    initial = set()
    for edges in with_pure_loops(case):
        for target, _, _ in edges.targets:
            if edges.source == "I":
                initial.add(target)
                constructors.append((edges.action, target))
            else:
                transitions.append((edges.source, edges.action, target))
    declared = [edges.action for edges in case.edges if edges.source == "I"]
    constructors.sort(key=lambda edge: (declared.index(edge[0]), states.index(edge[1])))
    ranks = {label: rank for rank, label in enumerate(labels(case))}
    transitions.sort(key=lambda edge: (states.index(edge[0]), ranks[edge[1]], states.index(edge[2])))
    return {
        "schema": "tranquera/epa/1",
        "class": case.cls,
        "actions": case.actions,
        "states": [
            {"id": ids[state], "enabled": case.enabled(state), "initial": state in initial} for state in states
        ],
        "constructors": [
            {"name": name, "target": ids[target], "verdict": "reached", "reason": None,
             "violates_invariant": False, "confirmation": None}
            for name, target in constructors
        ],
        "transitions": [
            {"source": ids[source], "action": label.partition("!")[0], "target": ids[target], "outcome": None,
             "exception": label.partition("!")[2] or None, "verdict": "reached", "reason": None,
             "violates_invariant": (source, label) in case.violations, "confirmation": None}
            for source, label, target in transitions
        ],
    }


def at_bound_3(case):
    """What bound 3 may answer: the certain transitions and the uncertain ones, each state by its enabled set."""
    edges = with_pure_loops(case)
    edges += [Edges(state, action, [(state, None, False)]) for state in case.bound_states for action in case.pure]
    uncertain, certain = set(), set()
    for bundle in case.bound_edges:
        for target, _, doubt in bundle.targets:
            (uncertain if doubt else certain).add((bundle.source, bundle.action, target))
    for bundle in edges:
        if bundle.source != "I":
            certain.update((bundle.source, bundle.action, target) for target, _, _ in bundle.targets)

    def listed(transitions):
        def key(edge):
            return case.bits(case.enabled(edge[0])), case.actions.index(edge[1]), case.bits(case.enabled(edge[2]))

        return [
            {"source": case.enabled(source), "action": action, "target": case.enabled(target)}
            for source, action, target in sorted(transitions, key=key)
        ]

    return {
        "schema": "tranquera/fixture-bound/1",
        "class": case.cls,
        "recursion_bound": 3,
        "certain": listed(certain - uncertain),
        "uncertain": listed(uncertain),
    }


def count_questions(case, shortcut):
    """How many positive, negative and transition questions `enumerate` asks, by the reference's formula (section 1)."""
    asked, transition = 0, 0
    sources = {}
    for edges in with_pure_loops(case):
        sources.setdefault((edges.source, edges.action), []).extend(target for target, _, _ in edges.targets)
    for (_, action), targets in sources.items():
        if shortcut and action in case.pure:
            transition += 1
            continue
        sets = [set(case.enabled(target)) for target in targets]
        asked += 1
        transition += 2 ** len(set.union(*sets) - set.intersection(*sets))
    each = len(case.actions) * asked
    return each, each, transition


def own_size(case):
    """The size without I: states, transitions that end normally, exceptional ones."""
    normal, exceptional = 0, 0
    for edges in with_pure_loops(case):
        if "!" in edges.action:
            exceptional += len(edges.targets)
        elif edges.source != "I":
            normal += len(edges.targets)
    return len(case.states), normal, exceptional


def problems(case):
    """What is wrong with a case, as sentences."""
    ids = order(case)
    if set(ids) != set(case.states):
        yield f"not reached from a constructor: {set(case.states) - set(ids)}"
    size = len(case.states) + 1, sum(len(edges.targets) for edges in with_pure_loops(case))
    if case.size not in (None, size):
        yield f"size {size}, but the reference says {case.size}"
    if case.own_size not in (None, own_size(case)[:2]):
        yield f"size {own_size(case)[:2]} without I, but {case.own_size} is given"
    for counts, shortcut in zip(case.questions, (True, False)):
        if counts != count_questions(case, shortcut):
            yield f"questions {count_questions(case, shortcut)}, but the reference says {counts}"
    for edges in case.edges + case.bound_edges:
        if edges.source != "I" and edges.action.partition("!")[0] not in case.enabled(edges.source):
            yield f"{edges.action} leaves {edges.source}, which does not enable it"
    for state in case.states:
        for action in case.enabled(state):
            leads = any((edges.source, edges.action) == (state, action) for edges in with_pure_loops(case))
            if not leads and (state, action) not in case.violations:
                yield f"{state} enables {action}, which leads nowhere"


def one_per_line(value):
    """JSON with one state or edge a line, so that a difference shows as a line."""
    lines = []
    for key, item in value.items():
        if isinstance(item, list) and item and isinstance(item[0], dict):
            inner = ",\n".join("    " + json.dumps(entry, ensure_ascii=False) for entry in item)
            lines.append(f"  {json.dumps(key)}: [\n{inner}\n  ]")
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(item, ensure_ascii=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def questions(cases):
    """The reference's numbers of questions, for the tests of the `enumerate` strategy."""

    def counts(triple):
        return dict(zip(("positive", "negative", "transition"), triple))

    result = {"schema": "tranquera/fixture-questions/1", "classes": []}
    for case in cases:
        if case.questions:
            without = counts(case.questions[1]) if len(case.questions) > 1 else None
            result["classes"].append(
                {"name": case.name, "pure_shortcut": counts(case.questions[0]), "no_pure_shortcut": without}
            )
    return result


def files(folder, cases):
    """The .json files of a folder: path and text."""
    for case in cases:
        yield folder / f"{case.name}.epa.json", one_per_line(epa(case))
        if case.bound_edges:
            yield folder / f"{case.name}.bound3.json", one_per_line(at_bound_3(case))
    if any(case.questions for case in cases):
        yield folder / "questions.json", one_per_line(questions(cases))


def published_problems(path, cases):
    """What a published.json says that the expected EPAs do not."""
    by_name = {case.name: case for case in cases}
    subjects = json.loads(path.read_text(encoding="utf-8"))["subjects"]
    for name in by_name.keys() - {subject["name"] for subject in subjects}:
        yield f"{name} is missing"
    for subject in subjects:
        case = by_name.get(subject["name"])
        if case is None:
            yield f"{subject['name']} is not in expected.txt"
            continue
        ours = dict(zip(("states", "transitions", "exceptional"), own_size(case)), actions=len(case.actions))
        if subject["expected"] != ours:
            yield f"{case.name} has {ours}, not {subject['expected']}"
        published = subject["published"]
        same = all(published[key] in (None, ours[key]) for key in ("actions", "states", "transitions"))
        if same == bool(subject["difference"]):
            yield f"{case.name}: a difference is explained where there is none, or not explained"
        present = {
            (frozenset(case.enabled(edges.source)), edges.action, frozenset(case.enabled(target)))
            for edges in with_pure_loops(case)
            if edges.source != "I"
            for target, _, _ in edges.targets
        }
        for finding in subject["findings"]:
            edge = frozenset(finding["source"]), finding["label"], frozenset(finding["target"])
            if (edge in present) != finding["present"]:
                yield f"{case.name}: the EPA does not show: {finding['says']}"


def check(folder, write):
    """The complaints about one folder."""
    cases = read((folder / "expected.txt").read_text(encoding="utf-8"))
    complaints = [f"{folder.name}/{case.name}: {problem}" for case in cases for problem in problems(case)]
    expected = dict(files(folder, cases))
    for path, text in expected.items():
        if write:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            complaints.append(f"{folder.name}/{path.name} is not what expected.txt says (run with --write)")
    published = folder / "published.json"
    if published.exists():
        complaints += [f"{folder.name}/published.json: {problem}" for problem in published_problems(published, cases)]
    named = {case.name for case in cases}
    for path in sorted(folder.glob("*.json")):
        if path not in expected and path != published:
            complaints.append(f"{folder.name}/{path.name} is not in expected.txt")
    classes = {path.stem for path in folder.glob("*.tq")}
    complaints += [f"{folder.name}/{name}.tq has no expected EPA" for name in sorted(classes - named)]
    complaints += [f"{folder.name}/{name}.tq is missing" for name in sorted(named - classes)]
    print(f"{folder.name}: {len(cases)} classes, {len(expected)} files, {len(complaints)} complaints")
    return complaints


def interface_problems(path):
    """What is wrong with an expected interface, as sentences."""
    for number, case in enumerate(json.loads(path.read_text(encoding="utf-8"))["cases"], start=1):
        states = case["interface"]
        found = ["q0"]
        for state in found:  # grows while it is walked
            found += [target for target in dict.fromkeys(states.get(state, {}).values()) if target not in found]
        if set(found) != set(states):
            yield f"case {number}: {set(found) ^ set(states)} is not a state, or not reached from q0"


def check_interfaces(folder):
    """The complaints about a folder of interfaces."""
    complaints = []
    sizes = set()
    classes = {path.stem for path in folder.glob("*.tq")}
    expected = {path.name.removesuffix(".interface.json"): path for path in folder.glob("*.interface.json")}
    for name in sorted(classes ^ expected.keys()):
        complaints.append(f"{folder.name}/{name}: the class or its expected interface is missing")
    for name, path in sorted(expected.items()):
        complaints += [f"{folder.name}/{name}: {problem}" for problem in interface_problems(path)]
        for case in json.loads(path.read_text(encoding="utf-8"))["cases"]:
            edges = sum(len(letters) for letters in case["interface"].values())
            sizes.add((name, tuple(case["predicates"]), len(case["interface"]), edges))
    for subject in json.loads((folder / "published.json").read_text(encoding="utf-8"))["subjects"]:
        size = subject["expected"]["states"], subject["expected"]["transitions"]
        if (subject["name"], tuple(subject["predicates"]), *size) not in sizes:
            complaints.append(f"{folder.name}/published.json: {subject['subject']} has no expected interface of that size")
    print(f"{folder.name}: {len(classes)} classes, {len(expected)} interfaces, {len(complaints)} complaints")
    return complaints


def main():
    write = sys.argv[1:] == ["--write"]
    if sys.argv[1:] and not write:
        print(__doc__)
        return 2
    try:
        complaints = [line for path in sorted(FIXTURES.glob("*/expected.txt")) for line in check(path.parent, write)]
        interfaces = sorted({path.parent for path in FIXTURES.glob("*/*.interface.json")})
        complaints += [line for folder in interfaces for line in check_interfaces(folder)]
    except BadNotation as error:
        print(error, file=sys.stderr)
        return 2
    for line in complaints:
        print(line, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
