// Cards to tap: all of a deck as tiles large enough for a thumb, four colours and black. One card is chosen by a tap;
// of several each tap adds one, a tray shows them, and one that lies in the tray is taken out by a tap.

import { cardSvg, cardWords, COLOURS, COLOUR_LETTERS, partsOf } from "./cards.js";
import { html } from "./elements.js";
import { countOf } from "./words.js";

const RANKS = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "S", "R", "+2"];
const BLACK = ["W", "W4"];
/** Colours with so few cards share a row. */
const FEW = 2;
const SIGNS = /** @type {Record<string, string>} */ ({ S: "⊘", R: "⇄", W: "wild", W4: "+4" });

/**
 * Returns the tile of a card.
 * @param {string} code
 * @param {string} more what is said of it besides its name
 * @returns {HTMLButtonElement}
 */
function tile(code, more) {
  const { colour, rank } = partsOf(code);
  const [name, sign] = colour === null ? ["black", "★"] : [COLOURS[colour].name, COLOURS[colour].sign];
  return html(
    "button",
    { type: "button", class: `tile ${name}`, "data-code": code, "aria-label": `${cardWords(code)}${more}` },
    html("span", { class: "rank", "aria-hidden": "true" }, SIGNS[rank] ?? rank),
    html("span", { class: "sign", "aria-hidden": "true" }, sign),
  );
}

/**
 * Returns tiles in rows, a row for each colour and one for black; few of several colours share one.
 * @param {string[]} codes
 * @param {(code: string) => HTMLButtonElement} make
 * @returns {HTMLElement}
 */
function rowsOf(codes, make) {
  const whole = [...COLOUR_LETTERS.map((letter) => RANKS.map((rank) => `${letter}${rank}`)), BLACK]
    .map((row) => row.filter((code) => codes.includes(code)))
    .filter((row) => row.length > 0);
  const short = whole.filter((row) => row.length <= FEW);
  const rows = short.length < 2 ? whole : [...whole.filter((row) => row.length > FEW), short.flat()];
  const grid = html(
    "div",
    { class: "tiles" },
    ...rows.map((row) => {
      const names = [...new Set(row.map((code) => partsOf(code).colour))].map((colour) => (colour === null ? "black" : COLOURS[colour].name));
      return html("div", { class: "tile-row", role: "group", "aria-label": names.join(", ") }, ...row.map(make));
    }),
  );
  rove(grid);
  return grid;
}

/**
 * Lets the arrow keys go through tiles, which are one stop of the tabulator.
 * @param {HTMLElement} grid
 */
function rove(grid) {
  const tiles = [...grid.querySelectorAll("button")];
  tiles.forEach((each, place) => each.setAttribute("tabindex", place === 0 ? "0" : "-1"));
  grid.addEventListener("focusin", (event) => {
    tiles.forEach((each) => each.setAttribute("tabindex", each === event.target ? "0" : "-1"));
  });
  grid.addEventListener("keydown", (event) => {
    const at = tiles.findIndex((each) => each === event.target);
    const to = at < 0 ? -1 : { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tiles.length - 1 }[event.key] ?? beyond(tiles, at, event.key);
    if (to >= 0 && to < tiles.length) {
      event.preventDefault();
      tiles[to].focus();
    }
  });
}

/**
 * Returns the place of the nearest tile in the next row up or down; -1 if there is none, or it is another key.
 * @param {HTMLElement[]} tiles
 * @param {number} at
 * @param {string} key
 * @returns {number}
 */
function beyond(tiles, at, key) {
  const sense = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (sense === undefined) {
    return -1;
  }
  const here = tiles[at].getBoundingClientRect();
  let [found, least] = [-1, Infinity];
  tiles.forEach((each, place) => {
    const there = each.getBoundingClientRect();
    const down = sense * (there.top - here.top);
    const far = 10 * down + Math.abs(there.left - here.left);
    if (down > 4 && far < least) {
      [found, least] = [place, far];
    }
  });
  return found;
}

/**
 * Returns tiles of which one is tapped. Where some are likelier than others, those stand first and the rest is folded.
 * @param {string[]} codes
 * @param {(code: string) => void} choose
 * @param {{title: string, folded: string[], rest: string}} [likely]
 * @returns {HTMLElement[]}
 */
export function oneCard(codes, choose, likely) {
  const shown = tilesFor(codes, choose, "");
  if (likely === undefined) {
    return [shown];
  }
  const title = html("h3", {}, likely.title);
  const rest = tilesFor(likely.folded, choose, `, ${likely.rest}`);
  rest.classList.add("dim");
  const others = html("details", { class: "others" }, html("summary", {}, `Another card (${likely.rest})`), rest);
  return [...(codes.length === 0 ? [] : [title, shown]), ...(likely.folded.length === 0 ? [] : [others])];
}

/**
 * @param {string[]} codes
 * @param {(code: string) => void} choose
 * @param {string} more
 */
function tilesFor(codes, choose, more) {
  return rowsOf(codes, (code) => {
    const made = tile(code, more);
    made.addEventListener("click", () => choose(code));
    return made;
  });
}

/**
 * @typedef {object} Several
 * @property {string[]} codes all that can be tapped
 * @property {(picked: string[]) => Record<string, number>} there how many of each there are, those that are picked included
 * @property {number} least
 * @property {number} most
 * @property {string[]} [ends] a card after which there is none: only with it, or with the most, it is enough
 * @property {string} none what the button says where none is picked and none is needed
 * @property {(picked: string[]) => void} done
 */

/**
 * Returns tiles of which several are tapped.
 * @param {Several} wish
 * @returns {HTMLElement[]}
 */
export function severalCards(wish) {
  /** @type {string[]} */
  let picked = [];
  const tray = html("div", { class: "tray", role: "group", "aria-label": "Picked cards" });
  const count = html("p", { class: "count", role: "status" });
  const done = html("button", { type: "button", class: "primary" });
  const grid = rowsOf(wish.codes, (code) => {
    const made = tile(code, "");
    made.append(html("span", { class: "badge", "aria-hidden": "true" }));
    made.addEventListener("click", () => change(made.getAttribute("aria-disabled") === "true" ? picked : [...picked, code]));
    return made;
  });
  const ended = () => wish.ends?.includes(picked.at(-1) ?? "") ?? false;
  const enough = () => picked.length <= wish.most && (wish.ends === undefined ? picked.length >= wish.least : ended() || picked.length === wish.most);

  /** @param {string[]} cards */
  function change(cards) {
    picked = cards;
    const there = wish.there(picked);
    const full = picked.length >= wish.most || ended();
    for (const each of grid.querySelectorAll("button")) {
      const code = each.dataset.code ?? "";
      const held = picked.filter((card) => card === code).length;
      const left = (there[code] ?? 0) - held;
      each.setAttribute("aria-disabled", String(full || left <= 0));
      each.setAttribute("aria-label", `${cardWords(code)}${held > 0 ? `, ${held} picked` : ""}, ${left} left`);
      each.classList.toggle("picked", held > 0);
      const badge = each.querySelector(".badge");
      if (badge !== null) {
        badge.textContent = held > 0 ? String(held) : "";
      }
    }
    tray.replaceChildren(
      ...picked.map((code, place) => {
        const out = html("button", { type: "button", class: "picked-card", "aria-label": `Take ${cardWords(code)} out` }, cardSvg(code, { small: true, hidden: true }));
        out.addEventListener("click", () => change(picked.filter((_, at) => at !== place)));
        return out;
      }),
    );
    count.textContent = wish.least === wish.most ? `${picked.length} of ${wish.most}` : countOf(picked.length, "card");
    done.textContent = picked.length > 0 ? `Done: ${countOf(picked.length, "card")}` : wish.least === 0 ? wish.none : "Done";
    done.disabled = !enough();
  }

  done.addEventListener("click", () => wish.done(picked));
  change([]);
  return [html("div", { class: "picking" }, count, done, tray), grid];
}
