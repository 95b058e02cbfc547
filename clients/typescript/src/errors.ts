/** The service said no (RFC 9457). `errors` name the fields. */
export class ProblemError extends Error {
  readonly status: number;
  readonly type: string;
  readonly errors: { field: string; detail: string }[];

  constructor(status: number, body: { type?: string; detail?: string; errors?: { field: string; detail: string }[] }) {
    const errors = body.errors ?? [];
    const detail = body.detail ?? "";
    const fields = errors.map((one) => `${one.field}: ${one.detail}`);
    const further = fields.filter((field) => !`; ${detail};`.includes(`; ${field};`));
    super(`${status} ${detail}${further.length ? ` (${further.join("; ")})` : ""}`);
    this.name = "ProblemError";
    this.status = status;
    this.type = body.type ?? "about:blank";
    this.errors = errors;
  }
}

/** A stream told of an error, or ended before its end. */
export class StreamBroken extends Error {
  override readonly name = "StreamBroken";
}
