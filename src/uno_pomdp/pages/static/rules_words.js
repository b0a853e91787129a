// Rules in words: what each is about, and what it says.

import { html } from "./elements.js";
import { find } from "./places.js";

/** @typedef {{about: string, words: string}} Rule */

/**
 * Fills in what the rules say.
 * @param {Rule[]} rules
 */
export function showRules(rules) {
  find("rules-list", HTMLElement).replaceChildren(
    ...rules.map(({ about, words }) => html("div", {}, html("dt", {}, about), html("dd", {}, words))),
  );
}
