/** The service said no (RFC 9457). `errors` name the fields. */
export class ProblemError extends Error {
  readonly status: number;
  readonly type: string;
  readonly errors: { field: string; detail: string }[];

  constructor(status: number, body: { type?: string; detail?: string; errors?: { field: string; detail: string }[] }) {
    const errors = body.errors ?? [];
    const fields = errors.map((one) => `${one.field}: ${one.detail}`).join("; ");
    super(`${status} ${body.detail ?? ""}${fields ? ` (${fields})` : ""}`);
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
