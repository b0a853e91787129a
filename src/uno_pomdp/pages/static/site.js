// What every page of the board has: the theme and the motion of cards, chosen here and kept in the browser.

import { keepWord, keptWord } from "./storage.js";

/**
 * Returns whether things may move: as was chosen here, else as the system wishes.
 * @returns {boolean}
 */
export function mayMove() {
  const wish = document.documentElement.dataset.motion;
  return wish === undefined ? !matchMedia("(prefers-reduced-motion: reduce)").matches : wish === "on";
}

/**
 * Chooses a theme: "light", "dark", or "auto" for the system's.
 * @param {string} theme
 */
function chooseTheme(theme) {
  const wish = theme === "auto" ? null : theme;
  keepWord("theme", wish);
  if (wish === null) {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = wish;
  }
}

/**
 * Says what an empty page waits for.
 * @param {string} words
 */
export function waitFor(words) {
  const main = document.getElementById("main");
  if (main?.dataset.waiting !== undefined) {
    main.dataset.waiting = words;
  }
}

/** Shows the page, once what it is about has come: before, its parts would move with what fills them. */
export function showPage() {
  document.getElementById("main")?.removeAttribute("data-waiting");
}

/** Connects the settings of the page with what is kept. */
function startSettings() {
  const settings = document.getElementById("settings");
  const motion = document.getElementById("motion");
  if (!(settings instanceof HTMLDetailsElement) || !(motion instanceof HTMLInputElement)) {
    return;
  }
  for (const choice of settings.querySelectorAll("input")) {
    if (choice.name === "theme") {
      choice.checked = choice.value === (keptWord("theme") ?? "auto");
      choice.addEventListener("change", () => chooseTheme(choice.value));
    }
  }
  motion.checked = mayMove();
  motion.addEventListener("change", () => {
    const wish = motion.checked ? "on" : "off";
    document.documentElement.dataset.motion = wish;
    keepWord("motion", wish);
  });
  document.addEventListener("pointerdown", (event) => {
    if (event.target instanceof Node && !settings.contains(event.target)) {
      settings.open = false;
    }
  });
  settings.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && settings.open) {
      settings.open = false;
      settings.querySelector("summary")?.focus();
      event.stopPropagation();
    }
  });
}

startSettings();
