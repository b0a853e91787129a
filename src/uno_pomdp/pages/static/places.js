// Elements that a template is known to have, with their types.

/**
 * Returns the element with this id; a page without it is a mistake of ours.
 * @template {Element} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function find(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) {
    throw new Error(`the page has no ${kind.name} called ${id}`);
  }
  return found;
}
