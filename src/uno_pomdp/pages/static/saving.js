// A text handed to a person as a file.

/**
 * Lets the browser save a text.
 * @param {string} name
 * @param {string} text
 * @param {string} [kind] its media type
 */
export function saveAs(name, text, kind = "text/plain") {
  const address = URL.createObjectURL(new Blob([text], { type: kind }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
