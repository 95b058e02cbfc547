/** TypeScript client of Rapport, for Node and, with a relationship token, for browsers. */
import createClient, { type Client } from "openapi-fetch";

import { ProblemError, StreamBroken } from "./errors.js";
import type { components, paths } from "./schema.js";
import { eventsOf, mayPass, problemOf, retrying, sleep, type Event } from "./sending.js";

export { eventsOf, ProblemError, StreamBroken };
export type { Event, components, paths };
export type Schemas = components["schemas"];
export type MessageBody = Schemas["MessageBody"];

/** Seconds, as the service's `retry:` has it; for each time in vain one more. */
const COMING_BACK = 1;
const LONGEST_AWAY = 30;

/** What one request with entries may bring; of a body, which may have 1 MiB. */
const AT_ONCE = 200;
const BYTES_AT_ONCE = 1_000_000;

export interface Options {
  /** With or without `/v1`. */
  baseUrl: string;
  /** A key (`rk_...`) on your server; a relationship token (`rt_...`) in a browser. */
  apiKey: string;
  /** Of what may be sent again; 3 if left out. */
  retries?: number;
  /** Seconds until the answer of one attempt begins, beside what the call itself waits; 60 if left out. */
  timeout?: number;
  fetch?: typeof fetch;
}

type Page<T> = { items: T[]; next_cursor: string | null };
type Outcome<T> = { data?: T; error?: unknown; response: Response };

export class Rapport {
  /** Every operation by its method and path: `rapport.http.GET("/v1/users", {})`. Errors come as `error`. */
  readonly http: Client<paths>;
  readonly #send: typeof fetch;
  readonly #headers: Record<string, string>;
  readonly #baseUrl: string;

  constructor({ baseUrl, apiKey, retries = 3, timeout = 60, fetch: given = globalThis.fetch.bind(globalThis) }: Options) {
    this.#baseUrl = baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
    this.#headers = { Authorization: `Bearer ${apiKey}` };
    this.#send = retrying({ retries, timeout, fetch: given });
    this.http = createClient<paths>({ baseUrl: this.#baseUrl, headers: this.#headers, fetch: this.#send });
  }

  /** That of this person (your own ID of them) and this companion (its slug), made if it is not there. */
  async relationship(companion: string, user: string): Promise<Relationship> {
    const found = await done(this.http.POST("/v1/relationships", { body: { companion, user } }));
    return new Relationship(this, found.id);
  }

  /** What a token opens, or a relationship whose ID is known. */
  relationshipById(id: string): Relationship {
    return new Relationship(this, id);
  }

  /** A reply of POST /v1/chat/completions, piece by piece. `headers`: such as X-Rapport-User. */
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
      const text = chunk.choices?.[0]?.delta?.content;
      if (text) yield text;
    }
    throw new StreamBroken("The reply ended before its end.");
  }

  /** What happens in a relationship, as it happens; `after`: the ID of the last event that was seen. Comes back by itself
   *  where the stream ends or breaks off, and goes on after the last one. Ends when `signal` is aborted. */
  events(relationship: string, after?: string, signal?: AbortSignal): AsyncGenerator<Event> {
    return this.#follow(`/v1/relationships/${relationship}/events`, after, signal);
  }

  /** Messages that wait for the person, and those that come, as they come; otherwise like `events`. Each comes again to
   *  who begins anew, until it is acknowledged. */
  outbox(relationship: string, after?: string, signal?: AbortSignal): AsyncGenerator<Event> {
    return this.#follow(`/v1/relationships/${relationship}/outbox/stream`, after, signal);
  }

  /** Where it was never there, an error is thrown; where it was, only one that lasts. */
  async *#follow(path: string, after?: string, signal?: AbortSignal): AsyncGenerator<Event> {
    let last = after;
    let wasThere = false;
    let inVain = 0;
    while (!signal?.aborted) {
      const headers: Record<string, string> = { ...this.#headers, Accept: "text/event-stream" };
      if (last !== undefined) headers["Last-Event-ID"] = last;
      try {
        const response = await this.#send(this.#baseUrl + path, { headers, signal: signal ?? null });
        if (response.ok) [wasThere, inVain] = [true, 0];
        for await (const event of eventsOf(response, signal)) {
          last = event.id ?? last;
          if (event.data !== "") yield event;
        }
      } catch (error) {
        if (signal?.aborted) return;
        if (error instanceof ProblemError && !mayPass(error.status)) throw error;
        if (!wasThere) throw error;
        inVain++;
      }
      await sleep(Math.min(COMING_BACK * Math.max(1, inVain), LONGEST_AWAY), signal);
    }
  }
}

/** One person with one companion, by what is mostly done with it. */
export class Relationship {
  constructor(
    readonly rapport: Rapport,
    readonly id: string,
  ) {}

  get #path() {
    return { relationship_id: this.id };
  }

  /** Hand over what was said, for the worker to keep what is worth it; `wait`: seconds to wait for that, at most 30. */
  remember(said: string | MessageBody[], { wait = 0, ...turn }: { wait?: number } & Partial<Schemas["TurnBody"]> = {}) {
    const messages = typeof said === "string" ? [{ role: "user" as const, content: said }] : said;
    const body = { ...turn, messages } as Schemas["TurnBody"];
    return done(
      this.rapport.http.POST("/v1/relationships/{relationship_id}/turns", {
        params: { path: this.#path, query: { wait } },
        body,
      }),
    );
  }

  /** Write one entry as it stands, without a model. */
  add(content: string, entry: Partial<Schemas["EntryBody"]> = {}) {
    const body = { type: "other", ...entry, content } as Schemas["EntryBody"];
    const params = { path: this.#path };
    return done(this.rapport.http.POST("/v1/relationships/{relationship_id}/entries", { params, body }));
  }

  /** Write many as they stand, at most 200 with a request: of each request all or none. What is refused is named by its
   *  place among all; those of the requests before it are written. */
  async addAll(entries: Iterable<Schemas["EntryBody"]>) {
    const params = { path: this.#path };
    const written: Schemas["EntryAnswer"][] = [];
    for (const part of parts(entries)) {
      const path = "/v1/relationships/{relationship_id}/entries/bulk";
      const sent = done(this.rapport.http.POST(path, { params, body: { entries: part } }));
      const { items } = await sent.catch((error: unknown) => {
        throw error instanceof ProblemError ? error.countedFrom(written.length) : error;
      });
      written.push(...items);
    }
    return written;
  }

  /** What a model is to be shown before it replies to `message`. */
  context(message?: string, asked: Partial<Schemas["ContextBody"]> = {}) {
    const body = { ...asked, ...(message === undefined ? {} : { message }) } as Schemas["ContextBody"];
    const params = { path: this.#path };
    return done(this.rapport.http.POST("/v1/relationships/{relationship_id}/context", { params, body }));
  }

  async search(query: string, asked: Partial<Schemas["EntrySearchBody"]> = {}) {
    const body = { ...asked, query } as Schemas["EntrySearchBody"];
    const params = { path: this.#path };
    const path = "/v1/relationships/{relationship_id}/entries/search";
    return (await done(this.rapport.http.POST(path, { params, body }))).items;
  }

  /** All of them, active if not said otherwise, newest first. */
  entries(filters: Record<string, string> = {}): AsyncGenerator<Schemas["EntryAnswer"]> {
    return pages((cursor) => {
      const query = { limit: 200, ...filters, ...(cursor === undefined ? {} : { cursor }) };
      const params = { path: this.#path, query };
      return done(this.rapport.http.GET("/v1/relationships/{relationship_id}/entries", { params }));
    });
  }

  events(after?: string, signal?: AbortSignal): AsyncGenerator<Event> {
    return this.rapport.events(this.id, after, signal);
  }

  outbox(after?: string, signal?: AbortSignal): AsyncGenerator<Event> {
    return this.rapport.outbox(this.id, after, signal);
  }
}

/** As many at a time as one request may bring. */
function* parts(entries: Iterable<Schemas["EntryBody"]>): Generator<Schemas["EntryBody"][]> {
  const utf8 = new TextEncoder();
  let part: Schemas["EntryBody"][] = [];
  let size = 0;
  for (const entry of entries) {
    const more = utf8.encode(JSON.stringify(entry)).length + 1;
    if (part.length && (part.length === AT_ONCE || size + more > BYTES_AT_ONCE)) {
      yield part;
      [part, size] = [[], 0];
    }
    part.push(entry);
    size += more;
  }
  if (part.length) yield part;
}

/** Every item, page after page. */
export async function* pages<T>(page: (cursor?: string) => Promise<Page<T>>): AsyncGenerator<T> {
  let cursor: string | undefined;
  do {
    const { items, next_cursor } = await page(cursor);
    yield* items;
    cursor = next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/** The answer of an operation. Throws ProblemError. */
export async function done<T>(asked: Promise<Outcome<T>>): Promise<T> {
  const { data, error, response } = await asked;
  if (error !== undefined || !response.ok) {
    throw typeof error === "object" && error !== null
      ? new ProblemError(response.status, error)
      : response.bodyUsed
        ? new ProblemError(response.status, { detail: String(error ?? "") })
        : await problemOf(response);
  }
  return data as T;
}
