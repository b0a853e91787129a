// Waits for a review, and shows it when it is there.

import { Connection } from "./connection.js";
import { find } from "./places.js";

const trouble = find("connection", HTMLElement);
const bar = find("progress", HTMLProgressElement);

/** @param {string} words */
function complain(words) {
  trouble.textContent = words;
  trouble.hidden = words === "";
}

/** How many moves were judged, and when, as it was first told. */
let begun = { done: 0, at: 0 };

/**
 * Returns about how long it still takes, by how long it took so far.
 * @param {number} done
 * @param {number} of
 * @returns {string}
 */
function leftWords(done, of) {
  if (begun.at === 0) {
    begun = { done, at: Date.now() };
  }
  const rate = (done - begun.done) / (Date.now() - begun.at);
  const seconds = Math.ceil((of - done) / rate / 1000);
  return Number.isFinite(seconds) && seconds > 0 ? `, about ${seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`} left` : "";
}

new Connection(`/api${location.pathname}`, {
  /** @param {{status: string, done: number, of: number, trouble: string}} state */
  state: ({ status, done, of, trouble: words }) => {
    complain(words);
    bar.max = Math.max(of, 1);
    bar.value = done;
    find("status", HTMLElement).textContent =
      status === "waiting" ? "Other searches run on this machine: the review begins when one of them ends." : `${done} of ${of} moves${leftWords(done, of)}`;
    if (status === "done") {
      location.reload();
    }
  },
  analysis: () => {},
  away: (away) => away && complain("The server does not answer; trying again …"),
});
