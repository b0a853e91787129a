// What a browser keeps for a person: a value by name, as JSON. Where storage is forbidden, nothing is kept.

const PREFIX = "uno-pomdp.";

/**
 * Returns what was kept under a name; undefined where there is nothing, or nothing readable.
 * @param {string} name
 * @returns {unknown}
 */
export function kept(name) {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Keeps a value under a name.
 * @param {string} name
 * @param {unknown} value
 */
export function keep(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // full or forbidden: the page works without
  }
}

/**
 * Returns a wish as it was kept: a bare word, which theme.js reads too.
 * @param {string} name
 * @returns {string | null}
 */
export function keptWord(name) {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/**
 * Keeps a bare word under a name, or forgets it.
 * @param {string} name
 * @param {string | null} word
 */
export function keepWord(name, word) {
  try {
    if (word === null) {
      localStorage.removeItem(PREFIX + name);
    } else {
      localStorage.setItem(PREFIX + name, word);
    }
  } catch {
    // as above
  }
}
