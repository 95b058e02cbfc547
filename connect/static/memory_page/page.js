// What is remembered about a person, for that person: lists, corrects and forgets it by the REST API, with the relationship
// token of the link's fragment: #token=rt_...&scopes=read&lang=de (the last two are optional).

const $ = (id) => document.getElementById(id);
const link = takeLink();
const base = new URL(`v1/relationships/${link.relationship}`, document.baseURI);
const { language, texts } = await loadTexts().catch((error) => {
  $("waiting").textContent = "No answer. Load the page again."; // in English, as there are no texts
  throw error;
});

const t = (key, named = {}) => texts[key].replace(/\{(\w+)\}/g, (_, name) => named[name]);
const day = new Intl.DateTimeFormat(language, { dateStyle: "long" });
const onDay = (moment) => day.format(new Date(moment));
const onDays = (happens) => // as it was said: a day, or what is less or more exact, or two of these
  happens.split("/").map((part) => (/^\d{4}-\d\d-\d\d$/.test(part) ? onDay(`${part}T12:00`) : part)).join(" – ");

// The token leaves the address bar at once; the tab keeps it, so that the page can be reloaded. A frame's address is not
// shown, and what it stores, other frames of the tab would read.
function takeLink() {
  const KEY = "rapport-memory";
  let kept = location.hash.slice(1);
  if (window === window.top) {
    if (kept.includes("token=")) sessionStorage.setItem(KEY, kept);
    kept = sessionStorage.getItem(KEY) ?? "";
    history.replaceState(null, "", location.pathname + location.search);
  }
  const said = new URLSearchParams(kept);
  const token = said.get("token") ?? "";
  const id = /^rt_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_/.exec(token)?.slice(1).join("-");
  return { token, relationship: id, readOnly: said.get("scopes") === "read", language: said.get("lang") };
}

// The first of the person's languages that there are texts for; else English.
async function loadTexts() {
  const all = await (await fetch("static/memory_page/texts.json")).json();
  const wanted = [link.language, ...navigator.languages].filter(Boolean).map((tag) => tag.slice(0, 2).toLowerCase());
  const language = wanted.find((tag) => all[tag]) ?? "en";
  return { language, texts: all[language] };
}

class Refused extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

// What to tell of a refusal, by its status or the API's name for it.
const KNOWN = {
  401: "expired", 403: "read_only", 404: "changed", 410: "changed", 412: "changed",
  entry_not_active: "changed", already_decided: "changed", same_as_another: "same", too_many_requests: "too_often",
};

// The answer to a call below the relationship. Raises Refused, with a sentence for the person.
async function call(method, path = "", body, version) {
  const headers = { Authorization: `Bearer ${link.token}`, Accept: "application/json" };
  if (body) headers["Content-Type"] = "application/json";
  if (version) headers["If-Match"] = `"${version}"`;
  let answer, told;
  try {
    const signal = AbortSignal.timeout(path === "/forget" ? 120_000 : 30_000); // a model may judge
    answer = await fetch(base + path, { method, headers, body: body && JSON.stringify(body), cache: "no-store", signal });
    told = await answer.json();
  } catch {
    throw new Refused(0, t("unreachable"));
  }
  if (answer.ok) return told;
  const known = answer.status < 500 ? KNOWN[answer.status] ?? KNOWN[told.type?.split(":").pop()] : "failed";
  throw new Refused(answer.status, known ? t(known) : told.detail);
}

// Runs what a button or form asks for, once at a time. It isn't disabled, as it would lose the focus.
async function run(control, work, offer) {
  if (control.ariaDisabled === "true") return;
  control.ariaDisabled = "true";
  if ($("notice").className === "bad" && !$("notice").contains(control)) $("notice").replaceChildren(); // it is tried again
  await attempt(work, offer).finally(() => (control.ariaDisabled = "false"));
}

// Does the work, with its failure on the page; the offer stays.
async function attempt(work, offer) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.status === 401) return end(error.message);
    say(error.message, { bad: true, offer });
  }
}

function onSubmit(form, work) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run(event.submitter ?? form, () => work(event.submitter?.value));
  });
}

function say(sentence, { bad = false, offer } = {}) {
  const notice = $("notice");
  const focused = notice.contains(document.activeElement);
  notice.className = bad ? "bad" : "";
  notice.replaceChildren(sentence);
  if (focused) notice.focus();
  if (!offer) return;
  const button = Object.assign(document.createElement("button"), { textContent: offer.name });
  button.addEventListener("click", () => run(button, offer.work, offer));
  notice.append(button);
}

function end(sentence) {
  $("content").remove();
  $("notice").replaceChildren();
  $("waiting").hidden = false;
  $("waiting").textContent = sentence;
}

// Whether the person agrees to what can't be undone. A frame may not use the browser's own question.
function agreed(question) {
  $("question").textContent = question;
  const dialog = $("ask");
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

const made = (template) => fill($(template).content.firstElementChild.cloneNode(true));

function fill(part) {
  for (const one of part.querySelectorAll("[data-text]")) one.textContent = t(one.dataset.text);
  for (const one of part.querySelectorAll("[data-label]")) {
    one.setAttribute("aria-label", t(one.dataset.label));
    if (one.type === "search") one.placeholder = t(one.dataset.label);
  }
  return part;
}

const button = (part, name) => part.querySelector(`[data-do=${name}]`);

function show(part, names) {
  for (const one of part.querySelectorAll("[data-do]")) one.hidden = !names.includes(one.dataset.do);
}

// A list that is read page by page; `present` makes a row's element.
function list(name, path, present) {
  let next = null, pages = 0, filter = "";
  const read = async (query = "") => {
    const mine = ++pages;
    $(name).ariaBusy = "true";
    const answer = await call("GET", `${path}?limit=50${query}`).finally(() => mine === pages && ($(name).ariaBusy = "false"));
    if (mine !== pages) return; // another was asked for meanwhile
    next = answer.next_cursor;
    const edited = [...$(name).children].filter((row) => row.querySelector(".edit")); // nothing that was typed is lost
    if (!query.includes("&cursor=")) $(name).replaceChildren(...edited);
    const there = new Set([...$(name).children].map((row) => row.dataset.id));
    $(name).append(...answer.items.filter((item) => !there.has(item.id)).map(present));
    const count = `${$(name).childElementCount}${next ? "+" : ""}`;
    $(`count-${name}`).textContent = count === "0" ? t("nothing") : filter && t("found", { count });
    $(`more-${name}`).hidden = !next;
  };
  $(`more-${name}`).addEventListener("click", (event) => run(event.target, async () => {
    const there = $(name).childElementCount;
    await read(`${filter}&cursor=${encodeURIComponent(next)}`);
    $(name).children[there]?.focus();
  }));
  return (wanted = filter) => read((filter = wanted));
}

// Entries.

const readEntries = list("entries", "/entries", presentEntry);

function presentEntry(entry) {
  const row = made("entry");
  describe(row, entry.id);
  const draw = () => {
    row.className = entry.state === "deleted" ? "gone" : "";
    row.querySelector(".content").textContent = entry.content;
    const facts = [t("told", { day: onDay(entry.effective_at) })];
    if (entry.happens_at) facts.push(t("happens", { when: onDays(entry.happens_at) }));
    row.querySelector(".facts").textContent = facts.join(" · ");
    const active = entry.state === "active" && !entry.read_only ? ["edit", "forget"] : [];
    show(row, entry.state === "deleted" ? ["undo", "erase"] : active);
  };
  const does = {
    edit: () => edit(row, entry.content, async (content) => {
      entry = await call("PATCH", `/entries/${entry.id}`, { content }, entry.version);
      draw();
    }),
    async forget() {
      entry = await call("DELETE", `/entries/${entry.id}`, null, entry.version);
      draw();
      button(row, "undo").focus();
    },
    async undo() {
      entry = await call("POST", `/entries/${entry.id}/restore`, {}, entry.version);
      draw();
      button(row, "forget").focus();
    },
    async erase() {
      if (!await agreed(t("erase_question"))) return;
      const answer = await call("DELETE", `/entries/${entry.id}?permanent=true`, null, entry.version);
      drawErased(row);
      row.querySelector(".facts").textContent = "";
      refreshMessages();
      const count = answer.messages_still_holding_total, what = entry.content.slice(0, 2000);
      if (count) say(t("still_said", { count }), { offer: { name: t("look"), work: () => wish(what) } });
    },
  };
  for (const [name, work] of Object.entries(does)) {
    const one = button(row, name);
    one.addEventListener("click", () => run(one, work));
  }
  draw();
  return row;
}

// Screen readers say with each button of a row what it is for; once it has none, the row itself is focused.
function describe(row, id) {
  Object.assign(row, { tabIndex: -1 }).dataset.id = id;
  row.querySelector(".content").id = `text-${id}`;
  for (const one of row.querySelectorAll("[data-do]")) one.setAttribute("aria-describedby", `text-${id}`);
}

function drawErased(row) {
  row.className = "gone erased";
  row.querySelector(".content").textContent = t("erased");
  show(row, []);
  row.focus();
}

function edit(row, content, save) {
  const form = made("editing"), field = form.content;
  const close = () => {
    form.remove();
    for (const part of row.children) part.hidden = false;
    button(row, "edit").focus();
  };
  for (const part of row.children) part.hidden = true;
  row.append(form);
  field.value = content;
  field.focus();
  form.querySelector("[type=button]").addEventListener("click", close);
  form.addEventListener("keydown", (event) => event.key === "Escape" && !event.isComposing && close());
  onSubmit(form, async () => {
    if (field.value !== content) await save(field.value);
    close();
  });
}

onSubmit($("find"), () => {
  const text = $("find").text.value.trim();
  return readEntries(text && `&text=${encodeURIComponent(text)}`);
});
$("find").text.addEventListener("input", (event) => event.target.value || $("find").requestSubmit()); // emptied: all again

// Forgetting something by saying so: what would go is shown first, and the person chooses.

onSubmit($("wish"), () => wish($("wish").what.value));

async function wish(what) {
  say(t("looking"));
  showPlan(await call("POST", "/forget", { what, dry_run: true, depth: "erase" }));
}

let plan = null;
function showPlan(found) {
  plan = found;
  $("notice").replaceChildren();
  $("plan").hidden = !plan.items.length;
  if (!plan.items.length) return say(t("nothing"));
  $("plan").querySelector("ul").replaceChildren(...plan.items.map(presentItem));
  $("plan-note").textContent = plan.left_out ? t("left_out", { count: plan.left_out }) : "";
  $("plan").focus();
  $("plan").scrollIntoView({ block: "nearest" });
}

function presentItem(item) {
  const row = made("item"), box = row.querySelector("input");
  Object.assign(box, { checked: item.ticked || item.asks, value: item.number, disabled: item.fixed || item.asks });
  row.querySelector("span").textContent = item.sentence;
  const facts = [t(item.hidden ? "kind_hidden" : item.kind === "message" ? "kind_message" : "kind_memory")];
  if (item.rest && !item.hidden) facts.push(t("becomes", { rest: item.rest }));
  if (item.fixed) facts.push(t("fixed"));
  row.querySelector(".facts").textContent = facts.join(" · ");
  return row;
}

onSubmit($("plan").querySelector("form"), async (depth) => {
  const mine = plan;
  if (depth === "keep") {
    await call("POST", `/plans/${mine.id}/decline`);
    return closePlan(t("kept"));
  }
  const ticked = [...$("plan").querySelectorAll("input:checked:enabled")].map((box) => Number(box.value));
  if (!ticked.length) return say(t("choose"), { bad: true });
  if (depth === "erase" && !await agreed(t("erase_question"))) return;
  const { items } = await call("POST", `/plans/${mine.id}/carry-out`, { ticked, depth });
  const all = items.every((item) => item.done); // what was changed meanwhile is left alone
  const undo = async () => {
    await call("POST", `/plans/${mine.id}/undo`);
    say(t("undone"));
    refresh();
  };
  closePlan(t(all ? (depth === "erase" ? "erased" : "hidden") : "partly"), depth === "hide" && { name: t("undo"), work: undo });
});

function closePlan(sentence, offer) {
  $("plan").hidden = true;
  $("wish").reset();
  say(sentence, { offer });
  $("notice").focus(); // what it offers comes next
  refresh();
}

// What was said, read when it is opened.

const readMessages = list("messages", "/messages", presentMessage);

function presentMessage(message) {
  const row = made("message");
  const who = message.speaker || t(message.role === "user" ? "you" : "companion", { companion });
  describe(row, message.id);
  row.querySelector(".facts").textContent = `${who}, ${onDay(message.occurred_at)}`;
  row.querySelector(".content").textContent = message.content;
  if (message.erased_at) drawErased(row);
  button(row, "redact").addEventListener("click", (event) => run(event.target, async () => {
    if (!await agreed(t("erase_question"))) return;
    await call("POST", "/messages/redact", { messages: [message.id] });
    drawErased(row);
  }));
  return row;
}

const refreshMessages = () => $("said").open && attempt(() => readMessages());
const refresh = () => {
  attempt(() => readEntries());
  refreshMessages();
};
$("said").addEventListener("toggle", refreshMessages);

// A copy of everything that the page shows.

$("download").addEventListener("click", (event) => run(event.target, async () => {
  const all = async (path) => {
    const items = [];
    for (let cursor = ""; cursor !== null;) {
      const answer = await call("GET", `${path}limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      items.push(...answer.items);
      cursor = answer.next_cursor;
    }
    return items;
  };
  const copy = { companion, profile, entries: await all("/entries?"), messages: await all("/messages?") };
  const file = new Blob([JSON.stringify(copy, null, 2)], { type: "application/json" });
  const anchor = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: "memory.json" });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000);
}));

function showProfile() {
  const parts = Object.entries(profile).flatMap(([name, value]) => [
    Object.assign(document.createElement("dt"), { textContent: name }),
    Object.assign(document.createElement("dd"), { dir: "auto", textContent: typeof value === "string" ? value : JSON.stringify(value) }),
  ]);
  $("profile").querySelector("dl").replaceChildren(...parts);
  $("profile").hidden = !parts.length;
}

let companion = "", profile = {};
document.documentElement.lang = language;
fill(document);
window.addEventListener("hashchange", () => location.hash.includes("token=") && location.reload());
await start();

async function start() {
  if (!link.relationship) return end(t("no_link"));
  try {
    const [relationship, kept, waiting] = await Promise.all([
      call("GET"), call("GET", "/profile"), call("GET", "/plans?awaiting_review=true"), readEntries(),
    ]);
    companion = relationship.companion.name;
    profile = kept;
    document.title = $("title").textContent = t("title", { companion });
    document.body.classList.toggle("read-only", link.readOnly);
    showProfile();
    $("waiting").hidden = true;
    $("content").hidden = false;
    const wished = waiting.items.find((one) => one.verb === "forget"); // a correction is the operator's to decide
    if (wished && !link.readOnly) showPlan(wished);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    end(error.message);
  }
}
