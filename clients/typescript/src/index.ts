/** TypeScript client of Rapport, for Node and, with a relationship token, for browsers. */
import createClient, { type Client } from "openapi-fetch";

import { ProblemError, StreamBroken } from "./errors.js";
import type { components, paths } from "./schema.js";
import { eventsOf, isTemporary, pageOr, problemOf, retrying, sleep, type Event } from "./sending.js";

export { eventsOf, ProblemError, StreamBroken };
export type { Event, components, paths };
export type Schemas = components["schemas"];
export type MessageBody = Schemas["MessageBody"];

/** Seconds before a broken stream is opened again, as in the service's `retry:`; one more after each failed attempt. */
const RECONNECT_AFTER = 1;
const LONGEST_RECONNECT = 30;

/** Limits of one request with entries. The service takes bodies of up to 1 MiB. */
const MOST_ENTRIES = 200;
const MOST_BYTES = 1_000_000;

const SETTLED = new Set(["applied", "skipped", "failed"]);
/** Seconds that one request waits for a turn, at most. */
const WAIT = 30;
/** Seconds between two looks at a turn that is not settled. */
const POLL = 0.5;

type Defaults = { process?: { env?: { RAPPORT_URL?: string; RAPPORT_API_KEY?: string } } };
type Filters = NonNullable<paths["/v1/relationships/{relationship_id}/entries"]["get"]["parameters"]["query"]>;

export interface Options {
  /** With or without `/v1`. Default in Node: RAPPORT_URL of the environment. */
  baseUrl?: string | undefined;
  /** A key (`rk_...`) on your server, or a relationship token (`rt_...`) in a browser. Default in Node: RAPPORT_API_KEY. */
  apiKey?: string | undefined;
  /** How often a failed request is repeated, if repeating it is safe. Default: 3. */
  retries?: number;
  /** Seconds to wait for the response of one attempt, in addition to the call's own `wait`. Default: 60. */
  timeout?: number;
  fetch?: typeof fetch;
}

type Page<T> = { items: T[]; next_cursor: string | null };
type Outcome<T> = { data?: T; error?: unknown; response: Response };

export class Rapport {
  /** Every operation, by method and path: `await done(rapport.http.GET("/v1/users"))`. Without `done` it does not throw
   *  a ProblemError, but returns it as `error`. */
  readonly http: Client<paths>;
  readonly #send: typeof fetch;
  readonly #headers: Record<string, string>;
  readonly #baseUrl: string;

  constructor(options: Options = {}) {
    const { RAPPORT_URL, RAPPORT_API_KEY } = (globalThis as Defaults).process?.env ?? {};
    const { baseUrl = RAPPORT_URL, apiKey = RAPPORT_API_KEY, retries = 3, timeout = 60 } = options;
    const given = options.fetch ?? globalThis.fetch.bind(globalThis);
    if (!baseUrl) throw new TypeError("Give baseUrl, or set RAPPORT_URL.");
    if (!apiKey) throw new TypeError("Give apiKey (rk_... or rt_...), or set RAPPORT_API_KEY.");
    this.#baseUrl = baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
    this.#headers = { Authorization: `Bearer ${apiKey}` };
    this.#send = retrying({ retries, timeout, fetch: given });
    this.http = createClient<paths>({ baseUrl: this.#baseUrl, headers: this.#headers, fetch: this.#send });
  }

  /** Get or create the relationship of a companion (its slug) and a person (your own ID for them). */
  async relationship(
    companion: string,
    user: Schemas["NewRelationship"]["user"],
    options: Pick<Schemas["NewRelationship"], "timezone" | "config"> = {},
  ): Promise<Relationship> {
    const found = await done(this.http.POST("/v1/relationships", { body: { ...options, companion, user } }));
    return new Relationship(this, found.id);
  }

  /** A relationship whose ID is known, such as the one that a token is for. Sends no request. */
  relationshipById(id: string): Relationship {
    return new Relationship(this, id);
  }

  /** Stream the text of a reply of POST /v1/chat/completions. `headers`: for example X-Rapport-User. */
  async *chat(body: Record<string, unknown>, headers: Record<string, string> = {}): AsyncGenerator<string> {
    const sent = JSON.stringify({ ...body, stream: true });
    const response = await this.#send(`${this.#baseUrl}/v1/chat/completions`, {
      method: "POST",
      body: sent,
      headers: { ...this.#headers, "Content-Type": "application/json", ...headers },
    });
    for await (const { data } of eventsOf(response)) {
      if (data === "[DONE]") return;
      const chunk = JSON.parse(data);
      if (chunk.error) throw new StreamBroken(String(chunk.error.message ?? "The reply broke off."));
      const delta = chunk.choices?.[0]?.delta;
      const text = delta?.content || delta?.refusal;
      if (text) yield text;
    }
    throw new StreamBroken("The reply broke off.");
  }

  /** Follow the events of a relationship. `after`: the ID of the last event that you have seen. If the stream ends or
   *  breaks off, it is opened again and continues after the last event. It ends when `signal` is aborted. */
  events(relationship: string, after?: string, signal?: AbortSignal): AsyncGenerator<Event> {
    return this.#follow(`/v1/relationships/${relationship}/events`, after, signal);
  }

  /** Follow the messages to the person: those that wait, then new ones. Otherwise like `events`. Until a message is
   *  acknowledged, each new call returns it again. */
  outbox(relationship: string, after?: string, signal?: AbortSignal): AsyncGenerator<Event> {
    return this.#follow(`/v1/relationships/${relationship}/outbox/stream`, after, signal);
  }

  /** Throws if the first connection fails. Later it throws only errors that trying again can't mend. */
  async *#follow(path: string, after?: string, signal?: AbortSignal): AsyncGenerator<Event> {
    let last = after;
    let connected = false;
    let failures = 0;
    while (!signal?.aborted) {
      const headers: Record<string, string> = { ...this.#headers, Accept: "text/event-stream" };
      if (last !== undefined) headers["Last-Event-ID"] = last;
      try {
        const response = await this.#send(this.#baseUrl + path, { headers, signal: signal ?? null });
        if (response.ok) [connected, failures] = [true, 0];
        for await (const event of eventsOf(response, signal)) {
          last = event.id ?? last;
          if (event.data !== "") yield event;
        }
      } catch (error) {
        if (signal?.aborted) return;
        if (error instanceof ProblemError && !isTemporary(error.status)) throw error;
        if (!connected) throw error;
        failures++;
      }
      await sleep(Math.min(RECONNECT_AFTER * Math.max(1, failures), LONGEST_RECONNECT), signal);
    }
  }
}

/** One person paired with one companion, with the most common operations. */
export class Relationship {
  constructor(
    readonly rapport: Rapport,
    readonly id: string,
  ) {}

  get #path() {
    return { relationship_id: this.id };
  }

  /** Store what was said as a turn. A worker then decides what to remember. `wait`: seconds after which a TimeoutError is
   *  thrown if it has not decided yet; 0: do not wait. */
  async remember(
    said: string | MessageBody[],
    { wait = 0, ...turn }: { wait?: number } & Partial<Schemas["TurnBody"]> = {},
  ): Promise<Schemas["TurnAnswer"]> {
    const until = Date.now() + 1000 * wait;
    const messages = typeof said === "string" ? [{ role: "user" as const, content: said }] : said;
    const params = { path: this.#path, query: { wait: Math.min(WAIT, Math.trunc(wait)) } };
    const body = { ...turn, messages };
    let sent = await done(this.rapport.http.POST("/v1/relationships/{relationship_id}/turns", { params, body }));
    while (wait && !SETTLED.has(sent.state)) {
      if (Date.now() > until) throw new DOMException(`The turn ${sent.id} is not settled yet. ${sent.error}`, "TimeoutError");
      await sleep(POLL);
      const params = { path: { ...this.#path, turn_id: sent.id } };
      sent = await done(this.rapport.http.GET("/v1/relationships/{relationship_id}/turns/{turn_id}", { params }));
    }
    return sent;
  }

  /** Add one entry as it is, without a model. */
  add(content: string, entry: Partial<Schemas["EntryBody"]> = {}) {
    const body = { type: "other", ...entry, content };
    const params = { path: this.#path };
    return done(this.rapport.http.POST("/v1/relationships/{relationship_id}/entries", { params, body }));
  }

  /** Add many entries as they are, in requests of up to 200. Each request adds all of its entries or none. An error names
   *  the refused entries by their index in `entries`; those of earlier requests have been added. */
  async addAll(entries: Iterable<Schemas["EntryBody"]>) {
    const params = { path: this.#path };
    const added: Schemas["EntryAnswer"][] = [];
    for (const part of parts(entries)) {
      const path = "/v1/relationships/{relationship_id}/entries/bulk";
      const sent = done(this.rapport.http.POST(path, { params, body: { entries: part } }));
      const { items } = await sent.catch((error: unknown) => {
        throw error instanceof ProblemError ? error.numberedFrom(added.length) : error;
      });
      added.push(...items);
    }
    return added;
  }

  /** Assemble the context that a model should see before it replies to `message`. */
  context(message?: string, asked: Partial<Schemas["ContextBody"]> = {}) {
    const body = { ...asked, ...(message === undefined ? {} : { message }) };
    const params = { path: this.#path };
    return done(this.rapport.http.POST("/v1/relationships/{relationship_id}/context", { params, body }));
  }

  /** Search the entries. */
  async search(query: string, asked: Partial<Schemas["EntrySearchBody"]> = {}) {
    const body = { ...asked, query };
    const params = { path: this.#path };
    const path = "/v1/relationships/{relationship_id}/entries/search";
    return (await done(this.rapport.http.POST(path, { params, body }))).items;
  }

  /** All entries, newest first; only active ones unless `filters` say otherwise. */
  entries(filters: Filters = {}): AsyncGenerator<Schemas["EntryAnswer"]> {
    return pages((cursor) => {
      const query = { limit: 200, ...filters, ...(cursor === undefined ? {} : { cursor }) };
      const params = { path: this.#path, query };
      return done(this.rapport.http.GET("/v1/relationships/{relationship_id}/entries", { params }));
    });
  }

  /** Change an entry. `version`: the one that you read; if it has another by now, nothing is changed (status 412). */
  change(id: string, changes: Schemas["EntryPatch"], version?: number) {
    const header = version === undefined ? {} : { "If-Match": `"${version}"` };
    const params = { path: { ...this.#path, entry_id: id }, header };
    return done(this.rapport.http.PATCH("/v1/relationships/{relationship_id}/entries/{entry_id}", { params, body: changes }));
  }

  /** Delete an entry; `restore` brings it back. `permanent`: erase it, with every copy. */
  delete(id: string, permanent = false) {
    const params = { path: { ...this.#path, entry_id: id }, query: { permanent } };
    return done(this.rapport.http.DELETE("/v1/relationships/{relationship_id}/entries/{entry_id}", { params }));
  }

  restore(id: string) {
    const params = { path: { ...this.#path, entry_id: id } };
    return done(this.rapport.http.POST("/v1/relationships/{relationship_id}/entries/{entry_id}/restore", { params }));
  }

  /** Forget what entries and messages say about this, in the person's own words, as a plan that can be undone. */
  forget(what: string, asked: Omit<Schemas["ForgetBody"], "what"> = {}) {
    const [params, body] = [{ path: this.#path }, { ...asked, what }];
    return done(this.rapport.http.POST("/v1/relationships/{relationship_id}/forget", { params, body }));
  }

  /** Correct the entry that says `what`, in the person's own words. */
  correct(what: string, to: string, asked: Omit<Schemas["CorrectBody"], "what" | "to"> = {}) {
    const [params, body] = [{ path: this.#path }, { ...asked, what, to }];
    return done(this.rapport.http.POST("/v1/relationships/{relationship_id}/correct", { params, body }));
  }

  /** See `Rapport.events`. */
  events(after?: string, signal?: AbortSignal): AsyncGenerator<Event> {
    return this.rapport.events(this.id, after, signal);
  }

  /** See `Rapport.outbox`. */
  outbox(after?: string, signal?: AbortSignal): AsyncGenerator<Event> {
    return this.rapport.outbox(this.id, after, signal);
  }
}

/** Split the entries into parts that fit into one request. */
function* parts(entries: Iterable<Schemas["EntryBody"]>): Generator<Schemas["EntryBody"][]> {
  const utf8 = new TextEncoder();
  let part: Schemas["EntryBody"][] = [];
  let size = 0;
  for (const entry of entries) {
    const more = utf8.encode(JSON.stringify(entry)).length + 1;
    if (part.length && (part.length === MOST_ENTRIES || size + more > MOST_BYTES)) {
      yield part;
      [part, size] = [[], 0];
    }
    part.push(entry);
    size += more;
  }
  if (part.length) yield part;
}

/** All items of a paginated list. */
export async function* pages<T>(page: (cursor?: string) => Promise<Page<T>>): AsyncGenerator<T> {
  let cursor: string | undefined;
  do {
    const { items, next_cursor } = await page(cursor);
    yield* items;
    cursor = next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/** The data of an operation's response. Throws ProblemError. */
export async function done<T>(asked: Promise<Outcome<T>>): Promise<T> {
  const { data, error, response } = await asked;
  if (error !== undefined || !response.ok) {
    throw typeof error === "object" && error !== null
      ? new ProblemError(response.status, error)
      : response.bodyUsed
        ? new ProblemError(response.status, { detail: pageOr(String(error ?? ""), response) })
        : await problemOf(response);
  }
  return data as T;
}
