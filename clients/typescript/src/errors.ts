interface Problem {
  type?: string;
  detail?: string;
  errors?: { field: string; detail: string }[];
}

/** Errors of `/v1/chat/completions` have OpenAI's format. */
type Body = Problem & { error?: { message?: string; problem?: Problem } };

/** An error response of the service (RFC 9457). `errors` name the fields that were refused. */
export class ProblemError extends Error {
  readonly status: number;
  readonly type: string;
  readonly errors: { field: string; detail: string }[];
  readonly #detail: string;

  constructor(status: number, body: Body) {
    const problem = body.error?.problem ?? body;
    const errors = problem.errors ?? [];
    const detail = problem.detail ?? body.error?.message ?? "";
    const fields = errors.map((one) => `${one.field}: ${one.detail}`);
    const further = fields.filter((field) => !`; ${detail};`.includes(`; ${field};`));
    super(`${status} ${detail}${further.length ? ` (${further.join("; ")})` : ""}`);
    this.name = "ProblemError";
    this.status = status;
    this.type = problem.type ?? "about:blank";
    this.errors = errors;
    this.#detail = detail;
  }

  /** The same error with entries numbered in the whole list. `first`: the number of the request's first entry. */
  numberedFrom(first: number): ProblemError {
    const renumbered = (text: string) => text.replace(/\bentries\.(\d+)/g, (_, index) => `entries.${first + Number(index)}`);
    const errors = this.errors.map((one) => ({ ...one, field: renumbered(one.field) }));
    return new ProblemError(this.status, { type: this.type, detail: renumbered(this.#detail), errors });
  }
}

/** A stream reported an error, or broke off. */
export class StreamBroken extends Error {
  override readonly name = "StreamBroken";
}
