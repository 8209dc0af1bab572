"use strict";
/* Steps through the moments of a match. A moment is an item of the list in which the page tells
   all of them in words; `draw(moments, n)` shows the board as it was at the n-th of them. */
function lookBack(section, draw) {
  const find = (name) => section.querySelector(name);
  const moments = [...section.querySelectorAll(".moments > li")];
  const replay = find(".replay");
  const slider = find(".replay input");
  const last = moments.length - 1;
  let shown = -1;

  function show(n) {
    n = Math.min(Math.max(n, 0), last);
    if (n === shown) return;
    shown = n;
    slider.value = n;
    slider.setAttribute("aria-valuetext", moments[n].querySelector("b").textContent);
    for (const button of buttons) {
      button.setAttribute("aria-disabled", goal(button) === n);
    }
    find(".moment").replaceChildren(...moments[n].cloneNode(true).childNodes);
    draw(moments, n);
  }

  function goal(button) {
    const by = { first: -last, back: -1, on: 1, last: last }[button.value];
    return Math.min(Math.max(shown + by, 0), last);
  }

  const buttons = [...section.querySelectorAll(".replay button")];
  for (const button of buttons) button.addEventListener("click", () => show(goal(button)));
  slider.max = last;
  slider.addEventListener("input", () => show(Number(slider.value)));

  /* Arrow keys with nothing else chosen step too, as long as the board of the past is in sight. */
  function isMeant(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false;
    if (event.target === slider) return false;
    if (replay.contains(event.target)) return true;
    const place = replay.getBoundingClientRect();
    const inSight = place.top < innerHeight * 0.8 && place.bottom > innerHeight * 0.2;
    return event.target === document.body && inSight && event.key.startsWith("Arrow");
  }

  document.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: last }[event.key];
    if (to === undefined || !isMeant(event)) return;
    event.preventDefault();
    show(to);
  });

  function jump(hash) {
    const n = moments.findIndex((moment) => moment.id && "#" + moment.id === hash);
    if (n < 0) return false;
    show(n);
    replay.scrollIntoView({ block: "start" });
    replay.focus({ preventScroll: true });
    return true;
  }

  for (const link of section.querySelectorAll('a[href^="#"]')) {
    link.addEventListener("click", (event) => {
      if (jump(link.hash)) event.preventDefault();
    });
  }
  for (const part of replay.querySelectorAll("[hidden]")) part.hidden = false;

  /* The record stands in the page; where it is long, it stands there once. */
  const download = find("p.download");
  if (download) {
    const link = document.createElement("a");
    link.download = download.dataset.file;
    link.href = URL.createObjectURL(new Blob([document.querySelector("pre.record").textContent, "\n"]));
    link.append(...download.childNodes);
    download.append(link);
  }
  show(section.dataset.start === "first" ? 0 : last);
  if (location.hash) jump(location.hash);
}
