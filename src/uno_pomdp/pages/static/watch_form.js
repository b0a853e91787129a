// The form of a game to look at: two agents, or a record.

import { ask, Refusal } from "./api.js";
import { html } from "./elements.js";
import { find } from "./places.js";
import { showRules } from "./rules_words.js";

const rules = find("rules", HTMLSelectElement);
const record = find("record", HTMLTextAreaElement);
const trouble = find("trouble", HTMLElement);

/**
 * Asks for a game and goes to its page; a refusal is shown.
 * @param {Record<string, unknown>} wanted
 */
async function open(wanted) {
  trouble.hidden = true;
  try {
    const { url } = await ask("/api/watch", wanted);
    location.assign(url);
  } catch (error) {
    if (!(error instanceof Refusal)) {
      throw error;
    }
    trouble.textContent = error.message;
    trouble.hidden = false;
  }
}

/** Fills in what the server offers. */
async function fill() {
  /** @type {import("./api.js").Options} */
  const options = await ask("/api/options");
  rules.append(...options.rules.map((each) => html("option", { value: each.name }, each.name)));
  find("agents", HTMLDataListElement).append(...options.opponents.map((each) => html("option", { value: each.name }, each.summary)));
  const describe = () => {
    const chosen = options.rules.find((each) => each.name === rules.value);
    find("rules-summary", HTMLElement).textContent = chosen?.summary ?? "";
    showRules(chosen?.words ?? []);
    for (const id of ["first", "second"]) {
      find(id, HTMLInputElement).placeholder = chosen?.opponent ?? "";
    }
  };
  rules.addEventListener("change", describe);
  describe();
}

document.addEventListener("input", () => {
  trouble.hidden = true;
});
find("setup", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  const seed = find("seed", HTMLInputElement).value.trim();
  const [first, second] = ["first", "second"].map((id) => find(id, HTMLInputElement).value.trim());
  void open({ rules: rules.value, first, second, seed: seed === "" ? null : Number(seed) });
});
find("pasted", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  void open({ record: record.value });
});
record.addEventListener("dragover", (event) => event.preventDefault());
record.addEventListener("drop", (event) => {
  const file = event.dataTransfer?.files[0];
  if (file !== undefined) {
    event.preventDefault();
    void file.text().then((text) => {
      record.value = text;
    });
  }
});
void fill();
