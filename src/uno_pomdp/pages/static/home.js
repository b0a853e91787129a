// The first page: fills the choices, remembers them, begins a game, lists the games that wait.

import { ask, Refusal } from "./api.js";
import "./cards.js";
import { html } from "./elements.js";
import { find } from "./places.js";
import { forget, savedGames } from "./saved_games.js";
import { keep, kept } from "./storage.js";

/** The value of the entry that asks for a text. */
const OTHER = "";

const form = find("setup", HTMLFormElement);
const opponent = find("opponent", HTMLSelectElement);
const otherText = find("other-text", HTMLInputElement);
const trouble = find("trouble", HTMLElement);
const playButton = find("play", HTMLButtonElement);

/** @type {Map<string, string>} what each opponent is, by name */
const summaries = new Map();

/**
 * Returns a choice of rules: its name, and its sentence.
 * @param {{name: string, summary: string}} rules
 * @param {boolean} chosen
 * @returns {HTMLElement}
 */
function rulesChoice({ name, summary }, chosen) {
  const input = html("input", { type: "radio", name: "rules", value: name, required: "" });
  input.checked = chosen;
  return html("label", { class: "choice" }, input, html("span", {}, html("strong", {}, name), " ", html("small", {}, summary)));
}

/**
 * Fills the choices that the server offers.
 * @param {import("./api.js").Options} options
 */
function fill(options) {
  const last = lastChoices();
  const names = options.rules.map((each) => each.name);
  const chosen = names.includes(last.rules) ? last.rules : names[0];
  for (const rules of options.rules) {
    const small = rules.name.startsWith("mini");
    find(small ? "rules-small" : "rules-main", HTMLElement).append(rulesChoice(rules, rules.name === chosen));
  }
  const more = find("rules-more", HTMLDetailsElement);
  more.open = chosen.startsWith("mini");
  more.hidden = names.every((name) => !name.startsWith("mini"));
  for (const { name, summary } of options.opponents) {
    summaries.set(name, summary);
    opponent.append(html("option", { value: name }, name));
  }
  opponent.append(html("option", { value: OTHER }, "another, by its text …"));
  const known = last.opponent === undefined || summaries.has(last.opponent);
  opponent.value = known ? (last.opponent ?? options.opponents[0]?.name ?? OTHER) : OTHER;
  otherText.value = known ? "" : last.opponent;
  setRadio("to", last.to ?? "");
  setRadio("seat", last.seat ?? "random");
  find("coach", HTMLInputElement).checked = last.coach === true;
  find("practice", HTMLInputElement).checked = last.practice === true;
  describe();
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

/** Says who the chosen opponent is, or asks for its text. */
function describe() {
  const other = opponent.value === OTHER;
  find("opponent-summary", HTMLElement).textContent = other
    ? "Any agent, written as on the command line: a name, a colon, its options."
    : (summaries.get(opponent.value) ?? "");
  find("other", HTMLElement).hidden = !other;
  otherText.required = other;
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
    playButton.disabled = false;
    listGames();
  });
  opponent.addEventListener("change", describe);
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
