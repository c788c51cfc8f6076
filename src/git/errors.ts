import { type Retry, SupercargoError } from '../base/index.ts';

/** All errors of operations on a repository, and whether the same call may be retried. */
export const gitErrors = {
  'git-missing': 'never',
  'git-settings-invalid': 'never',
  'git-path-refused': 'never',
  'git-address-refused': 'never',
  'git-auth-failed': 'never',
  'git-host-key-unknown': 'never',
  'git-host-key-changed': 'never',
  'git-key-unusable': 'never',
  'git-repository-too-large': 'never',
  'git-certificate-unknown': 'never',
  'git-repository-not-found': 'never',
  'git-branch-protected': 'never',
  'git-branch-moved': 'backoff',
  'git-network': 'backoff',
  'git-timeout': 'backoff',
  'git-output-too-large': 'never',
  'git-failed': 'backoff',
} as const satisfies Readonly<Record<string, Retry>>;
export type GitErrorCode = keyof typeof gitErrors;

/** The only error that this folder throws, besides errors of an abort signal and of the caller's functions. */
export class GitError extends SupercargoError {
  override readonly code: GitErrorCode;

  constructor(code: GitErrorCode, message: string, cause?: unknown) {
    super(code, message, { retry: gitErrors[code], cause });
    this.code = code;
  }
}
