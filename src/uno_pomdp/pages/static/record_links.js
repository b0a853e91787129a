// A record in the fragment of an address: compressed, in letters that need no escape. Browsers send no fragment.

/** A record is shorter; what unpacks to more is no record. */
const MOST_BYTES = 256 * 1024;
const NAME = "record=";

/**
 * Returns the address of the review of a record.
 * @param {string} text
 * @returns {Promise<string>}
 */
export async function reviewAddress(text) {
  const packed = await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer();
  const letters = Array.from(new Uint8Array(packed), (byte) => String.fromCharCode(byte)).join("");
  return `/review#${NAME}` + btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * Returns the record that a fragment holds; null if it holds none.
 * @param {string} fragment as `location.hash` has it
 * @returns {Promise<string | null>}
 */
export async function recordIn(fragment) {
  const packed = fragment.replace(/^#/, "");
  if (!packed.startsWith(NAME) || packed.length > 2 * MOST_BYTES) {
    return null;
  }
  try {
    const letters = atob(packed.slice(NAME.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    return await unpacked(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")));
  } catch {
    return null;
  }
}

/**
 * Returns the text of a stream, as long as it is not too long.
 * @param {ReadableStream<Uint8Array>} stream
 * @returns {Promise<string | null>}
 */
async function unpacked(stream) {
  const reader = stream.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let [text, size] = ["", 0];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return text + decoder.decode();
    }
    size += value.length;
    if (size > MOST_BYTES) {
      void reader.cancel();
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}
