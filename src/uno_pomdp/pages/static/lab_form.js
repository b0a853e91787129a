// The form of an experiment.

import { ask, Refusal } from "./api.js";
import { html } from "./elements.js";
import { find } from "./places.js";
import { showRules } from "./rules_words.js";

const form = find("setup", HTMLFormElement);
const rules = find("rules", HTMLSelectElement);
const trouble = find("trouble", HTMLElement);

/** Returns which experiment is chosen. */
function kind() {
  return String(new FormData(form).get("kind"));
}

/** Shows the fields that the chosen experiment has. */
function describe() {
  const nash = kind() === "nash";
  find("second-field", HTMLElement).hidden = nash;
  find("first-label", HTMLElement).textContent = nash ? "Agent" : "First agent";
  find("words", HTMLElement).textContent = nash
    ? "Searches and nets try to beat the agent; on small decks the exact best response is computed too. Searches take long: 50 pairs are a beginning."
    : "Scripted agents play thousands of games a second; searches as many as their budget allows.";
}

/** Fills in what the server offers. */
async function fill() {
  /** @type {import("./api.js").Options} */
  const options = await ask("/api/options");
  rules.append(...options.rules.map((each) => html("option", { value: each.name }, each.name)));
  find("agents", HTMLDataListElement).append(...options.opponents.map((each) => html("option", { value: each.name }, each.summary)));
  const tell = () => {
    const chosen = options.rules.find((each) => each.name === rules.value);
    find("rules-summary", HTMLElement).textContent = chosen?.summary ?? "";
    showRules(chosen?.words ?? []);
  };
  rules.addEventListener("change", tell);
  tell();
}

/** Asks for the experiment and goes to its page; a refusal is shown. */
async function begin() {
  trouble.hidden = true;
  const seed = find("seed", HTMLInputElement).value.trim();
  const wanted = {
    kind: kind(),
    rules: rules.value,
    first: find("first", HTMLInputElement).value.trim(),
    second: kind() === "nash" ? "" : find("second", HTMLInputElement).value.trim(),
    pairs: Number(find("pairs", HTMLInputElement).value),
    seed: seed === "" ? null : Number(seed),
  };
  try {
    const { url } = await ask("/api/lab", wanted);
    location.assign(url);
  } catch (error) {
    if (!(error instanceof Refusal)) {
      throw error;
    }
    trouble.textContent = error.message;
    trouble.hidden = false;
  }
}

document.addEventListener("input", () => {
  trouble.hidden = true;
});
form.addEventListener("change", describe);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  void begin();
});
for (const choice of form.querySelectorAll("input[name=kind]")) {
  choice.addEventListener("change", () => {
    find("pairs", HTMLInputElement).value = kind() === "nash" ? "50" : "1000";
  });
}
describe();
void fill();
