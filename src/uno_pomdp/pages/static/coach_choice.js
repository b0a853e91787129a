// The choice of a coach: the usual one, one that the server offers, or any other by its text.

import { html } from "./elements.js";
import { find } from "./places.js";

/** @typedef {import("./api.js").Options} Options */

/** The value of the entry that asks for a text. */
const OTHER = " other";
/** The value of the entry that leaves the choice to the server. */
const USUAL = "";

const choice = find("coach-choice", HTMLSelectElement);
const text = find("coach", HTMLInputElement);
/** @type {Options["coaches"]} */
let offered = [];

/**
 * Fills in the coaches that the server offers.
 * @param {Options} options
 */
export function offerCoaches(options) {
  offered = options.coaches;
  const names = offered.map(({ name }) => html("option", { value: name }, name));
  choice.append(...names, html("option", { value: OTHER }, "another, by its text …"));
  describe();
}

/**
 * Says by which rules is played: a coach that does not know them can't be chosen.
 * @param {Options["rules"][number] | undefined} rules
 */
export function coachFor(rules) {
  for (const option of choice.options) {
    const known = offered.find(({ name }) => name === option.value);
    option.disabled = known !== undefined && rules !== undefined && !known.rules.includes(rules.name);
  }
  if (choice.selectedOptions[0]?.disabled) {
    choice.value = USUAL;
  }
  choice.options[0].textContent = rules === undefined ? "the usual one" : `the usual one: ${rules.coach}`;
  describe();
}

/**
 * Returns the coach that was chosen; null for the usual one.
 * @returns {string | null}
 */
export function chosenCoach() {
  const chosen = choice.value === OTHER ? text.value.trim() : choice.value;
  return chosen === "" ? null : chosen;
}

/** Says what the chosen coach is, or asks for its text. */
function describe() {
  const other = choice.value === OTHER;
  find("coach-other", HTMLElement).hidden = !other;
  text.required = other;
  const usual = "The strongest for these rules.";
  const known = offered.find(({ name }) => name === choice.value)?.summary;
  find("coach-summary", HTMLElement).textContent = other ? "Any agent that values every move." : (known ?? usual);
}

choice.addEventListener("change", describe);
