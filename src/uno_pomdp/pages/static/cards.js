// Cards as pictures, drawn here: a coloured face, an oval with the sign, and beside every colour its shape, so that
// nothing hangs on the colour alone. Codes are those of records: R5, YS (skip), GR (reverse), B+2, W, W4.
//
//   red ▲    yellow ●    green ■    blue ◆

import { html, svg } from "./elements.js";

/**
 * @typedef {"R" | "Y" | "G" | "B"} ColourLetter
 * @typedef {object} CardLook
 * @property {string | null} [declared] the colour that a black card declares, as "G" or "green"
 * @property {boolean} [playable] whether it may be played: it then has a bright frame
 * @property {boolean} [small] whether it is shown small: the sign is large then, and the corners are left out
 * @property {boolean} [hidden] whether a screen reader passes it over, for instead of it something else is said
 */

/** @type {Record<ColourLetter, {name: string, sign: string, fill: string, ink: string}>} */
export const COLOURS = {
  R: { name: "red", sign: "▲", fill: "#c9351a", ink: "#ffffff" },
  Y: { name: "yellow", sign: "●", fill: "#f4cb1d", ink: "#1d2129" },
  G: { name: "green", sign: "■", fill: "#00805f", ink: "#ffffff" },
  B: { name: "blue", sign: "◆", fill: "#0d5fb3", ink: "#ffffff" },
};

export const COLOUR_LETTERS = /** @type {ColourLetter[]} */ (["R", "Y", "G", "B"]);

const CARD_WIDTH = 100;
const CARD_HEIGHT = 150;
const BLACK_FILL = "#26292e";
const DARK_INK = "#1d2129";
const CARD_CODE = /^(?:[RYGB](?:\d|S|R|\+2)|W4?)$/;
const ACTIONS_IN_TEXT = /(?<![\w+:])((?:[RYGB](?:\d|S|R|\+2)|W4?)(?::[RYGB])?)(?![\w+]|:\w)/;
const CARD_FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";
/** @type {Record<string, string>} */
const RANK_WORDS = { S: "skip", R: "reverse" };

// --- codes ----------------------------------------------------------------------------------------------------

/**
 * Returns whether a text is the letter of a colour.
 * @param {string | null | undefined} letter
 * @returns {letter is ColourLetter}
 */
export function isColour(letter) {
  return letter === "R" || letter === "Y" || letter === "G" || letter === "B";
}

/**
 * Returns the letter of a colour that is given by letter or by name; null for anything else.
 * @param {string | null | undefined} colour
 * @returns {ColourLetter | null}
 */
export function letterOf(colour) {
  return COLOUR_LETTERS.find((letter) => letter === colour || COLOURS[letter].name === colour) ?? null;
}

/**
 * Returns the colour and the rank of a card; a black one has no colour.
 * @param {string} code
 * @returns {{colour: ColourLetter | null, rank: string}}
 */
export function partsOf(code) {
  if (code === "W" || code === "W4") {
    return { colour: null, rank: code };
  }
  const found = /^([RYGB])(\d|S|R|\+2)$/.exec(code);
  if (found === null) {
    throw new RangeError(`${code} is no card: cards are a colour and a rank, as R5 or B+2, or W, or W4`);
  }
  return { colour: /** @type {ColourLetter} */ (found[1]), rank: found[2] };
}

/**
 * Returns the card of an action and the colour that it declares; null for an action without a card.
 * @param {string} action such as R5, W:G or draw
 * @returns {{code: string, declared: ColourLetter | null} | null}
 */
export function cardOfAction(action) {
  const [code, letter] = action.split(":");
  return CARD_CODE.test(code) ? { code, declared: isColour(letter) ? letter : null } : null;
}

/**
 * Returns a card in words: "red 5", "wild, declares green".
 * @param {string} code
 * @param {string | null} [declared]
 * @returns {string}
 */
export function cardWords(code, declared = null) {
  const { colour, rank } = partsOf(code);
  if (colour !== null) {
    return `${COLOURS[colour].name} ${RANK_WORDS[rank] ?? rank}`;
  }
  const name = code === "W" ? "wild" : "wild +4";
  const letter = letterOf(declared);
  return letter === null ? name : `${name}, declares ${COLOURS[letter].name}`;
}

/**
 * Returns an action in words: "red 5", "wild, declares green", "draw".
 * @param {string} action
 * @returns {string}
 */
export function actionWords(action) {
  const card = cardOfAction(action);
  return card === null ? action : cardWords(card.code, card.declared);
}

/**
 * Returns a sentence with its cards in words, for those who hear it: "Player 1 played red 5."
 * @param {string} sentence
 * @returns {string}
 */
export function spelledOut(sentence) {
  const parts = sentence.split(ACTIONS_IN_TEXT);
  const between = (/** @type {number} */ i) => parts[i] === " " && i > 0 && i < parts.length - 1;
  return parts.map((part, i) => (i % 2 === 1 ? actionWords(part) : between(i) ? ", " : part)).join("");
}

/**
 * Returns a sentence with its cards as text in their colours.
 * @param {string} sentence
 * @returns {Node[]}
 */
export function withCards(sentence) {
  const parts = sentence.split(ACTIONS_IN_TEXT);
  return parts.map((part, i) => (i % 2 === 1 ? cardText(part) : document.createTextNode(part)));
}

/**
 * Returns an action as text: a card has its colour and its shape.
 * @param {string} action
 * @returns {HTMLElement}
 */
export function cardText(action) {
  const card = cardOfAction(action);
  if (card === null) {
    return html("span", {}, action);
  }
  const { colour } = partsOf(card.code);
  const letter = colour ?? card.declared;
  const names = ["card", ...(letter === null ? [] : [COLOURS[letter].name]), ...(colour === null ? ["black"] : [])];
  return html("b", { class: names.join(" ") }, letter === null ? action : `${COLOURS[letter].sign}\u00a0${action}`);
}

// --- shapes and signs -------------------------------------------------------------------------------------------

/**
 * Returns the shape of a colour around a point.
 * @param {ColourLetter} letter
 * @param {number} x
 * @param {number} y
 * @param {number} size half its height, about
 * @param {string} fill
 * @returns {SVGElement}
 */
export function shapeOf(letter, x, y, size, fill) {
  const paths = {
    R: `M${x} ${y - 1.05 * size}L${x + 1.1 * size} ${y + 0.85 * size}H${x - 1.1 * size}z`,
    Y: `M${x - size} ${y}a${size} ${size} 0 1 1 ${2 * size} 0a${size} ${size} 0 1 1 ${-2 * size} 0z`,
    G: `M${x - 0.9 * size} ${y - 0.9 * size}h${1.8 * size}v${1.8 * size}h${-1.8 * size}z`,
    B: `M${x} ${y - 1.2 * size}L${x + size} ${y}L${x} ${y + 1.2 * size}L${x - size} ${y}z`,
  };
  return svg("path", { d: paths[letter], fill });
}

/**
 * Returns a figure in the middle of a point.
 * @param {string} words
 * @param {number} x
 * @param {number} y its middle
 * @param {number} size
 * @param {Record<string, string | number>} attributes
 * @returns {SVGElement}
 */
function figure(words, x, y, size, attributes) {
  const place = { x, y: y + 0.36 * size, "font-size": size, "text-anchor": "middle", "font-weight": 800 };
  return svg("text", { ...place, ...attributes }, words);
}

/**
 * Returns the sign of a rank around a point: a figure, a barred circle (skip), two arrows (reverse).
 * @param {string} rank
 * @param {number} x
 * @param {number} y
 * @param {number} size its height, about
 * @param {string} fill
 * @param {string} edge the colour of its outline, or "none"
 * @returns {SVGElement}
 */
function signOf(rank, x, y, size, fill, edge) {
  /** @type {Record<string, string | number>} */
  const outline = edge === "none" ? {} : { stroke: edge, "stroke-width": 0.1 * size, "paint-order": "stroke" };
  const joined = { "stroke-linejoin": "round", ...outline };
  if (rank === "S") {
    const radius = 0.4 * size;
    const bar = 0.71 * radius;
    const d = `M${x - radius} ${y}a${radius} ${radius} 0 1 1 ${2 * radius} 0a${radius} ${radius} 0 1 1 ${-2 * radius} 0z`;
    const line = `M${x - bar} ${y + bar}L${x + bar} ${y - bar}`;
    const ring = { fill: "none", "stroke-linecap": "round" };
    const below =
      edge === "none" ? [] : [svg("path", { ...ring, d: d + line, stroke: edge, "stroke-width": 0.24 * size })];
    return svg("g", {}, ...below, svg("path", { ...ring, d: d + line, stroke: fill, "stroke-width": 0.15 * size }));
  }
  if (rank === "R") {
    const [shaft, head, long] = [0.09 * size, 0.2 * size, 0.36 * size];
    const arrow = `M${-long} ${-shaft}h${long}v${shaft - head}l${long} ${head}l${-long} ${head}v${shaft - head}h${-long}z`;
    const side = 0.22 * size;
    return svg(
      "g",
      { transform: `translate(${x} ${y}) rotate(-35)`, fill, ...joined },
      svg("path", { d: arrow, transform: `translate(0 ${-side})` }),
      svg("path", { d: arrow, transform: `rotate(180) translate(0 ${-side})` }),
    );
  }
  const words = rank === "W4" ? "+4" : rank;
  const sign = figure(words, x, y, words.length > 1 ? 0.7 * size : size, { fill, ...joined });
  if (words !== "6" && words !== "9") {
    return sign;
  }
  // a line below tells a 6 from a 9 that lies on its head
  const under = { x: x - 0.24 * size, y: y + 0.43 * size, width: 0.48 * size, height: 0.075 * size, fill };
  return svg("g", {}, svg("rect", { ...under, ...outline, "stroke-width": 0.06 * size }), sign);
}

/**
 * Returns what stands in two corners: the sign and below it the shape, for a black card its name alone.
 * @param {ColourLetter | null} colour
 * @param {string} rank
 * @param {string} ink
 * @returns {SVGElement[]}
 */
function cornersOf(colour, rank, ink) {
  const middle = CARD_WIDTH / 2;
  return [0, 180].map((angle) =>
    svg(
      "g",
      { transform: `rotate(${angle} ${middle} ${CARD_HEIGHT / 2})` },
      rank === "W" ? fourShapes(19, 21, 5) : signOf(rank, 19, 21, 21, ink, "none"),
      ...(colour === null ? [] : [shapeOf(colour, 19, 40, 5.5, ink)]),
    ),
  );
}

/**
 * Returns the four shapes in their colours, two by two.
 * @param {number} x
 * @param {number} y
 * @param {number} size of each
 * @returns {SVGElement}
 */
function fourShapes(x, y, size) {
  const places = [[-1, -1], [1, -1], [-1, 1], [1, 1]];
  const step = 1.35 * size;
  return svg(
    "g",
    {},
    ...COLOUR_LETTERS.map((letter, i) =>
      shapeOf(letter, x + step * places[i][0], y + step * places[i][1], size, COLOURS[letter].fill),
    ),
  );
}

/**
 * Returns the oval of a black card: a quarter in each colour, each with its shape.
 * @param {number} width half of it
 * @param {number} height half of it
 * @returns {SVGElement[]}
 */
function fourQuarters(width, height) {
  const ends = [[0, -1, -1, 0], [1, 0, 0, -1], [-1, 0, 0, 1], [0, 1, 1, 0]];
  const sides = [[-1, -1], [1, -1], [-1, 1], [1, 1]];
  const [x, y] = [CARD_WIDTH / 2, CARD_HEIGHT / 2];
  return COLOUR_LETTERS.flatMap((letter, i) => {
    const [ax, ay, bx, by] = ends[i];
    const d = `M${x} ${y}L${x + ax * width} ${y + ay * height}A${width} ${height} 0 0 0 ${x + bx * width} ${y + by * height}z`;
    const { fill, ink } = COLOURS[letter];
    const place = { x: x + 0.4 * width * sides[i][0], y: y + 0.42 * height * sides[i][1] };
    return [svg("path", { d, fill }), shapeOf(letter, place.x, place.y, 6.5, ink)];
  });
}

// --- whole cards ------------------------------------------------------------------------------------------------

/**
 * Returns the empty picture of a card with its white rim and its face.
 * @param {string} words what a screen reader says
 * @param {string} fill
 * @param {string} names its classes
 * @param {boolean} hidden
 * @returns {SVGElement}
 */
function blank(words, fill, names, hidden) {
  /** @type {Record<string, string>} */
  const said = hidden ? { "aria-hidden": "true" } : { role: "img", "aria-label": words };
  const frame = { viewBox: `-4 -4 ${CARD_WIDTH + 8} ${CARD_HEIGHT + 8}`, "font-family": CARD_FONT };
  return svg(
    "svg",
    { class: names, ...frame, ...said },
    svg("rect", { class: "rim", x: 0, y: 0, width: CARD_WIDTH, height: CARD_HEIGHT, rx: 11, fill: "#ffffff" }),
    svg("rect", { x: 5, y: 5, width: CARD_WIDTH - 10, height: CARD_HEIGHT - 10, rx: 7, fill }),
  );
}

/**
 * Returns a card, face up.
 * @param {string} code
 * @param {CardLook} [look]
 * @returns {SVGElement}
 */
export function cardSvg(code, { declared = null, playable = false, small = false, hidden = false } = {}) {
  const { colour, rank } = partsOf(code);
  const fill = colour === null ? BLACK_FILL : COLOURS[colour].fill;
  const ink = colour === null ? "#ffffff" : COLOURS[colour].ink;
  const words = cardWords(code, declared) + (playable ? ", playable" : "");
  const card = blank(words, fill, `card-face${playable ? " playable" : ""}${small ? " small" : ""}`, hidden);
  const [x, y] = [CARD_WIDTH / 2, CARD_HEIGHT / 2];
  const [width, height] = small ? [39, 62] : [31, 50];
  card.append(svg("ellipse", { cx: x, cy: y, rx: width + 2.5, ry: height + 2.5, fill: "#ffffff" }));
  if (colour !== null) {
    card.append(
      signOf(rank, x, y - (small ? 14 : 9), small ? 62 : 50, fill, DARK_INK),
      shapeOf(colour, x, y + (small ? 34 : 28), small ? 14 : 9, fill),
      svg("ellipse", { cx: x, cy: y, rx: width, ry: height, fill: "none", stroke: fill, "stroke-width": 2 }),
    );
  } else {
    card.append(...fourQuarters(width, height));
    if (rank === "W4") {
      card.append(signOf(rank, x, y, small ? 62 : 54, "#ffffff", DARK_INK));
    }
  }
  if (!small) {
    card.append(...cornersOf(colour, rank, ink));
  }
  const letter = letterOf(declared);
  if (colour === null && letter !== null) {
    card.append(...declaration(letter, small));
  }
  return card;
}

/**
 * Returns what says which colour a black card declares: a frame in it, and a badge with its shape.
 * @param {ColourLetter} letter
 * @param {boolean} small
 * @returns {SVGElement[]}
 */
function declaration(letter, small) {
  const { fill, ink } = COLOURS[letter];
  const [x, y, radius] = small ? [CARD_WIDTH / 2, 116, 25] : [CARD_WIDTH / 2, 124, 17];
  return [
    svg("rect", { x: 4, y: 4, width: CARD_WIDTH - 8, height: CARD_HEIGHT - 8, rx: 8, fill: "none", stroke: fill, "stroke-width": 8 }),
    svg("circle", { cx: x, cy: y, r: radius, fill, stroke: "#ffffff", "stroke-width": 3 }),
    shapeOf(letter, x, y, 0.5 * radius, ink),
  ];
}

/**
 * Returns a card, face down.
 * @param {{small?: boolean, hidden?: boolean, words?: string}} [look]
 * @returns {SVGElement}
 */
export function backSvg({ small = false, hidden = false, words = "a hidden card" } = {}) {
  const card = blank(words, BLACK_FILL, `card-face back${small ? " small" : ""}`, hidden);
  const [x, y] = [CARD_WIDTH / 2, CARD_HEIGHT / 2];
  const line = { fill: "none", stroke: "#5b636e", "stroke-width": 2 };
  card.append(
    svg("rect", { x: 11, y: 11, width: CARD_WIDTH - 22, height: CARD_HEIGHT - 22, rx: 5, ...line }),
    svg("ellipse", { cx: x, cy: y, rx: 25, ry: 42, ...line }),
    fourShapes(x, y, 8),
  );
  return card;
}

// --- the element ------------------------------------------------------------------------------------------------

/**
 * `<uno-card code="W" declared="G" playable size="small">`: a card; without a code it lies face down.
 */
export class UnoCard extends HTMLElement {
  static observedAttributes = ["code", "declared", "playable", "size"];

  connectedCallback() {
    this.draw();
  }

  attributeChangedCallback() {
    if (this.isConnected) {
      this.draw();
    }
  }

  /** Draws the card that the attributes name. */
  draw() {
    const code = this.getAttribute("code");
    const small = this.getAttribute("size") === "small";
    if (code === null || code === "") {
      this.replaceChildren(backSvg({ small }));
      return;
    }
    const look = { declared: this.getAttribute("declared"), playable: this.hasAttribute("playable"), small };
    this.replaceChildren(cardSvg(code, look));
  }
}

if (customElements.get("uno-card") === undefined) {
  customElements.define("uno-card", UnoCard);
}
