// Which cards fly where when a state follows another: a played one to the pile, drawn ones from the draw pile.

import { backSvg, cardOfAction, cardSvg, letterOf } from "./cards.js";
import { fly } from "./flight.js";
import { find } from "./places.js";

/** @typedef {import("./api.js").PlayState} PlayState */

/**
 * Returns where things lie before a state is drawn.
 * @param {import("./hand.js").UnoHand} hand
 * @param {PlayState} before
 * @param {PlayState} state
 */
export function placesBefore(hand, before, state) {
  const number = before.moves.at(-1)?.number ?? 0;
  const fresh = state.moves.filter((move) => move.number > number);
  const played = fresh.findLast((move) => move.action !== null && cardOfAction(move.action) !== null);
  const back = find("opponent-cards", HTMLElement).lastElementChild;
  return {
    any: played !== undefined,
    from: played?.by === "you" ? cardPlace(hand, played.action ?? "") : back?.getBoundingClientRect(),
    pile: find("draw-card", HTMLElement).getBoundingClientRect(),
  };
}

/**
 * Returns where the card of an own move lay.
 * @param {import("./hand.js").UnoHand} hand
 * @param {string} action
 * @returns {DOMRect | null}
 */
function cardPlace(hand, action) {
  const code = cardOfAction(action)?.code;
  const same = hand.buttons.filter((button) => button.dataset.code === code);
  const chosen = same.find((button) => button.tabIndex === 0) ?? same[0];
  return chosen?.getBoundingClientRect() ?? null;
}

/**
 * Lets cards fly to where they now lie.
 * @param {import("./hand.js").UnoHand} hand
 * @param {PlayState} before
 * @param {PlayState} state
 * @param {ReturnType<typeof placesBefore>} places
 */
export function flyCards(hand, before, state, places) {
  const top = find("top-card", HTMLElement);
  if (places.any && state.top !== null) {
    const covered = before.top === null ? null : cardSvg(before.top, { declared: letterOf(before.colour), hidden: true });
    fly(cardSvg(state.top, { declared: letterOf(state.colour), hidden: true }), places.from, top, 0, covered);
  }
  const left = [...before.hand];
  let delay = 0;
  for (const button of hand.buttons) {
    const at = left.indexOf(button.dataset.code ?? "");
    if (at >= 0) {
      left.splice(at, 1);
    } else if (state.hand.length > before.hand.length) {
      fly(cardSvg(button.dataset.code ?? "", { hidden: true }), places.pile, button, delay);
      delay += 70;
    }
  }
  const back = find("opponent-cards", HTMLElement).lastElementChild;
  if (state.opponent_size > before.opponent_size && back !== null) {
    fly(backSvg({ hidden: true }), places.pile, back);
  }
}
