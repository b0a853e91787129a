// The form of a game at a real table, and the tables of this browser that can be gone on with.

import { ask, Refusal } from "./api.js";
import { chosenCoach, coachFor, offerCoaches } from "./coach_choice.js";
import { html } from "./elements.js";
import { find } from "./places.js";
import { showRules } from "./rules_words.js";
import { keptTables } from "./tables.js";

const rules = find("rules", HTMLSelectElement);
const trouble = find("trouble", HTMLElement);

/** Asks for a table and goes to its page; a refusal is shown. */
async function begin() {
  trouble.hidden = true;
  const middle = document.querySelector("input[name=middle]:checked")?.getAttribute("value") === "middle";
  try {
    const { url } = await ask("/api/advise", { rules: rules.value, coach: chosenCoach(), middle });
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
  rules.value = options.rules.some((each) => each.name === "printed") ? "printed" : rules.value;
  offerCoaches(options);
  const describe = () => {
    const chosen = options.rules.find((each) => each.name === rules.value);
    find("rules-summary", HTMLElement).textContent = chosen?.summary ?? "";
    showRules(chosen?.words ?? []);
    coachFor(chosen);
  };
  rules.addEventListener("change", describe);
  describe();
}

document.addEventListener("input", () => {
  trouble.hidden = true;
});
find("setup", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  void begin();
});
const tables = keptTables();
find("waiting", HTMLElement).hidden = tables.length === 0;
find("tables", HTMLElement).append(
  ...tables.map((each) => html("li", {}, html("a", { href: `/advise/${each.token}` }, html("strong", {}, each.rules), ` ${each.words}`))),
);
void fill();
