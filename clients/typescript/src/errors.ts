interface Problem {
  type?: string;
  detail?: string;
  errors?: { field: string; detail: string }[];
}

/** A chat's error is in OpenAI's shape. */
type Body = Problem & { error?: { message?: string; problem?: Problem } };

/** The service said no (RFC 9457). `errors` name the fields. */
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

  /** The same of a part of many entries, whose own first one has that place among all. */
  countedFrom(first: number): ProblemError {
    const amongAll = (text: string) => text.replace(/\bentries\.(\d+)/g, (_, place) => `entries.${first + Number(place)}`);
    const errors = this.errors.map((one) => ({ ...one, field: amongAll(one.field) }));
    return new ProblemError(this.status, { type: this.type, detail: amongAll(this.#detail), errors });
  }
}

/** A stream told of an error, or ended before its end. */
export class StreamBroken extends Error {
  override readonly name = "StreamBroken";
}
