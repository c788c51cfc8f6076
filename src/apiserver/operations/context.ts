/** Who is asking, as admission reviews and managed fields name them. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What every operation knows of the request it serves. */
export interface Call {
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
  /** Fields that the body wrote more than once; the last one counted. */
  readonly duplicateFields?: readonly string[];
  /** Shown to the caller as `Warning:` headers. */
  readonly warnings: string[];
  readonly signal?: AbortSignal | undefined;
}
