// What all live figures share. tools/live_figures.py places them; live.css hides the static twin of one that is drawn.

import { make } from "./maps.js";

// A figure as an element <live-NAME>, for screen readers a group called `title`. `draw(element)` fills it and may be
// async; if it fails, the static figure stays
export function define(name, title, draw) {
  if (customElements.get(`live-${name}`)) return;
  customElements.define(`live-${name}`, class extends HTMLElement {
    async connectedCallback() {
      if (this.hasAttribute("role")) return;    // moved within the page, it is not drawn twice
      this.setAttribute("role", "group");
      this.setAttribute("aria-label", title);
      try {
        await draw(this);
        this.classList.add("drawn");
      } catch (error) {
        this.replaceChildren();
        console.warn(`The live figure ${name} is not drawn:`, error);
      }
    }
  });
}

// Settles once the element comes near the screen, still empty: what has to be fetched waits for it
export const near = element => new Promise(settle => {
  new IntersectionObserver(([{ isIntersecting }], watch) => {
    if (!isIntersecting) return;
    watch.disconnect();
    settle();
  }, { rootMargin: "800px" }).observe(element);
});

// What a file of JSON beside the modules holds
export async function fetched(file) {
  const answer = await fetch(new URL(file, import.meta.url));
  if (!answer.ok) throw new Error(`${file} could not be fetched (${answer.status})`);
  return answer.json();
}

// A map of maps.js in a box that scrolls by itself where the page is narrow
export const scrolling = (table, label) =>
  make("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": label }, table);

// An input with its label around it; `shown` says behind a slider what it is set to: no <output>, which would be read out
export function labelled(text, input, shown) {
  for (const one of [text, input]) if (one instanceof HTMLElement) one.autocomplete = "off";    // else a browser brings back old values, which nothing draws
  return make("label", {}, text, input, shown);
}
