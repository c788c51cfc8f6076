import { SupercargoError } from '../base/index.ts';

/**
 * Every failure before Git is contacted, and when to retry: `change` waits until an input changes, `slow` is for
 * problems that a person has to fix elsewhere, `quick` for transient ones.
 */
export const createErrors = {
  'create-policy-missing': 'change',
  'create-template-missing': 'change',
  'create-access-denied': 'change',
  'create-image-invalid': 'change',
  'create-not-detected': 'change',
  'create-template-invalid': 'change',
  'create-path-refused': 'change',
  'create-path-clash': 'change',
  'create-manifest-invalid': 'change',
  'create-kind-refused': 'change',
  'create-dry-run': 'slow',
  'create-secret': 'slow',
} as const satisfies Readonly<Record<string, RetryPace>>;
export type CreateErrorCode = keyof typeof createErrors;

export type RetryPace = 'change' | 'slow' | 'quick';

/** One line that says what to fix. */
export class CreateError extends SupercargoError {
  override readonly code: CreateErrorCode;

  constructor(code: CreateErrorCode, message: string, cause?: unknown) {
    super(code, message, { retry: createErrors[code] === 'change' ? 'never' : 'backoff', cause });
    this.code = code;
  }
}
