// Cards that fly from one place to another; where motion is not wished they are simply there.

import { mayMove } from "./site.js";

const DURATION = 260;

/**
 * Lets a picture fly to where an element lies, which is hidden until it arrives.
 * @param {Node} picture
 * @param {DOMRect | null | undefined} from
 * @param {Element} target
 * @param {number} [delay]
 * @param {Node | null} [covered] what lies there until then
 */
export function fly(picture, from, target, delay = 0, covered = null) {
  const to = target.getBoundingClientRect();
  if (!mayMove() || !from || from.width === 0 || to.width === 0 || document.visibilityState === "hidden") {
    return;
  }
  const lying = covered === null ? null : laid(covered, to);
  const flyer = laid(picture, to);
  const [x, y] = [from.left - to.left, from.top - to.top];
  target.classList.add("arriving");
  const start = { transform: `translate(${x}px, ${y}px) scale(${from.width / to.width})` };
  const timing = {
    duration: DURATION,
    delay,
    easing: "cubic-bezier(.3, .7, .3, 1)",
    fill: /** @type {const} */ ("backwards"),
  };
  const flight = flyer.animate([start, { transform: "none" }], timing);
  const land = () => {
    lying?.remove();
    flyer.remove();
    target.classList.remove("arriving");
  };
  flight.onfinish = land;
  flight.oncancel = land;
}

/**
 * Returns a picture that is laid on the page at a place.
 * @param {Node} picture
 * @param {DOMRect} place
 * @returns {HTMLElement}
 */
function laid(picture, { left, top, width }) {
  const flyer = document.createElement("div");
  flyer.className = "flyer";
  flyer.setAttribute("aria-hidden", "true");
  flyer.append(picture);
  Object.assign(flyer.style, { left: `${left}px`, top: `${top}px`, width: `${width}px` });
  document.body.append(flyer);
  return flyer;
}
