// Where the focus is in the picture, and how keys move it. One node can be reached by the tab key, and behind it the
// edges that leave it; the arrow keys choose another node. So the tab key never has to pass all of a large picture.

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Lets the keys move in a picture. `reveal` brings a place into view. */
export function moveByKeys(svg, nodes, states, reveal) {
  let current = nodes[0] ?? null;

  /** Makes a node the one that the tab key reaches. */
  function settle(node) {
    if (current) for (const { element } of [current, ...current.leaving]) element.setAttribute("tabindex", "-1");
    current = node;
    for (const { element } of [node, ...node.leaving]) element.setAttribute("tabindex", "0");
  }

  function go(place) {
    if (!place) return;
    reveal(place);
    place.element.focus({ preventScroll: true });
  }

  /** The nearest state that way. */
  function nearest(from, [dx, dy]) {
    let best = null;
    for (const other of nodes) {
      const [x, y] = [other.x - from.x, other.y - from.y];
      const along = x * dx + y * dy;
      if (along <= 1) continue;
      const cost = along + 2 * Math.abs(x * dy - y * dx);
      if (!best || cost < best.cost) best = { cost, other };
    }
    return best?.other;
  }

  function fromNode(node, key) {
    if (WAYS[key]) return nearest(node, WAYS[key]) ?? node;
    const index = nodes.indexOf(node);
    const to = { PageDown: index + 1, PageUp: index - 1, Home: 0, End: nodes.length - 1 }[key];
    return to === undefined ? null : (nodes[to] ?? node);
  }

  function fromEdge(node, stop, key) {
    const index = node.leaving.indexOf(stop);
    const count = node.leaving.length;
    if (key === "ArrowDown") return node.leaving[(index + 1) % count];
    if (key === "ArrowUp") return node.leaving[(index + count - 1) % count];
    if (key === "ArrowLeft") return node;
    if (key === "ArrowRight") return states.get(stop.edge?.target) ?? null;
    return null;
  }

  for (const node of nodes) {
    for (const { element } of [node, ...node.leaving]) element.setAttribute("tabindex", "-1");
    node.element.addEventListener("focus", () => {
      settle(node);
      if (node.element.matches(":focus-visible")) reveal(node);
    });
    for (const stop of node.leaving) {
      stop.element.addEventListener("focus", () => stop.element.matches(":focus-visible") && reveal(stop));
    }
  }
  if (current) settle(current);

  svg.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !current) return;
    const here = svg.ownerDocument.activeElement;
    const owner = nodes.find((node) => node.element === here || node.leaving.some(({ element }) => element === here));
    if (!owner) return;
    const stop = owner.leaving.find(({ element }) => element === here);
    const to = stop ? fromEdge(owner, stop, event.key) : fromNode(owner, event.key);
    if (to) {
      event.preventDefault();
      go(to);
    }
  });

  return {
    state: (id) => go(states.get(id)),
    current: () => go(current),
  };
}
