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

new Connection(`/api${location.pathname}`, {
  /** @param {{status: string, done: number, of: number, trouble: string}} state */
  state: ({ status, done, of, trouble: words }) => {
    complain(words);
    bar.max = Math.max(of, 1);
    bar.value = done;
    find("status", HTMLElement).textContent = status === "waiting" ? "It waits for other searches to end." : `${done} of ${of} moves`;
    if (status === "done") {
      location.reload();
    }
  },
  analysis: () => {},
  away: (away) => away && complain("The server does not answer; trying again …"),
});
