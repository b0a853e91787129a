// The dialog that asks for the colour of a wild card.

import { COLOURS, letterOf, shapeOf } from "./cards.js";
import { html, svg } from "./elements.js";
import { find } from "./places.js";

/**
 * Asks for one of these colours; returns its letter, or null if the person goes back.
 * @param {string} words what is asked
 * @param {string[]} letters
 * @returns {Promise<string | null>}
 */
export function chooseColour(words, letters) {
  const dialog = find("chooser", HTMLDialogElement);
  if (dialog.open) {
    return Promise.resolve(null);
  }
  find("chooser-title", HTMLElement).textContent = words;
  return new Promise((resolve) => {
    const end = new AbortController();
    const { signal } = end;
    const places = letters.map(letterOf).filter((letter) => letter !== null);
    find("chooser-colours", HTMLElement).replaceChildren(
      ...places.map((letter) => colourButton(letter, () => dialog.close(letter))),
    );
    dialog.returnValue = "";
    dialog.addEventListener(
      "close",
      () => {
        end.abort();
        resolve(dialog.returnValue === "" ? null : dialog.returnValue);
      },
      { signal },
    );
    dialog.addEventListener(
      "click",
      (event) => {
        if (event.target === dialog) {
          dialog.close("");
        }
      },
      { signal },
    );
    dialog.addEventListener(
      "keydown",
      (event) => {
        const letter = event.key.toUpperCase();
        if (letters.includes(letter) && !event.ctrlKey && !event.metaKey && !event.altKey) {
          event.preventDefault();
          dialog.close(letter);
        }
        arrows(dialog, event);
      },
      { signal },
    );
    find("chooser-cancel", HTMLButtonElement).addEventListener("click", () => dialog.close(""), { signal });
    dialog.showModal();
  });
}

/**
 * Lets the arrow keys go through the buttons.
 * @param {HTMLDialogElement} dialog
 * @param {KeyboardEvent} event
 */
function arrows(dialog, event) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const buttons = [...dialog.querySelectorAll("button")];
  const at = buttons.findIndex((each) => each === document.activeElement);
  if (step !== undefined && at >= 0) {
    event.preventDefault();
    buttons[(at + step + buttons.length) % buttons.length].focus();
  }
}

/**
 * Returns the button of a colour: its shape, its name, its key.
 * @param {import("./cards.js").ColourLetter} letter
 * @param {() => void} act
 * @returns {HTMLButtonElement}
 */
function colourButton(letter, act) {
  const { name, fill, ink } = COLOURS[letter];
  const shape = svg("svg", { viewBox: "0 0 48 48", "aria-hidden": "true" }, shapeOf(letter, 24, 24, 15, ink));
  const button = html(
    "button",
    { type: "button", class: "colour-button", "aria-keyshortcuts": letter.toLowerCase() },
    shape,
    name,
  );
  button.style.backgroundColor = fill;
  button.style.color = ink;
  button.addEventListener("click", act);
  return button;
}
