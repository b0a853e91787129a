// Keys of a page: each does one thing, but not while a person types or a dialog is open.

/**
 * Lets keys do things.
 * @param {Record<string, () => unknown>} deeds by key; letters in lower case
 */
export function listenToKeys(deeds) {
  document.addEventListener("keydown", (event) => {
    const target = event.target;
    const typing =
      target instanceof Element &&
      target.closest("input, select, textarea, dialog[open], ol[tabindex], .settings[open]") !== null;
    if (typing || event.ctrlKey || event.metaKey || event.altKey || (event.repeat && event.key.length === 1)) {
      return;
    }
    const deed = deeds[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (deed !== undefined) {
      event.preventDefault();
      void deed();
    }
  });
}
