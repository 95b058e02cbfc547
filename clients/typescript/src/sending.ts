/** Sends requests, repeats those that are safe to repeat, and reads event streams. */
import { ProblemError, StreamBroken } from "./errors.js";

export interface Sending {
  retries: number;
  /** Seconds to wait for the response of one attempt. */
  timeout: number;
  fetch: typeof fetch;
}

const UNAVAILABLE = new Set([502, 503, 504]);
const IDEMPOTENT = new Set(["GET", "HEAD", "PUT", "DELETE"]);
const READING = /\/(search|context)$/;
const KEYED = /\/(turns|entries|entries\/bulk|completions)$/;
/** These call a model, so they may take ASKING seconds longer. */
const ASKS = /\/(preview|forget|correct|completions)$/;
const ASKING = 300;
const LONGEST_PAUSE = 60;
/** Seconds without data after which a stream counts as broken. The service sends something every 15. */
const SILENCE = 45;

/** Whether the same request may succeed later. */
export const isTemporary = (status: number): boolean => status === 429 || UNAVAILABLE.has(status);

export function retrying({ retries, timeout, fetch: send }: Sending): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    // Passed to each copy: in Node, the signal of a clone stops following this one once garbage is collected.
    const signal = init?.signal ?? (input instanceof Request ? input.signal : null);
    const { pathname: path, searchParams } = new URL(request.url);
    const seconds = timeout + Number(searchParams.get("wait") ?? 0) + (ASKS.test(path) ? ASKING : 0);
    if (request.method === "POST" && KEYED.test(path) && !request.headers.has("Idempotency-Key")) {
      request.headers.set("Idempotency-Key", newKey());
    }
    const again =
      IDEMPOTENT.has(request.method) || READING.test(path) || request.headers.has("Idempotency-Key");
    for (let attempt = 0; ; attempt++) {
      const ask = (stop: AbortSignal) => send(request.clone(), { signal: stop });
      const outcome = await within(seconds, signal, ask).catch((error: unknown) => error);
      const pause = attempt < retries ? pauseBefore(attempt, outcome, again, signal) : undefined;
      if (pause === undefined) {
        if (outcome instanceof Response) return outcome;
        throw outcome;
      }
      await sleep(pause, signal);
      signal?.throwIfAborted();
    }
  };
}

/** Get a response within `seconds`, or throw a TimeoutError. Aborting `signal` also ends the body. */
async function within(
  seconds: number,
  signal: AbortSignal | null,
  ask: (stop: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const stop = new AbortController();
  const leave = () => stop.abort(signal?.reason);
  signal?.addEventListener("abort", leave);
  if (signal?.aborted) leave();
  const timeOut = () => stop.abort(new DOMException(`No response within ${seconds} s.`, "TimeoutError"));
  const timer = setTimeout(timeOut, seconds * 1000);
  try {
    return await ask(stop.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** A random key. (Browsers offer `randomUUID` only to pages over HTTPS.) */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");
}

/** Seconds until the request is repeated; undefined: it is not. */
function pauseBefore(attempt: number, outcome: unknown, again: boolean, signal: AbortSignal | null): number | undefined {
  const backoff = Math.min(8, 0.25 * 2 ** attempt) * (0.5 + Math.random() / 2);
  if (!(outcome instanceof Response)) return again && !signal?.aborted ? backoff : undefined;
  if (outcome.status !== 429 && !(UNAVAILABLE.has(outcome.status) && again)) return undefined;
  const retryAfter = outcome.headers.get("Retry-After") ?? "";
  const date = retryAfter.endsWith("GMT") ? Date.parse(retryAfter) : NaN; // else JavaScript reads "1.5" as a date
  const told = /^\d+$/.test(retryAfter) ? Number(retryAfter) : Math.max(0, (date - Date.now()) / 1000);
  const pause = Number.isNaN(told) ? backoff : told;
  return pause <= LONGEST_PAUSE ? pause : undefined;
}

/** Wait for `seconds`, or until `signal` is aborted. */
export function sleep(seconds: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, seconds * 1000);
    signal?.addEventListener("abort", over);
    if (signal?.aborted) over();
  });
}

export async function problemOf(response: Response): Promise<ProblemError> {
  const text = await response.text();
  try {
    return new ProblemError(response.status, JSON.parse(text));
  } catch {
    return new ProblemError(response.status, { detail: pageOr(text, response) });
  }
}

/** The text of an error, but not a whole web page. */
export function pageOr(text: string, { url, headers }: Response): string {
  const isPage = headers.get("Content-Type")?.includes("html");
  return isPage ? `${url} answered with a web page. Check the base URL, and what stands between here and the service.` : text.slice(0, 500);
}

export interface Event {
  name: string;
  id: string | undefined;
  data: string;
}

/** The events of a text/event-stream (WHATWG HTML, 9.2.6), until it ends or is aborted. */
export async function* eventsOf(response: Response, signal?: AbortSignal): AsyncGenerator<Event> {
  if (!response.ok) throw await problemOf(response);
  if (!response.body) throw new StreamBroken("The response has no body.");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const leave = () => void reader.cancel().catch(() => undefined);
  signal?.addEventListener("abort", leave);
  let rest = "";
  let name = "";
  let id: string | undefined;
  let data: string[] = [];
  try {
    for (;;) {
      const silent = setTimeout(leave, SILENCE * 1000);
      const { value, done } = await reader.read().finally(() => clearTimeout(silent));
      if (done) return;
      const lines = (rest + value).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const colon = line.indexOf(":");
        const field = colon < 0 ? line : line.slice(0, colon);
        const text = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (line === "") {
          if (data.length) yield { name: name || "message", id, data: data.join("\n") };
          [name, data] = ["", []];
        } else if (field === "event") name = text;
        else if (field === "id") id = text;
        else if (field === "data") data.push(text);
      }
    }
  } catch (error) {
    throw error instanceof ProblemError ? error : new StreamBroken(`The stream broke off: ${String(error)}`);
  } finally {
    signal?.removeEventListener("abort", leave);
    await reader.cancel().catch(() => undefined);
  }
}
