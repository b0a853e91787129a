// Applies the theme and the wish for less motion before anything is painted. A classic script: it blocks, and is short.

(() => {
  for (const name of ["theme", "motion"]) {
    let wish = null;
    try {
      wish = localStorage.getItem(`uno-pomdp.${name}`);
    } catch {
      // storage can be forbidden: the system's wish holds then
    }
    if (wish !== null) {
      document.documentElement.setAttribute(`data-${name}`, wish);
    }
  }
})();
