// The list of keys.
import { h } from "./dom.js";

const KEYS = [
  ["In the picture"],
  ["Tab", "the state, then the edges that leave it, then on to the details"],
  ["← ↑ → ↓", "from a state to the next one that way; from an edge to its ends and to the next edge"],
  ["PgUp PgDn", "to the state before or after, in the order of their numbers"],
  ["Home End", "to the first state, and to the last"],
  ["Enter, Space", "show it; in a walk, make the call"],
  ["Everywhere"],
  ["/", "search for states and actions"],
  ["d", "to the details, and back to the picture"],
  ["w", "walk, and back"],
  ["s", "one arrow for each action, or one for all between two states"],
  ["+ − 0", "larger, smaller, all of it"],
  ["?", "this list"],
  ["Esc", "close what is open; back to the overview"],
];

/** The list as a dialog that can be opened. The browser keeps the focus in it, and closes it with Escape. */
export function keyList() {
  const rows = KEYS.map(([keys, what]) =>
    what ? [h("dt", null, keys.split(" ").map((key) => [h("kbd", null, key.replace(",", "")), " "])), h("dd", null, what)] : h("h3", null, keys),
  );
  const dialog = h(
    "dialog",
    { id: "keys", "aria-labelledby": "keys-title", click: ({ target }) => target === dialog && dialog.close() },
    h(
      "div",
      { class: "box" },
      h("h2", { id: "keys-title" }, "Keys"),
      h("dl", { class: "keys" }, rows),
      h("form", { method: "dialog" }, h("button", { type: "submit" }, "Close")),
    ),
  );
  document.body.append(dialog);
  return { open: () => dialog.open || dialog.showModal(), isOpen: () => dialog.open };
}
