// The moves of both players, each with what both then hold.

import { withCards } from "./cards.js";
import { html } from "./elements.js";

/**
 * Shows the moves; only new ones are added, so that a reader's place is kept.
 * @param {HTMLElement} list
 * @param {import("./api.js").Move[]} moves
 */
export function showMoves(list, moves) {
  const same = moves.findIndex((move, at) => list.children[at]?.getAttribute("data-words") !== keyOf(move));
  const kept = same < 0 ? moves.length : same;
  while (list.children.length > kept) {
    list.lastElementChild?.remove();
  }
  list.append(...moves.slice(kept).map(moveRow));
  if (kept < moves.length) {
    list.scrollTop = list.scrollHeight;
  }
}

/**
 * Returns what tells a move from others.
 * @param {import("./api.js").Move} move
 * @returns {string}
 */
function keyOf(move) {
  return `${move.number} ${move.words} ${move.sizes.join(" ")}`;
}

/**
 * Returns the row of a move.
 * @param {import("./api.js").Move} move
 * @returns {HTMLElement}
 */
function moveRow(move) {
  const [own, other] = move.sizes;
  const sizes = html("span", { class: "sizes" }, `${own} : ${other}`);
  return html(
    "li",
    { class: `by-${move.by ?? "nobody"}`, "data-words": keyOf(move) },
    html("span", {}, ...withCards(move.words)),
    sizes,
  );
}
