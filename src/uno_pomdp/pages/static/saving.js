// A text handed to a person as a file.

/**
 * Lets the browser save a text.
 * @param {string} name
 * @param {string} text
 */
export function saveAs(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
