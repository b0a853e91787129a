// Links that hold a whole record, in the fragment of an address: a browser sends that to nobody.

const MARK = "#record=";

/**
 * Returns the address of the review of a record.
 * @param {string} record its text
 * @returns {string}
 */
export function reviewAddress(record) {
  return `/review${MARK}${encodeURIComponent(record)}`;
}

/**
 * Returns the record that a fragment holds; null if it holds none.
 * @param {string} fragment such as location.hash
 * @returns {string | null}
 */
export function recordIn(fragment) {
  if (!fragment.startsWith(MARK)) {
    return null;
  }
  try {
    return decodeURIComponent(fragment.slice(MARK.length));
  } catch {
    return null;
  }
}
