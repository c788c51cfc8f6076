/** The user of a request, as in admission reviews and managed fields. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The request context of every operation. */
export interface Call {
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
  /** Duplicate fields in the body; the last value is used. */
  readonly duplicateFields?: readonly string[];
  /** Sent to the client as `Warning:` headers. */
  readonly warnings: string[];
  readonly signal?: AbortSignal | undefined;
}
