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
  }
}

/** A stream told of an error, or ended before its end. */
export class StreamBroken extends Error {
  override readonly name = "StreamBroken";
}
