// Luck by move as bars: up is good luck of the person, down is bad.

import { html, svg } from "./elements.js";

const WIDTH = 340;
const HEIGHT = 90;
const LEFT = 34;

/**
 * Returns luck as a figure, with its sum in words.
 * @param {{number: number, luck: number}[]} luck
 * @returns {HTMLElement}
 */
export function luckChart(luck) {
  const sum = luck.reduce((total, each) => total + each.luck, 0);
  const words = `All in all ${signed(sum)} points of a hundred.`;
  const most = Math.max(0.05, ...luck.map((each) => Math.abs(each.luck)));
  const last = Math.max(1, ...luck.map((each) => each.number));
  const middle = HEIGHT / 2;
  const wide = Math.max(2, Math.min(10, (WIDTH - LEFT) / (last + 1) - 1));
  const picture = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: "luck-chart",
    role: "img",
    "aria-label": `Luck by move. ${words}`,
  });
  picture.append(
    svg("text", { x: LEFT - 5, y: 12, "text-anchor": "end" }, signed(most)),
    svg("text", { x: LEFT - 5, y: HEIGHT - 3, "text-anchor": "end" }, signed(-most)),
    svg("line", { class: "level middle", x1: LEFT, x2: WIDTH - 8, y1: middle, y2: middle }),
  );
  for (const { number, luck: size } of luck) {
    const height = ((middle - 4) * Math.abs(size)) / most;
    const place = { x: LEFT + ((WIDTH - LEFT - 8 - wide) * number) / last, y: size > 0 ? middle - height : middle };
    picture.append(
      svg(
        "rect",
        { class: size > 0 ? "good" : "bad", ...place, width: wide, height },
        svg("title", {}, `move ${number}: ${signed(size)}`),
      ),
    );
  }
  return html("figure", {}, picture, html("figcaption", { class: "quiet" }, words));
}

/**
 * Returns a share as points of a hundred with its sign.
 * @param {number} share
 * @returns {string}
 */
function signed(share) {
  const points = Math.round(100 * share);
  return points > 0 ? `+${points}` : points < 0 ? `−${-points}` : "0";
}
