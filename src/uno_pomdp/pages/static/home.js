// The first page: fills the choices, remembers them, begins a game, lists the games that wait.

import { ask, Refusal } from "./api.js";
import "./cards.js";
import { html } from "./elements.js";
import { find } from "./places.js";
import { showRules } from "./rules_words.js";
import { forget, savedGames } from "./saved_games.js";
import { keep, kept } from "./storage.js";

/** The value of the entry that asks for a text. */
const OTHER = " other";
/** The value of the entry that leaves the choice to the server, which knows the strongest for each game. */
const STRONGEST = "";

const form = find("setup", HTMLFormElement);
const opponent = find("opponent", HTMLSelectElement);
const otherText = find("other-text", HTMLInputElement);
const trouble = find("trouble", HTMLElement);
const playButton = find("play", HTMLButtonElement);

/** @type {import("./api.js").Options} */
let offered = { rules: [], opponents: [], coaches: [], coach: "" };

/**
 * Returns a choice of rules: its name, and its sentence.
 * @param {{name: string, summary: string}} rules
 * @param {boolean} chosen
 * @returns {HTMLElement}
 */
function rulesChoice({ name, summary }, chosen) {
  const input = html("input", { type: "radio", name: "rules", value: name, required: "" });
  input.checked = chosen;
  return html(
    "label",
    { class: "choice" },
    input,
    html("span", {}, html("strong", {}, name), " ", html("small", {}, summary)),
  );
}

/**
 * Fills the choices that the server offers.
 * @param {import("./api.js").Options} options
 */
function fill(options) {
  offered = options;
  const last = lastChoices();
  const games = options.rules.map((each) => each.name);
  const chosen = games.includes(last.rules) ? last.rules : games[0];
  find("rules-wait", HTMLElement).remove();
  for (const rules of options.rules) {
    const small = rules.name.startsWith("mini");
    find(small ? "rules-small" : "rules-main", HTMLElement).append(rulesChoice(rules, rules.name === chosen));
  }
  const more = find("rules-more", HTMLDetailsElement);
  more.open = chosen.startsWith("mini");
  more.hidden = games.every((name) => !name.startsWith("mini"));
  const names = offered.opponents.map((each) => each.name);
  opponent.append(html("option", { value: STRONGEST }, "the strongest"));
  opponent.append(...names.map((name) => html("option", { value: name }, name)));
  opponent.append(html("option", { value: OTHER }, "another, by its text …"));
  const known = last.opponent === undefined || last.opponent === STRONGEST || names.includes(last.opponent);
  opponent.value = known ? (last.opponent ?? STRONGEST) : OTHER;
  otherText.value = known ? "" : last.opponent;
  setRadio("to", last.to ?? "");
  setRadio("seat", last.seat ?? "random");
  find("coach", HTMLInputElement).checked = last.coach === true;
  find("practice", HTMLInputElement).checked = last.practice === true;
  describe();
  playButton.disabled = false;
}

/**
 * Returns what was chosen the last time.
 * @returns {Record<string, any>}
 */
function lastChoices() {
  const found = kept("choices");
  return typeof found === "object" && found !== null ? found : {};
}

/**
 * Chooses one of several radio buttons.
 * @param {string} name
 * @param {string} value
 */
function setRadio(name, value) {
  for (const input of form.querySelectorAll("input")) {
    if (input.name === name) {
      input.checked = input.value === value;
    }
  }
}

/** Says who the chosen opponent is, or asks for its text; one that does not know the chosen rules can't be chosen. */
function describe() {
  const rules = String(new FormData(form).get("rules") ?? "");
  showRules(offered.rules.find((each) => each.name === rules)?.words ?? []);
  for (const option of opponent.options) {
    const known = offered.opponents.find((each) => each.name === option.value);
    option.disabled = known !== undefined && !known.rules.includes(rules);
  }
  if (opponent.selectedOptions[0]?.disabled) {
    opponent.value = STRONGEST;
  }
  const other = opponent.value === OTHER;
  find("opponent-summary", HTMLElement).textContent = summaryOf(opponent.value, rules);
  find("other", HTMLElement).hidden = !other;
  otherText.required = other;
}

/**
 * Returns what an entry of the list means.
 * @param {string} value
 * @param {string} rules
 * @returns {string}
 */
function summaryOf(value, rules) {
  if (value === OTHER) {
    return "Any agent, written as on the command line: a name, a colon, its options.";
  }
  const name = value === STRONGEST ? offered.rules.find((each) => each.name === rules)?.opponent : value;
  const known = offered.opponents.find((each) => each.name === name);
  return value === STRONGEST
    ? `${name ?? ""}${known === undefined ? "" : `: ${known.summary}`}`
    : (known?.summary ?? "");
}

/**
 * Says what went wrong.
 * @param {string} words
 */
function complain(words) {
  trouble.textContent = words;
  trouble.hidden = words === "";
}

/** Begins the game that was chosen. */
async function begin() {
  const data = new FormData(form);
  const to = String(data.get("to") ?? "");
  const choices = {
    rules: String(data.get("rules") ?? ""),
    opponent: opponent.value === OTHER ? otherText.value.trim() : opponent.value,
    seat: String(data.get("seat")),
    practice: find("practice", HTMLInputElement).checked,
    coach: find("coach", HTMLInputElement).checked,
  };
  keep("choices", { ...choices, to });
  playButton.disabled = true;
  complain("");
  try {
    const { url } = await ask("/api/play", { ...choices, to: to === "" ? null : Number(to) });
    location.assign(url);
  } catch (error) {
    complain(error instanceof Refusal ? error.message : String(error));
    playButton.disabled = false;
  }
}

/** Lists the games that wait. */
function listGames() {
  const games = savedGames().filter((game) => !game.over);
  find("waiting", HTMLElement).hidden = games.length === 0;
  find("games", HTMLElement).replaceChildren(...games.map(gameRow));
}

/**
 * Returns the row of a game that waits.
 * @param {import("./saved_games.js").SavedGame} game
 * @returns {HTMLElement}
 */
function gameRow(game) {
  const name = `${game.rules} against ${game.opponent}`;
  const away = html("button", { type: "button", class: "plain", "aria-label": `Forget ${name}` }, "✕");
  away.addEventListener("click", () => {
    forget(game.token);
    listGames();
    find("main", HTMLElement).focus();
  });
  const link = html(
    "a",
    { href: `/play/${encodeURIComponent(game.token)}` },
    html("strong", {}, name),
    " ",
    html("small", {}, `${game.words} · ${new Date(game.at).toLocaleString()}`),
  );
  return html("li", {}, link, away);
}

/** Starts the page. */
async function start() {
  listGames();
  addEventListener("pageshow", () => {
    playButton.disabled = offered.rules.length === 0;
    listGames();
  });
  form.addEventListener("change", describe);
  form.addEventListener("input", () => complain(""));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void begin();
  });
  try {
    fill(await ask("/api/options"));
  } catch (error) {
    complain(`${error instanceof Refusal ? error.message : String(error)} Load the page again when it is back.`);
  }
}

void start();
