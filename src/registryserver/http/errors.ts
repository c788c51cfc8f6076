/** The error codes of the OCI distribution specification, and the HTTP status of each. */
const statuses = {
  BLOB_UNKNOWN: 404,
  BLOB_UPLOAD_INVALID: 400,
  BLOB_UPLOAD_UNKNOWN: 404,
  DIGEST_INVALID: 400,
  MANIFEST_BLOB_UNKNOWN: 400,
  MANIFEST_INVALID: 400,
  MANIFEST_UNKNOWN: 404,
  NAME_INVALID: 400,
  NAME_UNKNOWN: 404,
  SIZE_INVALID: 400,
  UNAUTHORIZED: 401,
  DENIED: 403,
  UNSUPPORTED: 405,
  TOOMANYREQUESTS: 429,
  PAGINATION_NUMBER_INVALID: 400,
  TAG_INVALID: 400,
} as const;

type OciCode = keyof typeof statuses;

/** An error response in the format of the specification. */
export class OciError extends Error {
  readonly status: number;

  constructor(
    readonly oci: OciCode,
    message: string,
    readonly options: {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly detail?: unknown;
    } = {},
  ) {
    super(message);
    this.status = options.status ?? statuses[oci];
  }

  body(): string {
    const { detail } = this.options;
    const error = { code: this.oci, message: this.message, ...(detail === undefined ? {} : { detail }) };
    return `${JSON.stringify({ errors: [error] })}\n`;
  }
}
