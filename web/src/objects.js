// Objects that were made by running the class: which of them a path of edges leads to.

/** The graph of objects. Where there is none, nothing is known. */
export function objectsOf(graph, edges) {
  const { fields, states, calls } = graph ?? { fields: [], states: [], calls: [] };
  const from = new Map();
  for (const call of calls) {
    if (!from.has(call.from)) from.set(call.from, []);
    from.get(call.from).push(call);
  }
  const fieldsOf = (index) => fields.map((name, i) => ({ name, value: states[index].values[i] }));
  const leaving = (step) => from.get(step ? step.call.to : null) ?? [];

  /** As a run: the calls up to a step. */
  function runTo(step) {
    const taken = [];
    for (let at = step; at; at = at.before) taken.unshift(at.call);
    return {
      replayed: true,
      calls: taken.map((call) => ({
        ...call,
        name: edges[call.edge].action,
        exception: edges[call.edge].exception,
        target: states[call.to].state,
        fields: fieldsOf(call.to),
      })),
    };
  }

  /** The last steps of the runs that take exactly these edges, one for each object that they lead to. */
  function stepsAlong(path) {
    let steps = [null];
    for (const edge of path) {
      const next = new Map();
      for (const before of steps) {
        for (const call of leaving(before)) if (call.edge === edge && !next.has(call.to)) next.set(call.to, { call, before });
      }
      steps = [...next.values()];
    }
    return steps;
  }

  /** A shortest run that ends in a state: breadth first, each object once. */
  function shortestTo(id) {
    const seen = new Set();
    const queue = [null];
    for (const before of queue) {
      for (const call of leaving(before)) {
        if (seen.has(call.to)) continue;
        seen.add(call.to);
        const step = { call, before };
        if (states[call.to].state === id) return runTo(step);
        queue.push(step);
      }
    }
    return null;
  }

  return {
    any: states.length > 0,
    in: (id) => states.flatMap((object, index) => (object.state === id ? [fieldsOf(index)] : [])),
    shortestTo,
    following: (path) => {
      const [step] = path.length ? stepsAlong(path) : [];
      return step ? runTo(step) : null;
    },
  };
}
