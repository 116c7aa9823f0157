// The data of the page, with what is looked up in it.
import { objectsOf } from "./objects.js";

/** Reads the data and numbers the edges: constructors' first, then transitions, then in the same order the refuted. */
export function readModel(data) {
  const { epa, background } = data;
  const refuted = epa.refuted ?? { states: [], constructors: [], transitions: [], invariant: [] };
  const fromConstructor = (edge) => ({ ...edge, source: null, action: edge.name, outcome: null });
  const edges = [
    ...epa.constructors.map((edge) => ({ ...fromConstructor(edge), refuted: false })),
    ...epa.transitions.map((edge) => ({ ...edge, refuted: false })),
    ...refuted.constructors.map((edge) => ({ ...fromConstructor(edge), refuted: true })),
    ...refuted.transitions.map((edge) => ({ ...edge, refuted: true })),
  ];
  const made = epa.constructors.length;
  const taken = epa.transitions.length;
  edges.forEach((edge, id) => {
    edge.id = id;
    edge.constructs = edge.source === null;
    edge.name = nameOf(edge);
    edge.question = questionOf(background, id);
    edge.output = () => (data.outputs?.[id] ?? []).map((line) => data.output_lines[line]).join("\n");
    edge.run = null;
  });
  const runs = epa.runs ?? [];
  for (const run of runs) {
    const last = run.calls[run.calls.length - 1];
    if (last && edges[last.edge]) edges[last.edge].run = run;
  }
  const states = [
    ...epa.states.map((state) => ({ ...state, refuted: false })),
    ...refuted.states.map((state) => ({ ...state, refuted: true })),
  ];
  const confirmed = edges.some((edge) => edge.confirmation != null);
  const objects = objectsOf(background?.objects, edges);
  return {
    class: epa.class,
    actions: epa.actions,
    epa,
    background,
    options: { idleLoops: data.idle_loops, exceptional: data.exceptional },
    states,
    edges,
    runs,
    refutedInvariant: refuted.invariant,
    secondPass: confirmed,
    answered: edges.some((edge) => edge.answer),
    objects,
    state: (id) => states.find((state) => state.id === id) ?? null,
    ofTransition: (index) => edges[made + index] ?? null,
    ofRefuted: (index) => edges[made + taken + refuted.constructors.length + index] ?? null,
    constructorsOf: (names, target) =>
      edges.filter((edge) => edge.constructs && `, ${names}, `.includes(`, ${edge.action}, `) && endOf(edge) === target),
    out: (id) => edges.filter((edge) => edge.source === id),
    into: (id) => edges.filter((edge) => edge.target === id),
    findings: (test) => (epa.findings ?? []).filter(test),
    routine: (edge) => {
      const list = edge.constructs ? background?.constructors : background?.actions;
      return list?.find((routine) => routine.name === edge.action) ?? null;
    },
    idle: idleActions(epa),
    shortestTo: (id) => shortestTo(runs, id) ?? objects.shortestTo(id),
    reachedIn: (id) => different([...fieldsAfter(runs, id), ...objects.in(id)]),
    foundIn: (id) => different(foundIn(edges, id)),
    following: (path) => runs.find((run) => path.every((edge, i) => run.calls[i]?.edge === edge)) ?? objects.following(path),
    deadlock: (id) => background?.deadlocks?.find((deadlock) => deadlock.state === id) ?? null,
    command: (edge) => (background ? `tranquera explain ${background.named} --edge ${shellWord(commandName(edge))}` : null),
  };
}

/** The question behind an edge; its text only when it is wanted. */
function questionOf(background, id) {
  const question = background?.questions?.[id];
  return question ? { ...question, text: () => question.text.map((line) => background.lines[line]).join("\n") } : null;
}

/** What stands in the picture for the end of an edge. */
export const endOf = (edge) => edge.target ?? `! ${edge.exception}`;

/** `action`, `action[outcome]`, `action ! Exception`. */
function nameOf(edge) {
  const outcome = edge.outcome ? `[${edge.outcome}]` : "";
  const exception = edge.exception ? ` ! ${edge.exception}` : "";
  return `${edge.action}${outcome}${exception}`;
}

/** What an edge is, in words that the style sheet knows too. */
export function kindsOf(edge) {
  const kinds = [];
  if (edge.verdict === "maybe") kinds.push("uncertain");
  if (edge.confirmation) kinds.push(edge.confirmation.status);
  if (edge.violates_invariant) kinds.push("breaks the invariant");
  if (edge.exception) kinds.push("exception");
  return kinds;
}

/** The actions that certainly do nothing but loop. */
function idleActions(epa) {
  const idle = (t) => t.source === t.target && !t.exception && t.verdict === "reached" && !t.violates_invariant;
  const busy = new Set(epa.transitions.filter((t) => !idle(t)).map((t) => t.action));
  return new Set(epa.transitions.map((t) => t.action).filter((action) => !busy.has(action)));
}

/** The calls of the shortest known run that ends in a state. */
function shortestTo(runs, id) {
  let best = null;
  for (const run of runs) {
    const at = run.calls.findIndex((call) => call.target === id);
    if (at >= 0 && (!best || at + 1 < best.calls.length)) best = { ...run, calls: run.calls.slice(0, at + 1) };
  }
  return best;
}

/** The fields after the calls of runs that end in a state. */
function fieldsAfter(runs, id) {
  const calls = runs.flatMap((run) => run.calls).filter((call) => call.target === id);
  return calls.map((call) => call.fields);
}

/** The fields of the objects in a state with which the engine answered; a constructor begins with none. */
function foundIn(edges, id) {
  return edges.flatMap(({ answer, source, target }) => {
    const before = source === id ? answer?.call?.before : null;
    const after = target === id ? answer?.call?.after : null;
    return [before, after].filter(Boolean);
  });
}

/** Different rows, at most five, and none that says nothing. */
function different(rows) {
  const found = new Map();
  for (const row of rows) if (row.length > 0 && found.size < 5) found.set(JSON.stringify(row), row);
  return [...found.values()];
}

/** The edge as `tranquera explain` takes it. */
function commandName(edge) {
  const outcome = edge.outcome ? `[${edge.outcome}]` : "";
  const exception = edge.exception ? `!${edge.exception}` : "";
  return edge.constructs ? `${edge.action} -> ${edge.target}` : `${edge.source} -${edge.action}${outcome}${exception}-> ${edge.target}`;
}

const shellWord = (text) => `'${text.replaceAll("'", "'\\''")}'`;
