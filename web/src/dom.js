/** Makes an element: attributes (functions are listeners), then children (text or elements; nothing is left out). */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}

/** Replaces all that is in an element. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child != null && child !== false));
}

/** A count with its noun. */
export const count = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;

/** A sentence in which what stands between backquotes is code. */
export const prose = (text) => text.split("`").map((part, index) => (index % 2 ? h("code", null, part) : part));
