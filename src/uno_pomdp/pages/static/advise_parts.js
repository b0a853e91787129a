// Other things to tap than cards: a colour, a number, who.

import { COLOURS, letterOf, shapeOf } from "./cards.js";
import { html, svg } from "./elements.js";

/**
 * Returns a large button.
 * @param {string} words
 * @param {() => void} act
 * @param {string} [more] smaller words below
 * @returns {HTMLButtonElement}
 */
export function bigButton(words, act, more = "") {
  const button = html("button", { type: "button", class: "big" }, html("strong", {}, words), ...(more === "" ? [] : [" ", html("small", {}, more)]));
  button.addEventListener("click", act);
  return button;
}

/**
 * Returns a button for each colour.
 * @param {string[]} names
 * @param {(name: string) => void} choose
 * @param {(name: string) => string} [more] smaller words for each
 * @returns {HTMLElement}
 */
export function colourButtons(names, choose, more = () => "") {
  const buttons = names.flatMap((name) => {
    const letter = letterOf(name);
    if (letter === null) {
      return [];
    }
    const shape = svg("svg", { viewBox: "0 0 48 48", "aria-hidden": "true" }, shapeOf(letter, 24, 24, 15, COLOURS[letter].ink));
    const small = html("small", {}, more(name));
    const button = html("button", { type: "button", class: `colour-choice ${name}` }, shape, html("strong", {}, name), " ", small);
    button.addEventListener("click", () => choose(name));
    return [button];
  });
  return html("div", { class: "colour-choices" }, ...buttons);
}

/**
 * Returns a number to set, by two buttons or typed, and the button that takes it.
 * @param {string} words what it counts
 * @param {{least: number, most: number, usual: number}} bounds
 * @param {(value: number) => void} done
 * @returns {{field: HTMLElement, value: () => number}}
 */
export function stepper(words, { least, most, usual }, done) {
  const input = html("input", { type: "text", inputmode: "numeric", pattern: "[0-9]*", value: usual, "aria-label": words });
  const value = () => Math.max(least, Math.min(most, Number.parseInt(input.value, 10) || 0));
  const by = (/** @type {number} */ step, /** @type {string} */ sign, /** @type {string} */ name) => {
    const button = html("button", { type: "button", "aria-label": name }, sign);
    button.addEventListener("click", () => {
      input.value = String(Math.max(least, Math.min(most, value() + step)));
    });
    return button;
  };
  const take = html("button", { type: "button", class: "primary" }, "Done");
  take.addEventListener("click", () => done(value()));
  return { field: html("div", { class: "stepper" }, by(-1, "−", "one less"), input, by(1, "+", "one more"), take), value };
}
