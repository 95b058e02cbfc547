/* The little that HTML and htmx don't do by themselves. */
"use strict";

// A select marked data-submit sends its form as soon as something is chosen.
document.addEventListener("change", (event) => {
  const field = event.target.closest("[data-submit]");
  if (field) field.form.requestSubmit();
});

// Escape leaves an inline edit: the button marked data-cancel is pressed.
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

// What an inline form took the place of comes back when it is cancelled, and the focus to the link that opened it.
const covered = new WeakMap();
document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, requestConfig, shouldSwap } = event.detail;
  if (shouldSwap && target.matches(".entry, #new-entry") && !target.querySelector("form.edit")) {
    covered.set(target, { before: target.innerHTML, opener: requestConfig.elt.getAttribute("hx-get") });
  }
});
document.addEventListener("click", (event) => {
  const place = event.target.closest("[data-cancel]")?.closest(".entry, #new-entry");
  const kept = place && covered.get(place);
  if (!kept) return; // a page of its own: the link leads back
  event.preventDefault();
  place.innerHTML = kept.before;
  htmx.process(place);
  document.querySelector(`a[hx-get="${kept.opener}"]`)?.focus();
});

// A form in a part marked data-in-place is sent without leaving the page: what was scrolled to stays, and the focus
// goes to the same entry, or to the notice that undoes its deletion.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post" || !form.closest("[data-in-place], #notices")) return;
  const sent = new FormData(form, event.submitter);
  event.preventDefault();
  const entry = form.closest(".entry")?.id, pressed = event.submitter?.value;
  try {
    const answer = await post(form, sent);
    if (answer.status === 401) return sendWhole(form, event.submitter);
    if (take(await answer.text(), answer.status, (name) => answer.headers.get(name))) focusAfter(entry, pressed);
  } catch {
    say(UNREACHABLE);
  } finally {
    underWay.delete(form);
  }
});

const post = (form, sent, headers) => fetch(form.action, {
  method: "POST", body: new URLSearchParams(sent), headers: { "HX-Request": "true", "HX-Current-URL": location.href, ...headers },
});

// Whose session has ended: the form is sent as without this script, to the page that carries it past the sign-in.
function sendWhole(form, button) {
  if (button?.name) {
    const pressed = form.appendChild(document.createElement("input"));
    Object.assign(pressed, { type: "hidden", name: button.name, value: button.value });
  }
  form.submit();
}

// What came back of a form: a page, which is shown; else where to go on, or what is wrong.
function take(text, status, header) {
  if (header("HX-Redirect")) location.assign(header("HX-Redirect"));
  else if (header("HX-Retarget")) document.getElementById("notices").innerHTML = text;
  else if (showPage(text)) return true;
  else say("Something went wrong (" + status + ").");
  return false;
}

// The content of another page, or of this one anew, in place of what is here. Notices are announced as they come.
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

function focusAfter(entry, pressed) {
  const again = entry && document.getElementById(entry);
  const wanted = again
    ? again.querySelector(`.actions button[value="${CSS.escape(pressed ?? "")}"]`) ?? again.querySelector(".actions a, .actions button")
    : document.querySelector("form.edit [autofocus]") ?? document.querySelector("#notices button") ?? document.getElementById("add");
  wanted?.focus();
}

// How many are selected, and whether all are; one box ticks all.
const boxesOf = (all) => [...document.querySelectorAll(`input[name="${all.dataset.tickAll || "entry"}"][type=checkbox]:not([disabled])`)];
function countSelected() {
  const told = document.querySelector("[data-count]");
  if (told) told.textContent = document.querySelectorAll(`input[name="${told.dataset.count}"]:checked`).length + " selected";
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

// Before a form is sent. Of one from before a sign-in in another tab: the token that holds now is in the cookie. What
// can't be brought back is asked about. A form on its way is not sent a second time, unless nothing has come of it.
const tokenNow = () => /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1];
document.addEventListener("htmx:configRequest", (event) => {
  if (tokenNow()) event.detail.headers["X-CSRFToken"] = tokenNow();
});
let underWay = new WeakSet();
window.addEventListener("pageshow", (event) => { if (event.persisted) underWay = new WeakSet(); }); // gone back to: it may go again
document.addEventListener("submit", (event) => {
  const form = event.target, field = form.querySelector("[name=csrfmiddlewaretoken]"), token = tokenNow();
  const question = event.submitter?.dataset.confirm ?? form.dataset.confirm;
  if (field && token) field.value = token;
  if (question && !window.confirm(question)) event.preventDefault();
  if (event.defaultPrevented || form.method !== "post" || form.matches("[data-stream], [data-upload]")) return;
  if (underWay.has(form)) { event.preventDefault(); event.stopImmediatePropagation(); }
  underWay.add(form);
  setTimeout(() => underWay.delete(form), 5000);
}, true);

// Every refused or failed request is said, never swallowed.
const UNREACHABLE = "The server can't be reached. Try again in a moment.";
document.addEventListener("htmx:sendError", () => say(UNREACHABLE));
document.addEventListener("htmx:afterOnLoad", () => {
  const notice = document.querySelector("#notices .notice.bad");
  if (notice?.textContent === UNREACHABLE) notice.remove(); // it can again
});
document.addEventListener("htmx:responseError", (event) => {
  if (!event.detail.xhr.getResponseHeader("HX-Retarget")) say("Something went wrong (" + event.detail.xhr.status + ").");
});

function say(text) {
  const notice = document.createElement("div");
  notice.className = "notice bad";
  notice.setAttribute("role", "alert");
  notice.textContent = text;
  document.getElementById("notices")?.replaceChildren(notice);
}

// A button marked data-copy copies the text of what it names.
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

// Back from a refusal: to the page as it was left, with what was typed there.
document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-back]") || history.length < 2) return;
  event.preventDefault();
  history.back();
});

// Shares of a whole as widths: a style attribute would need a looser security policy.
function drawShares(root) {
  root.querySelectorAll("[data-share]").forEach((part) => { part.style.flexGrow = part.dataset.share; });
}
document.addEventListener("DOMContentLoaded", () => drawShares(document));
document.addEventListener("htmx:afterSwap", (event) => drawShares(event.detail.target));

// Parts that live: while a page holds [data-poll], what is around it asks again so often, but not in a hidden tab.
setInterval(() => {
  if (document.hidden) return;
  document.querySelectorAll("[data-poll]").forEach((part) => {
    const now = Date.now();
    part.polledAt ??= now; // its answer takes its place, and is as fresh
    if (now - part.polledAt < Number(part.dataset.poll)) return;
    if (part.contains(document.activeElement) && document.activeElement.value) return; // somebody writes there
    part.polledAt = now;
    htmx.trigger(part.closest("[hx-trigger~='poll']"), "poll");
  });
}, 250);

// In a field marked data-enter, Enter sends and Shift+Enter begins a line.
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

// A form marked data-stream shows the reply to its message as it is made; without this script the page brings it whole.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-stream]")) return;
  event.preventDefault();
  const talk = document.getElementById("talk"), sent = new FormData(form), button = form.querySelector("button");
  if (form.classList.contains("htmx-request")) return; // on its way: Enter asks no button
  talk.querySelectorAll("[data-poll]").forEach((part) => part.removeAttribute("data-poll"));
  button.disabled = true;
  form.classList.add("htmx-request"); // shows that it is busy
  try {
    const answer = await post(form, sent, { "Accept": "text/event-stream", "HX-Target": "talk" });
    if (answer.headers.has("HX-Redirect")) return location.assign(answer.headers.get("HX-Redirect"));
    if (!answer.ok) { say("Something went wrong (" + answer.status + ")."); button.disabled = false; return; }
    if (!(answer.headers.get("Content-Type") ?? "").startsWith("text/event-stream")) {
      talk.innerHTML = await answer.text();
      htmx.process(talk);
      return;
    }
    bubble("user").textContent = sent.get("message");
    form.reset();
    await readReply(answer, bubble("assistant"));
    htmx.trigger(talk, "poll");
  } catch {
    say(UNREACHABLE);
    button.disabled = false;
  } finally {
    form.classList.remove("htmx-request");
  }
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
      if (event.error) say(event.error.message);
      const delta = event.choices?.[0]?.delta;
      said.textContent += delta?.content || delta?.refusal || "";
    });
  }
}

// A form marked data-upload shows how far its file has come; without this script it is an ordinary form.
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
    if (!take(request.responseText, request.status, (name) => request.getResponseHeader(name))) { button.disabled = false; bar.hidden = true; }
  });
  request.addEventListener("error", () => { say(UNREACHABLE); button.disabled = false; bar.hidden = true; });
  request.open("POST", form.action);
  request.setRequestHeader("HX-Request", "true");
  request.setRequestHeader("HX-Current-URL", location.href);
  request.send(new FormData(form));
});

// Ctrl+K finds; the arrows walk through what was found. Enter goes to the first of it: if that is still what was found
// for fewer letters, as soon as the rest has come.
let foundFor, goesOn = false;
function openFind() {
  const dialog = document.getElementById("find");
  if (!dialog || dialog.open) return;
  foundFor = undefined;
  dialog.showModal();
  dialog.querySelector("input").select();
  htmx.trigger(dialog.querySelector("form"), "open-find");
}
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") { event.preventDefault(); openFind(); }
  const dialog = event.target.closest?.("#find");
  if (!dialog) return;
  if (event.key === "Escape") { event.preventDefault(); dialog.close(); } // at once: a search field would only be emptied
  const links = [...dialog.querySelectorAll(".found a")], at = links.indexOf(document.activeElement);
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    const next = at + (event.key === "ArrowDown" ? 1 : -1);
    (links[next] ?? dialog.querySelector("input")).focus();
  } else if (event.key === "Enter" && at < 0) {
    event.preventDefault();
    goesOn = event.target.value !== foundFor;
    if (goesOn) htmx.trigger(dialog.querySelector("form"), "open-find"); else links[0]?.click();
  }
});
document.addEventListener("input", (event) => { if (event.target.id === "find-field") goesOn = false; });
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id !== "found-here") return;
  foundFor = event.detail.requestConfig.formData.get("q");
  if (!goesOn || foundFor !== document.getElementById("find-field").value) return;
  goesOn = false;
  document.querySelector("#found-here a")?.click();
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-find]") && window.HTMLDialogElement) { event.preventDefault(); openFind(); }
  if (event.target.id === "find") event.target.close();
});

// A conversation opens at its end, or where one jumped to. What comes in above doesn't move what is read, and a day's
// heading stands once.
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

// Time travel: a slider says its moment, as text and to who listens, and takes the place of the date that was named;
// a date that was named moves the slider. What was asked for before a slider moved does not move it back.
let movedSince = false;
function sayMoment(slider, text) {
  slider.setAttribute("aria-valuetext", text);
  slider.closest(".field").querySelector("output").textContent = text;
}
function momentOf(slider) {
  const first = Date.parse(slider.dataset.first), last = Date.parse(slider.dataset.last);
  const moment = new Date(first + (last - first) * slider.value / slider.max);
  return moment.toLocaleString("en-GB", { day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit", timeZone: "UTC" }).replace(" at ", ", ");
}
document.addEventListener("input", (event) => {
  if (!event.target.matches("[data-clears]")) return;
  document.getElementById(event.target.dataset.clears).value = "";
  sayMoment(event.target, momentOf(event.target));
  movedSince = true;
}, true);
document.addEventListener("htmx:beforeRequest", (event) => { if (event.detail.target.id === "then") movedSince = false; });
document.addEventListener("htmx:afterSwap", (event) => {
  const place = event.detail.target.id === "then" && !movedSince && event.detail.target.querySelector("[data-step]");
  if (place) ["step", "until"].forEach((name) => {
    const slider = document.getElementById(name);
    slider.value = place.dataset[name];
    sayMoment(slider, place.dataset[name + "Says"]);
  });
});
// A search marked data-filter leaves those parts that have its words, and opens what they stand in.
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

// A bar of a plot says its figures as soon as one points at it or taps it, in place of the browser's own late hint.
document.addEventListener("pointerover", (event) => {
  const bar = event.target.closest?.(".plot svg g"), shown = document.querySelector(".tip");
  if (!bar) return shown?.remove();
  const around = bar.closest(".axes"), own = bar.querySelector("title");
  if (own) { bar.dataset.says = own.textContent; own.remove(); }
  const tip = shown ?? document.createElement("p");
  tip.className = "tip small";
  tip.setAttribute("aria-hidden", "true"); // the list below the plot says the same
  tip.textContent = bar.dataset.says;
  around.append(tip);
  const room = around.getBoundingClientRect(), place = bar.getBoundingClientRect();
  const middle = place.left + place.width / 2 - room.left - tip.offsetWidth / 2;
  tip.style.left = Math.max(0, Math.min(middle, room.width - tip.offsetWidth)) + "px";
});

// A link to something in a closed part opens it.
function openTarget() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let part = target?.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
  target?.scrollIntoView({ block: "center" });
}
window.addEventListener("hashchange", openTarget);
