"use strict";
/* The record stands in the page; where it is long, it stands there once. */
{
  const download = document.querySelector("p.download");
  if (download) {
    const link = document.createElement("a");
    link.download = download.dataset.file;
    link.href = URL.createObjectURL(new Blob([document.querySelector("pre.record").textContent, "\n"]));
    link.append(...download.childNodes);
    download.append(link);
    download.hidden = false;
  }
}
