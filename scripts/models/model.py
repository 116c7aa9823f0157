"""What a model is."""

import itertools
from collections import namedtuple

Raised = namedtuple("Raised", "exception configuration")
Raised.__doc__ = "An end of a call in an exception, with the configuration it leaves behind."


class Model:
    """A class: its configurations within the bounds, invariant, constructors and actions.

    An action or constructor is (requires, body, parameters): `requires(c, *p)`, `body(c, *p)` gives the configuration
    after the call, and `parameters` lists the argument tuples to try. A constructor's `c` is None. A call that may end in
    several ways gives a list of configurations and `Raised`; an empty one where it does not end. `known(c, enabled)` is what is
    known of one state (`state { … } assumes …`).
    """

    def __init__(self, configurations, invariant, constructors, actions, known=lambda c, enabled: True):
        self.configurations = configurations
        self.invariant = invariant
        self.constructors = constructors
        self.actions = actions
        self.known = known
        self.enabled_in = {}

    def enabled(self, configuration):
        if configuration not in self.enabled_in:
            self.enabled_in[configuration] = frozenset(
                name
                for name, (requires, _, parameters) in self.actions.items()
                if any(requires(configuration, *arguments) for arguments in parameters)
            )
        return self.enabled_in[configuration]

    def is_possible(self, configuration):
        """Whether nothing that is known of the configuration's state speaks against it."""
        return self.known(configuration, self.enabled(configuration))

    def steps(self, configuration):
        """Each call that is possible: its label (`action`, or `action!Exception`) and the configuration after it."""
        for name, (requires, body, parameters) in self.actions.items():
            for arguments in parameters:
                if requires(configuration, *arguments):
                    yield from ends(name, body(configuration, *arguments))

    def births(self):
        """Each constructor call that is possible: the constructor's name and the new configuration."""
        for name, (requires, body, parameters) in self.constructors.items():
            for arguments in parameters:
                if requires(None, *arguments):
                    yield from ends(name, body(None, *arguments))


def ends(name, result):
    """The ways in which a call ended."""
    for end in result if isinstance(result, list) else [result]:
        if isinstance(end, Raised):
            yield f"{name}!{end.exception}", end.configuration
        else:
            yield name, end


NONE = [()]
always = lambda c, *p: True
unchanged = lambda c, *p: c
pure = (always, unchanged, NONE)


def numbers(low, high):
    """One integer parameter, from low to high."""
    return [(value,) for value in range(low, high + 1)]


def record(names, **domains):
    """A configuration type with these fields, and all its values over the domains."""
    kind = namedtuple("C", names)
    return kind, [kind(*values) for values in itertools.product(*(domains[name] for name in names.split()))]
