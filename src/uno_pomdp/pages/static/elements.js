// Elements made one by one: no text is ever read as markup.

const NAMESPACE = "http://www.w3.org/2000/svg";

/**
 * Returns an SVG element with these attributes and children; a child that is a string becomes text.
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, String(value));
  }
  element.append(...children);
  return element;
}

/**
 * Returns an HTML element with these attributes and children; a child that is a string becomes text.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, String(value));
  }
  element.append(...children);
  return element;
}

/**
 * Returns parts with a space between each two, so that they are words of their own to those who hear or copy them.
 * @param {...(Node | string)} parts
 * @returns {(Node | string)[]}
 */
export function spaced(...parts) {
  return parts.flatMap((part, i) => (i === 0 ? [part] : [" ", part]));
}
