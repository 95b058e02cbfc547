// The live stream of events, from a real service behind a line that can be cut: RAPPORT_URL, RAPPORT_API_KEY.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { mock, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { done, eventsOf, Rapport } from "rapport-client";

const apiKey = process.env.RAPPORT_API_KEY;
const direct = new Rapport({ baseUrl: process.env.RAPPORT_URL, apiKey });
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

/** A line to the service; `open` are the connections on which the service was asked something, `cut` breaks them. */
async function overALine(use) {
  const { hostname, port } = new URL(process.env.RAPPORT_URL);
  const open = new Set();
  const line = createServer((client) => {
    const service = connect(Number(port), hostname);
    client.once("data", () => open.add(service));
    service.once("close", () => open.delete(service));
    for (const [one, other] of [[client, service], [service, client]]) {
      one.on("error", () => undefined).on("close", () => other.destroy());
      one.pipe(other);
    }
  });
  await once(line.listen(0, "127.0.0.1"), "listening");
  const cut = () => open.forEach((one) => one.destroy());
  const rapport = new Rapport({ baseUrl: `http://127.0.0.1:${line.address().port}`, apiKey });
  try {
    await use({ rapport, open, cut });
  } finally {
    cut();
    line.close();
  }
}

let people = 0;
const someone = () => direct.relationship("ada", `events-${++people}`);
const entryOf = (event) => JSON.parse(event.value.data).entry_id;

test("events come as they happen, and after a cut go on after the last one", { timeout: 60_000 }, async () => {
  const maya = await someone();
  const first = await maya.add("Likes tea.");
  await overALine(async ({ rapport, open, cut }) => {
    const leaving = new AbortController();
    const events = rapport.events(maya.id, "0-0", leaving.signal);
    assert.equal(entryOf(await events.next()), first.id);

    const awaited = events.next();
    const second = await maya.add("Has a cat.");
    const event = await awaited;
    assert.equal(event.value.name, "memory.changed");
    assert.equal(entryOf(event), second.id);

    const afterwards = events.next();
    cut();
    const third = await maya.add("Lives in Lisbon.");
    assert.equal(entryOf(await afterwards), third.id);
    assert.equal(open.size, 1);
    leaving.abort();
    assert.deepEqual(await events.next(), { value: undefined, done: true });
  });
});

test("who aborts is let go at once, and the service sees it", { timeout: 20_000 }, async () => {
  const maya = await someone();
  await maya.add("Likes tea.");
  await overALine(async ({ rapport, open }) => {
    const leaving = new AbortController();
    const events = rapport.events(maya.id, "0-0", leaving.signal);
    await events.next();
    const awaited = events.next();
    collectGarbage();
    assert.equal(open.size, 1);
    const [stream] = open;

    leaving.abort();

    assert.deepEqual(await awaited, { value: undefined, done: true });
    if (!stream.closed) await once(stream, "close");
    assert.equal(open.size, 0);
  });
});

test("who stops reading is let go, too", { timeout: 20_000 }, async () => {
  const maya = await someone();
  await maya.add("Likes tea.");
  await overALine(async ({ rapport, open }) => {
    let stream;
    for await (const _ of rapport.events(maya.id, "0-0")) {
      [stream] = open;
      break;
    }
    if (!stream.closed) await once(stream, "close");
    assert.equal(open.size, 0);
  });
});

test("who aborts while the service is away is let go at once", { timeout: 20_000 }, async () => {
  const away = createServer((socket) => socket.destroy());
  await once(away.listen(0, "127.0.0.1"), "listening");
  const rapport = new Rapport({ baseUrl: `http://127.0.0.1:${away.address().port}`, apiKey, retries: 1e6 });
  const leaving = new AbortController();
  const awaited = rapport.events("r", "0-0", leaving.signal).next();
  await once(away, "connection");
  leaving.abort();
  assert.deepEqual(await awaited, { value: undefined, done: true });
  away.close();
});

test("a stream that was there is asked for again, though the service is away for longer than a call is tried", async () => {
  const stream = { status: 200, headers: { "Content-Type": "text/event-stream" } };
  const answers = [{ ...stream, text: "id: 1-1\ndata: 1\n\n" }, { status: 503 }, { ...stream, text: "id: 2-1\ndata: 2\n\n" }];
  const asked = [];
  const fetch = async (request) => {
    asked.push(request.headers.get("Last-Event-ID"));
    const { text = "{}", ...init } = answers.shift();
    return new Response(text, init);
  };
  const rapport = new Rapport({ baseUrl: "http://here", apiKey: "rk_x", retries: 0, fetch });
  const events = rapport.events("r");
  assert.deepEqual([(await events.next()).value.data, (await events.next()).value.data], ["1", "2"]);
  assert.deepEqual(asked, [null, "1-1", "1-1"]);
});

test("a stream that falls silent is over", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const silent = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("data: 1\n\n")) });
  const events = eventsOf(new Response(silent));
  assert.equal((await events.next()).value.data, "1");
  const awaited = events.next();
  await Promise.resolve();
  mock.timers.tick(45_000);
  assert.deepEqual(await awaited, { value: undefined, done: true });
  mock.timers.reset();
});

test("messages of the outbox are told as they come", { timeout: 30_000 }, async () => {
  const behaviours = { named: { hello: { message: "Good morning, {{ user }}!" } } };
  await done(direct.http.POST("/v1/companions", { body: { slug: "greets", name: "Ada", config: { behaviours } } }));
  const maya = await direct.relationship("greets", "maya");
  const leaving = new AbortController();
  const messages = maya.outbox(undefined, leaving.signal);
  const awaited = messages.next();
  await maya.remember("Hello.");
  assert.equal(JSON.parse((await awaited).value.data).content, "Good morning, maya!");
  leaving.abort();
  assert.deepEqual(await messages.next(), { value: undefined, done: true });
});
