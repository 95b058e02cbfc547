/* Behaviour that HTML and htmx do not have. The pages also work without it. */
"use strict";

// [data-submit]: a select that submits its form when an option is chosen.
document.addEventListener("change", (event) => {
  const field = event.target.closest("[data-submit]");
  if (field) field.form.requestSubmit();
});

// Keys: Escape cancels an inline form (its [data-cancel]), Ctrl+Enter submits it; / focuses the search field.
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") event.target.closest("form.edit")?.querySelector("[data-cancel]")?.click();
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") event.target.closest("form.edit")?.requestSubmit();
  const typing = event.target.closest("input, textarea, select");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    const search = document.querySelector("main input[type=search]");
    if (search) search.focus(); else openFind();
  }
});

// When an inline form is cancelled, the content that it replaced is restored, and the link that opened it is focused.
const replaced = new WeakMap();
document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, requestConfig, shouldSwap } = event.detail;
  if (shouldSwap && target.matches(".entry, #new-entry") && !target.querySelector("form.edit")) {
    replaced.set(target, { before: target.innerHTML, opener: requestConfig.elt.getAttribute("hx-get") });
  }
});
document.addEventListener("click", (event) => {
  const place = event.target.closest("[data-cancel]")?.closest(".entry, #new-entry");
  const kept = place && replaced.get(place);
  if (!kept) return; // the form is a page of its own, and Cancel a link
  event.preventDefault();
  place.innerHTML = kept.before;
  htmx.process(place);
  document.querySelector(`a[hx-get="${kept.opener}"]`)?.focus();
});

// [data-in-place]: its forms are submitted without leaving the page, which keeps the scroll position. Then the same
// entry is focused or, if it was deleted, the notice with the Undo button; else what the form names as [data-next].
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post" || !form.closest("[data-in-place], #notices")) return;
  const sent = new FormData(form, event.submitter);
  event.preventDefault();
  const entry = form.closest(".entry")?.id, pressed = event.submitter?.value;
  try {
    const answer = await post(form, sent);
    if (answer.status === 401) return submitNormally(form, event.submitter);
    if (handleResponse(await answer.text(), answer.status, (name) => answer.headers.get(name))) focusAfter(entry, pressed, form.dataset.next);
  } catch {
    showError(UNREACHABLE);
  } finally {
    inFlight.delete(form);
  }
});

const post = (form, sent, headers) => fetch(form.action, {
  method: "POST", body: new URLSearchParams(sent), headers: { "HX-Request": "true", "HX-Current-URL": location.href, ...headers },
});

// Submits a form without this script, after the session has ended: the sign-in page keeps the form.
function submitNormally(form, button) {
  if (button?.name) {
    const pressed = form.appendChild(document.createElement("input"));
    Object.assign(pressed, { type: "hidden", name: button.name, value: button.value });
  }
  form.submit();
}

// The same for a part that htmx sent a form for.
document.addEventListener("htmx:beforeOnLoad", (event) => {
  const { elt, requestConfig, xhr } = event.detail;
  if (requestConfig.verb !== "post" || !elt.form || !xhr.getResponseHeader("HX-Redirect")) return;
  event.preventDefault();
  submitNormally(elt.form, { name: "do", value: requestConfig.formData.get("do") });
});

// Handles the response to a form: a redirect, an error, or a page. Returns whether a page is shown.
function handleResponse(text, status, header) {
  if (header("HX-Redirect")) location.assign(header("HX-Redirect"));
  else if (header("HX-Retarget")) document.getElementById("notices").innerHTML = text;
  else if (showPage(text)) return true;
  else showError("Something went wrong (" + status + ").");
  return false;
}

// Replaces the content of <main>. The element #notices stays, so that screen readers announce new notices.
function showPage(text) {
  const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("main");
  if (!fresh) return false;
  const main = document.getElementById("main"), notices = document.getElementById("notices"), scrolled = window.scrollY;
  const kept = ["alarm", "notices"];
  [...main.children].forEach((part) => { if (!kept.includes(part.id)) part.remove(); });
  main.append(...[...fresh.children].filter((part) => !kept.includes(part.id)));
  notices.replaceChildren(...(fresh.querySelector("#notices")?.childNodes ?? []));
  htmx.process(main);
  drawShares(main);
  window.scrollTo(0, scrolled);
  return true;
}

function focusAfter(entry, pressed, next) {
  const again = entry && document.getElementById(entry);
  const wanted = again
    ? again.querySelector(`.actions button[value="${CSS.escape(pressed ?? "")}"]`) ?? again.querySelector(".actions a, .actions button")
    : document.querySelector("form.edit [autofocus]") ?? document.querySelector("#notices button") ?? (next && document.querySelector(next)) ?? document.getElementById("add");
  wanted?.focus();
}

// [data-count] shows how many checkboxes are selected; [data-tick-all] selects all.
const boxesOf = (all) => [...document.querySelectorAll(`input[name="${all.dataset.tickAll || "entry"}"][type=checkbox]:not([disabled])`)];
function countSelected() {
  const counter = document.querySelector("[data-count]");
  if (counter) counter.textContent = document.querySelectorAll(`input[name="${counter.dataset.count}"]:checked`).length + " selected";
  document.querySelectorAll("[data-tick-all]").forEach((all) => {
    const boxes = boxesOf(all), ticked = boxes.filter((box) => box.checked).length;
    all.checked = ticked > 0 && ticked === boxes.length;
    all.indeterminate = ticked > 0 && !all.checked;
  });
}
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-tick-all]")) boxesOf(event.target).forEach((box) => { box.checked = event.target.checked; });
  if (event.target.matches("input[type=checkbox]")) setTimeout(countSelected);
});
document.addEventListener("htmx:afterSwap", countSelected);
document.addEventListener("DOMContentLoaded", countSelected);

// Before a form is submitted: its CSRF token is updated from the cookie, as another tab may have signed in again;
// [data-confirm] asks; and for 5 s it is not submitted a second time.
const csrfToken = () => /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1];
document.addEventListener("htmx:configRequest", (event) => {
  if (csrfToken()) event.detail.headers["X-CSRFToken"] = csrfToken();
});
let inFlight = new WeakSet();
window.addEventListener("pageshow", (event) => { if (event.persisted) inFlight = new WeakSet(); }); // after the Back button
document.addEventListener("submit", (event) => {
  const form = event.target, field = form.querySelector("[name=csrfmiddlewaretoken]"), token = csrfToken();
  const question = event.submitter?.dataset.confirm ?? form.dataset.confirm;
  if (field && token) field.value = token;
  if (question && !window.confirm(question)) event.preventDefault();
  if (event.defaultPrevented || form.method !== "post" || form.matches("[data-stream], [data-upload]")) return;
  if (inFlight.has(form)) { event.preventDefault(); event.stopImmediatePropagation(); }
  inFlight.add(form);
  setTimeout(() => inFlight.delete(form), 5000);
}, true);

// Failed requests are shown as a notice. What they answered, such as a whole page, does not replace a part of this one.
document.addEventListener("htmx:beforeSwap", (event) => {
  const { isError, xhr } = event.detail;
  if (isError && !xhr.getResponseHeader("HX-Retarget")) event.detail.shouldSwap = false;
});
const UNREACHABLE = "The server can't be reached. Try again in a moment.";
document.addEventListener("htmx:sendError", () => showError(UNREACHABLE));
document.addEventListener("htmx:afterOnLoad", () => {
  const notice = document.querySelector("#notices .notice.bad");
  if (notice?.textContent === UNREACHABLE) notice.remove(); // the server is back
});
document.addEventListener("htmx:responseError", (event) => {
  if (!event.detail.xhr.getResponseHeader("HX-Retarget")) showError("Something went wrong (" + event.detail.xhr.status + ").");
});

function showError(text) {
  const notice = document.createElement("div");
  notice.className = "notice bad";
  notice.setAttribute("role", "alert");
  notice.textContent = text;
  document.getElementById("notices")?.replaceChildren(notice);
}

// [data-copy]: a button that copies the text of the element with this selector.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(document.querySelector(button.dataset.copy).textContent);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copying failed";
  }
  setTimeout(() => { button.textContent = label; }, 1500);
});

// [data-back]: a link on error pages that goes back in the history, which keeps the text in forms.
document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-back]") || history.length < 2) return;
  event.preventDefault();
  history.back();
});

// [data-share] sets the width of a part of a bar; style attributes are forbidden by the Content-Security-Policy.
function drawShares(root) {
  root.querySelectorAll("[data-share]").forEach((part) => { part.style.flexGrow = part.dataset.share; });
}
document.addEventListener("DOMContentLoaded", () => drawShares(document));
document.addEventListener("htmx:afterSwap", (event) => drawShares(event.detail.target));

// [data-poll]: milliseconds after which the part around it is requested again, unless the tab is hidden.
setInterval(() => {
  if (document.hidden) return;
  document.querySelectorAll("[data-poll]").forEach((part) => {
    const now = Date.now();
    part.polledAt ??= now; // the response replaces this element
    if (now - part.polledAt < Number(part.dataset.poll)) return;
    const field = document.activeElement;
    if (part.contains(field) && field.value && !field.hasAttribute("hx-preserve")) return; // a person is typing in it
    part.polledAt = now;
    htmx.trigger(part.closest("[hx-trigger~='poll']"), "poll");
  });
}, 250);

// [data-enter]: in this field, Enter submits and Shift+Enter begins a new line.
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.target.matches("[data-enter]")) {
    event.preventDefault();
    event.target.form.requestSubmit();
  }
});
document.addEventListener("htmx:afterSwap", () => {
  const log = document.getElementById("said");
  if (log) log.scrollTop = log.scrollHeight;
});

// [data-stream]: a form that streams the reply to its message.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-stream]")) return;
  event.preventDefault();
  const talk = document.getElementById("talk"), sent = new FormData(form), button = form.querySelector("button");
  if (form.classList.contains("htmx-request")) return; // already sent; Enter submits even if the button is disabled
  talk.querySelectorAll("[data-poll]").forEach((part) => part.removeAttribute("data-poll"));
  button.disabled = true;
  form.classList.add("htmx-request"); // shows the busy indicator
  try {
    const answer = await post(form, sent, { "Accept": "text/event-stream", "HX-Target": "talk" });
    if (answer.headers.has("HX-Redirect")) return submitNormally(form);
    if (!answer.ok) { showError("Something went wrong (" + answer.status + ")."); button.disabled = false; return; }
    if (!(answer.headers.get("Content-Type") ?? "").startsWith("text/event-stream")) {
      talk.innerHTML = await answer.text();
      htmx.process(talk);
      document.getElementById("message").focus();
      return;
    }
    bubble("user").textContent = sent.get("message");
    form.elements.message.value = ""; // what is typed from now on stays when the talk is replaced
    await readReply(answer, bubble("assistant"));
    htmx.trigger(talk, "poll");
  } catch {
    showError(UNREACHABLE);
    button.disabled = false;
  } finally {
    form.classList.remove("htmx-request");
  }
});

document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.querySelector("[data-stream].htmx-request")) event.detail.shouldSwap = false; // asked for before
});

function bubble(role) {
  const around = document.createElement("div"), said = document.createElement("p"), log = document.getElementById("said");
  around.className = "bubble " + role;
  said.className = "said";
  said.dir = "auto";
  around.append(said);
  log.append(around);
  log.scrollTop = log.scrollHeight;
  return said;
}

async function readReply(answer, said) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const events = (rest + part.value).split("\n\n");
    rest = events.pop();
    events.filter((event) => event.startsWith("data: {")).map((event) => JSON.parse(event.slice(6))).forEach((event) => {
      if (event.error) showError(event.error.message);
      const delta = event.choices?.[0]?.delta;
      said.textContent += delta?.content || delta?.refusal || "";
    });
  }
}

// [data-upload]: a form that shows the progress of its upload.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-upload]")) return;
  event.preventDefault();
  const bar = form.querySelector("progress"), button = form.querySelector("button");
  const request = new XMLHttpRequest();
  bar.hidden = false;
  button.disabled = true;
  request.upload.addEventListener("progress", (step) => {
    if (step.lengthComputable) bar.value = (100 * step.loaded) / step.total;
  });
  request.addEventListener("load", () => {
    if (!handleResponse(request.responseText, request.status, (name) => request.getResponseHeader(name))) { button.disabled = false; bar.hidden = true; }
  });
  request.addEventListener("error", () => { showError(UNREACHABLE); button.disabled = false; bar.hidden = true; });
  request.open("POST", form.action);
  request.setRequestHeader("HX-Request", "true");
  request.setRequestHeader("HX-Current-URL", location.href);
  request.send(new FormData(form));
});

// Ctrl+K opens the search; arrow keys move through the results. Enter opens the first result; if the results are not
// those of the present text yet, as soon as they have arrived.
let resultsFor, enterPending = false;
function openFind() {
  const dialog = document.getElementById("find");
  if (!dialog || dialog.open) return;
  resultsFor = undefined;
  dialog.showModal();
  dialog.querySelector("input").select();
  htmx.trigger(dialog.querySelector("form"), "open-find");
}
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") { event.preventDefault(); openFind(); }
  const dialog = event.target.closest?.("#find");
  if (!dialog) return;
  if (event.key === "Escape") { event.preventDefault(); dialog.close(); } // by default Escape only clears a search field
  const links = [...dialog.querySelectorAll(".found a")], at = links.indexOf(document.activeElement);
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    const next = at + (event.key === "ArrowDown" ? 1 : -1);
    (links[next] ?? dialog.querySelector("input")).focus();
  } else if (event.key === "Enter" && at < 0) {
    event.preventDefault();
    enterPending = event.target.value !== resultsFor;
    if (enterPending) htmx.trigger(dialog.querySelector("form"), "open-find"); else links[0]?.click();
  }
});
document.addEventListener("input", (event) => { if (event.target.id === "find-field") enterPending = false; });
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id !== "found-here") return;
  resultsFor = event.detail.requestConfig.formData.get("q");
  if (!enterPending || resultsFor !== document.getElementById("find-field").value) return;
  enterPending = false;
  document.querySelector("#found-here a")?.click();
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-find]") && window.HTMLDialogElement) { event.preventDefault(); openFind(); }
  if (event.target.id === "find") event.target.close();
});

// [data-counted]: a list that a search fills as one types. How many rows it has now, of this selector, is told to screen
// readers by the element after it.
document.addEventListener("htmx:afterSwap", (event) => {
  const list = event.detail.target;
  if (!list.matches("[data-counted]")) return;
  const count = list.querySelectorAll(list.dataset.counted).length;
  const more = list.querySelector("[rel=next]") ? " on this page" : "";
  list.nextElementSibling.textContent = count === 1 ? "1 result" : count ? count + " results" + more : "No results";
});

// A conversation opens at its end, unless the URL names a place. Turns that are loaded above do not move the visible
// ones, and repeated headings are hidden.
const log = () => document.getElementById("log");
document.addEventListener("DOMContentLoaded", () => { if (log()?.hasAttribute("data-at-end")) log().scrollTop = log().scrollHeight; });
let below;
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.id === "earlier") below = log().scrollHeight - log().scrollTop;
});
document.addEventListener("htmx:afterSwap", () => {
  if (!log()) return;
  const headings = [...log().querySelectorAll(".begins")];
  headings.forEach((heading, place) => { heading.hidden = place > 0 && heading.textContent === headings[place - 1].textContent; });
  if (below !== undefined) log().scrollTop = log().scrollHeight - below;
  below = undefined;
});

// Time travel: a slider shows its time as text, and clears the date field; a date moves the slider. A response to a
// request from before a slider was moved does not move it back.
let sliderMoved = false;
function showTime(slider, text) {
  slider.setAttribute("aria-valuetext", text);
  slider.closest(".field").querySelector("output").textContent = text;
}
function timeOf(slider) {
  const first = Date.parse(slider.dataset.first), last = Date.parse(slider.dataset.last);
  const moment = new Date(first + (last - first) * slider.value / slider.max);
  return moment.toLocaleString("en-GB", { day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit", timeZone: "UTC" }).replace(" at ", ", ");
}
document.addEventListener("input", (event) => {
  if (!event.target.matches("[data-clears]")) return;
  document.getElementById(event.target.dataset.clears).value = "";
  showTime(event.target, timeOf(event.target));
  sliderMoved = true;
}, true);
document.addEventListener("htmx:beforeRequest", (event) => { if (event.detail.target.id === "then") sliderMoved = false; });
document.addEventListener("htmx:afterSwap", (event) => {
  const place = event.detail.target.id === "then" && !sliderMoved && event.detail.target.querySelector("[data-step]");
  if (place) ["step", "until"].forEach((name) => {
    const slider = document.getElementById(name);
    slider.value = place.dataset[name];
    showTime(slider, place.dataset[name + "Text"]);
  });
});

// [data-filter]: a search that shows only the settings with its words, and opens their sections.
function filterParts() {
  const field = document.querySelector("[data-filter]");
  if (!field) return;
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean), changed = document.querySelector("[data-only-changed]").checked;
  let found = 0;
  document.querySelectorAll("details.section").forEach((section) => {
    const parts = [...section.querySelectorAll(".field[data-path]")];
    if (!parts.length) return;
    parts.forEach((part) => {
      const text = (part.textContent + " " + part.dataset.path).toLowerCase();
      part.hidden = !words.every((word) => text.includes(word)) || (changed && !("changed" in part.dataset));
    });
    const left = parts.filter((part) => !part.hidden).length;
    found += left;
    section.hidden = !left;
    section.open = left > 0 && (words.length > 0 || changed);
  });
  document.getElementById("no-setting").hidden = found > 0;
}
document.addEventListener("input", (event) => { if (event.target.matches("[data-filter], [data-only-changed]")) filterParts(); });
document.addEventListener("keydown", (event) => { if (event.key === "Enter" && event.target.matches("[data-filter]")) event.preventDefault(); });
document.addEventListener("DOMContentLoaded", () => document.querySelectorAll("[data-script]").forEach((part) => { part.hidden = false; }));

// A chart's bar shows its tooltip at once, and also on a tap, instead of the browser's delayed one.
document.addEventListener("pointerover", (event) => {
  const bar = event.target.closest?.(".plot svg g"), shown = document.querySelector(".tip");
  if (!bar) return shown?.remove();
  const around = bar.closest(".axes"), own = bar.querySelector("title");
  if (own) { bar.dataset.text = own.textContent; own.remove(); }
  const tip = shown ?? document.createElement("p");
  tip.className = "tip small";
  tip.setAttribute("aria-hidden", "true"); // the list below the chart has the same text
  tip.textContent = bar.dataset.text;
  around.append(tip);
  const room = around.getBoundingClientRect(), place = bar.getBoundingClientRect();
  const middle = place.left + place.width / 2 - room.left - tip.offsetWidth / 2;
  tip.style.left = Math.max(0, Math.min(middle, room.width - tip.offsetWidth)) + "px";
});

// A link to an element in closed <details> opens them.
function openTarget() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let part = target?.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
  target?.scrollIntoView({ block: "center" });
}
window.addEventListener("hashchange", openTarget);
