// The form of a review: takes a record from a paste, a file, a drop or the address, and asks for its review.

import { ask, Refusal } from "./api.js";
import { chosenCoach, offerCoaches } from "./coach_choice.js";
import { find } from "./places.js";
import { recordIn } from "./record_links.js";

const record = find("record", HTMLTextAreaElement);
const trouble = find("trouble", HTMLElement);

/** @param {string} words */
function complain(words) {
  trouble.textContent = words;
  trouble.hidden = words === "";
}

/** Asks for the review and goes to its page; a refusal is shown. */
async function begin() {
  complain("");
  try {
    const { url } = await ask("/api/review", { record: record.value, coach: chosenCoach() });
    location.assign(url);
  } catch (error) {
    complain(error instanceof Refusal ? error.message : String(error));
  }
}

/** @param {File | undefined | null} file */
async function take(file) {
  if (file !== undefined && file !== null) {
    record.value = await file.text();
  }
}

/** A link that holds a record is followed at once. */
async function follow() {
  if (location.hash === "") {
    return;
  }
  const found = await recordIn(location.hash);
  if (found === null) {
    complain("This link holds no record that can be read: it may have been cut off. Paste the record instead.");
    return;
  }
  record.value = found;
  history.replaceState(null, "", location.pathname);
  await begin();
}

document.addEventListener("input", () => complain(""));
find("setup", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  void begin();
});
const file = find("file", HTMLInputElement);
file.addEventListener("change", () => void take(file.files?.[0]));
record.addEventListener("dragover", (event) => event.preventDefault());
record.addEventListener("drop", (event) => {
  if (event.dataTransfer !== null && event.dataTransfer.files.length > 0) {
    event.preventDefault();
    void take(event.dataTransfer.files[0]);
  }
});
void follow();
ask("/api/options").then(offerCoaches, () => {}); // without the list, the usual coach is there
