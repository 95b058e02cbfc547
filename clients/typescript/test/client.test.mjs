// Run against a real service: RAPPORT_URL, RAPPORT_API_KEY; the companion `ada` is there.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import { generateText, streamText, wrapLanguageModel } from "ai";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { done, pages, ProblemError, Rapport, StreamBroken } from "rapport-client";
import { remembering } from "rapport-client/vercel";

const baseUrl = process.env.RAPPORT_URL;
const rapport = new Rapport({ baseUrl, apiKey: process.env.RAPPORT_API_KEY });
let people = 0;
const someone = () => rapport.relationship("ada", `typescript-${++people}`);
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const finish = { unified: "stop", raw: "stop" };

async function all(items) {
  const found = [];
  for await (const one of items) found.push(one);
  return found;
}

/** A server that answers one after the other, and the requests it saw. */
async function serving(answers, use) {
  const seen = [];
  const server = createServer(async (request, response) => {
    const body = (await all(request.setEncoding("utf8"))).join("");
    seen.push({ at: Date.now(), headers: request.headers, body });
    const { status = 200, headers = { "Content-Type": "application/json" }, text = "{}" } = answers.shift() ?? {};
    response.writeHead(status, headers).end(text);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use(new Rapport({ baseUrl: `http://127.0.0.1:${server.address().port}`, apiKey: "rk_x" }), seen);
  } finally {
    server.close();
  }
}

test("a fact that is told is remembered and shown", async () => {
  const maya = await someone();
  const turn = await maya.remember("I moved to Lisbon last week.", { wait: 30 });
  assert.equal(turn.state, "applied");
  assert.match((await maya.context("Where do I live?")).system, /Lisbon/);
});

test("entries are added, found, listed whole, changed", async () => {
  const maya = await someone();
  for (let number = 0; number < 5; number++) await maya.add(`Fact ${number}`);
  const path = { relationship_id: maya.id };
  const listed = await all(
    pages((cursor) =>
      done(
        rapport.http.GET("/v1/relationships/{relationship_id}/entries", {
          params: { path, query: { limit: 2, ...(cursor ? { cursor } : {}) } },
        }),
      ),
    ),
  );
  assert.deepEqual(listed.map((entry) => entry.content), ["Fact 4", "Fact 3", "Fact 2", "Fact 1", "Fact 0"]);
  assert.deepEqual(await all(maya.entries()), listed);
  assert.equal((await maya.search("fact 3"))[0].content, "Fact 3");
});

test("a problem is an error that names the field", async () => {
  await assert.rejects(rapport.relationship("Not A Slug", "maya"), (error) => {
    assert.ok(error instanceof ProblemError);
    assert.deepEqual(error.errors.map((one) => one.field), ["companion"]);
    return error.status === 422;
  });
});

test("an address and a key come from the environment, and one that is missing is named", async () => {
  assert.equal((await new Rapport().relationship("ada", "typescript")).id, (await rapport.relationship("ada", "typescript")).id);
  const { RAPPORT_URL, RAPPORT_API_KEY } = process.env;
  delete process.env.RAPPORT_URL;
  delete process.env.RAPPORT_API_KEY;
  assert.throws(() => new Rapport({ apiKey: "rk_x" }), new TypeError("Give baseUrl, or set RAPPORT_URL."));
  assert.throws(() => new Rapport({ baseUrl }), new TypeError("Give apiKey (rk_... or rt_...), or set RAPPORT_API_KEY."));
  Object.assign(process.env, { RAPPORT_URL, RAPPORT_API_KEY });
});

test("a web page instead of an answer is said to be one", async () => {
  const page = { status: 404, headers: { "Content-Type": "text/html" }, text: "<!doctype html><title>Not found</title>" };
  await serving([page], async (client) => {
    await assert.rejects(client.relationshipById("r").search("tea"), { message: /^404 http.* answered with a web page\./ });
  });
});

test("a turn that is not settled at once is looked at until it is, or its time is over", async () => {
  const turn = (state) => ({ text: JSON.stringify({ id: "t", state }) });
  await serving([turn("pending"), turn("processing"), turn("applied")], async (client) => {
    assert.equal((await client.relationshipById("r").remember("Hello.", { wait: 60 })).state, "applied");
  });
  await serving([turn("pending"), turn("pending")], async (client) => {
    await assert.rejects(client.relationshipById("r").remember("Hello.", { wait: 0.1 }), { name: "TimeoutError" });
  });
});

test("a person has a name and a time zone", async () => {
  const sam = await rapport.relationship("ada", { external_id: "sam", display_name: "Sam" }, { timezone: "Europe/Lisbon" });
  const params = { path: { relationship_id: sam.id } };
  const found = await done(rapport.http.GET("/v1/relationships/{relationship_id}", { params }));
  assert.deepEqual([found.user.display_name, found.timezone], ["Sam", "Europe/Lisbon"]);
});

test("an entry is changed as it was read, deleted, restored, corrected and forgotten", async () => {
  const maya = await someone();
  const entry = await maya.add("Likes green tea.");
  const { version } = await maya.change(entry.id, { content: "Likes black tea." }, entry.version);
  await assert.rejects(maya.change(entry.id, { content: "Likes mint." }, entry.version), { status: 412 });
  await maya.delete(entry.id);
  assert.deepEqual(await all(maya.entries()), []);
  assert.equal((await maya.restore(entry.id)).version, version + 2);
  assert.equal((await maya.correct("that I like black tea", "Likes white tea.")).state, "carried_out");
  assert.deepEqual((await all(maya.entries({ state: "any" }))).map((one) => one.content), ["Likes white tea."]);
  assert.equal((await maya.forget("that I like white tea")).state, "carried_out");
  assert.deepEqual(await all(maya.entries()), []);
});

test("a browser's token opens its own relationship alone", async () => {
  const [mine, other] = [await someone(), await someone()];
  const params = { path: { relationship_id: mine.id } };
  const made = await done(
    rapport.http.POST("/v1/relationships/{relationship_id}/tokens", { params, body: { scopes: ["write"] } }),
  );
  const browser = new Rapport({ baseUrl, apiKey: made.token });
  await browser.relationshipById(mine.id).add("Likes tea.");
  assert.equal((await all(browser.relationshipById(mine.id).entries())).length, 1);
  await assert.rejects(browser.relationshipById(other.id).add("Likes tea."), { name: "ProblemError" });
});

test("429 is sent again when its time is over, a turn under one key", async () => {
  const later = { status: 429, headers: { "Retry-After": "1" } };
  await serving([later, { status: 503 }], async (client, seen) => {
    await client.relationshipById("r").remember("Hello.");
    assert.equal(seen.length, 3);
    assert.ok(seen[1].at - seen[0].at >= 1000);
    assert.equal(new Set(seen.map((one) => one.headers["idempotency-key"])).size, 1);
    assert.equal(new Set(seen.map((one) => one.body)).size, 1);
  });
});

test("a Retry-After that is a date is kept to", async () => {
  const date = (seconds) => ({ status: 429, headers: { "Retry-After": new Date(Date.now() + 1000 * seconds).toUTCString() } });
  await serving([date(2)], async (client, seen) => {
    await client.relationshipById("r").remember("Hello.");
    assert.ok(seen[1].at - seen[0].at >= 500); // a date has whole seconds, and is made before the first request
  });
  await serving([date(3600)], async (client, seen) => {
    await assert.rejects(client.relationshipById("r").remember("Hello."), { name: "ProblemError" });
    assert.equal(seen.length, 1);
  });
});

test("long entries are sent in bodies that the service takes, and refused by their place among all", async () => {
  const long = Array.from({ length: 200 }, (_, n) => ({ type: "other", content: `${n}`, metadata: { a: "é".repeat(6000) } }));
  const written = { status: 201, text: JSON.stringify({ items: Array(82).fill({}) }) };
  const refused = { detail: "entries.5.content: is empty", errors: [{ field: "entries.5.content", detail: "is empty" }] };
  await serving([written, { status: 422, text: JSON.stringify(refused) }], async (client, seen) => {
    await assert.rejects(client.relationshipById("r").addAll(long), { message: "422 entries.87.content: is empty" });
    const sent = seen.flatMap((one) => JSON.parse(one.body).entries);
    assert.deepEqual(sent, long.slice(0, sent.length));
    assert.ok(Math.max(...seen.map((one) => Buffer.byteLength(one.body))) < 1_048_576);
  });
});

test("what would be done twice is not sent again", async () => {
  await serving([{ status: 503, text: '{"detail": "away"}' }], async (client, seen) => {
    await assert.rejects(client.relationship("ada", "maya"), { name: "ProblemError" });
    assert.equal(seen.length, 1);
  });
});

test("what does not answer in time is asked again, a model not", async () => {
  const asked = [];
  const never = (request, { signal }) => {
    asked.push(new URL(request.url).pathname.split("/").at(-1));
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  const client = new Rapport({ baseUrl: "http://here", apiKey: "rk_x", retries: 1, timeout: 0.01, fetch: never });
  await assert.rejects(client.relationshipById("r").context("Hello"), { name: "TimeoutError" });
  assert.deepEqual(asked, ["context", "context"]);

  const leaving = new AbortController();
  const path = "/v1/companions/{companion_id}/prompts/preview";
  const preview = client.http.POST(path, { params: { path: { companion_id: "c" } }, body: {}, signal: leaving.signal });
  const late = new Promise((resolve) => setTimeout(resolve, 50, "still asks"));
  assert.equal(await Promise.race([preview.catch(() => "gave up"), late]), "still asks");
  leaving.abort();
  await assert.rejects(preview, { name: "AbortError" });
  assert.deepEqual(asked, ["context", "context", "preview"]);
});

test("a reply comes piece by piece, and one that breaks off is an error", async () => {
  const chunk = (content, refusal) => `data: ${JSON.stringify({ choices: [{ delta: { content, refusal } }] })}\n\n`;
  const headers = { "Content-Type": "text/event-stream" };
  const told = chunk("Good ") + ": still here\n\n" + chunk("morning.") + chunk("", "No.");
  await serving([{ headers, text: told + "data: [DONE]\n\n" }, { headers, text: told }], async (client) => {
    const body = { model: "ada", messages: [{ role: "user", content: "Hello" }] };
    assert.deepEqual(await all(client.chat(body)), ["Good ", "morning.", "No."]);
    await assert.rejects(all(client.chat(body)), (error) => error instanceof StreamBroken);
  });
});

test("a chat that is refused says why, at an address with /v1 too", async () => {
  const client = new Rapport({ baseUrl: `${baseUrl}/v1`, apiKey: process.env.RAPPORT_API_KEY });
  await assert.rejects(all(client.chat({ model: "ada", messages: [{ role: "user", content: "Hello" }] })), (error) => {
    assert.ok(error instanceof ProblemError);
    assert.equal(error.type, "urn:rapport:problem:invalid");
    assert.deepEqual(error.errors.map((one) => one.field), ["user"]);
    return /^400 user: nobody is named/.test(error.message);
  });
});

test("Vercel: what is known is put before the prompt, and what was said is handed over", async () => {
  const maya = await someone();
  await maya.add("Is allergic to peanuts.");
  const model = new MockLanguageModelV4({
    doGenerate: async () => ({ content: [{ type: "text", text: "Rice." }], finishReason: finish, usage, warnings: [] }),
  });
  const wrapped = wrapLanguageModel({ model, middleware: remembering(maya, "phone") });
  const { text } = await generateText({ model: wrapped, prompt: "What can I eat?" });
  assert.equal(text, "Rice.");
  const [system] = model.doGenerateCalls[0].prompt;
  assert.equal(system.role, "system");
  assert.match(system.content, /peanuts/);
  const params = { path: { relationship_id: maya.id } };
  const said = await done(rapport.http.GET("/v1/relationships/{relationship_id}/messages", { params }));
  assert.deepEqual(said.items.map((one) => one.content).sort(), ["Rice.", "What can I eat?"]);
  assert.equal(said.items[0].session, "phone");
});

test("Vercel: a streamed reply is handed over when it is whole", async () => {
  const maya = await someone();
  const chunks = [
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "Good " },
    { type: "text-delta", id: "1", delta: "morning." },
    { type: "text-end", id: "1" },
    { type: "finish", finishReason: finish, usage },
  ];
  const model = new MockLanguageModelV4({ doStream: async () => ({ stream: simulateReadableStream({ chunks }) }) });
  const wrapped = wrapLanguageModel({ model, middleware: remembering(maya) });
  const streamed = streamText({ model: wrapped, prompt: "Hello" });
  assert.equal((await all(streamed.textStream)).join(""), "Good morning.");
  const params = { path: { relationship_id: maya.id } };
  const said = await done(rapport.http.GET("/v1/relationships/{relationship_id}/messages", { params }));
  assert.deepEqual(said.items.map((one) => one.content).sort(), ["Good morning.", "Hello"]);
});

test("Vercel: of a reply that its reader leaves, what was heard is handed over, once", async () => {
  const maya = await someone();
  const leaving = new AbortController();
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue({ type: "text-start", id: "1" });
      controller.enqueue({ type: "text-delta", id: "1", delta: "Once upon" });
      leaving.signal.addEventListener("abort", () => controller.error(leaving.signal.reason));
    },
  });
  const model = new MockLanguageModelV4({ doStream: async () => ({ stream }) });
  const streamed = streamText({
    model: wrapLanguageModel({ model, middleware: remembering(maya) }),
    prompt: "Tell me a tale.",
    abortSignal: leaving.signal,
  });
  for await (const _ of streamed.textStream) leaving.abort();
  const params = { path: { relationship_id: maya.id } };
  let said = [];
  while (!said.length) {
    const path = "/v1/relationships/{relationship_id}/messages";
    said = (await done(rapport.http.GET(path, { params }))).items.map((one) => one.content);
  }
  assert.deepEqual(said.sort(), ["Once upon", "Tell me a tale."]);
});
