// The picture with one arrow for all edges between two states that look the same, and with one arrow for each.
import { openPicture } from "./picture.js";

/** The pictures; the second is only opened when it is wanted. */
export function openPictures(model, chosen) {
  const merged = openPicture(model, document.querySelector("#picture > svg"), chosen);
  const template = document.querySelector("#split");
  let split = null;
  let current = merged;

  function toggle() {
    if (!template) return current;
    const before = current.svg;
    if (current === merged && !split) {
      const svg = document.importNode(template.content.querySelector("svg"), true);
      // What is measured has to be in the page.
      before.replaceWith(svg);
      split = openPicture(model, svg, chosen);
      current = split;
    } else {
      current = current === merged ? split : merged;
      before.replaceWith(current.svg);
    }
    return current;
  }

  return {
    current: () => current,
    toggle,
    isSplit: () => current === split,
    /** Whether there are two, and whether there would be, if the picture were not so large. */
    canSplit: Boolean(template),
    merges: merged.merges,
  };
}
