import { SupercargoError } from '../base/index.ts';

/**
 * Every way a detection can fail before Git is asked, and when the same may be tried again: `change` waits until what
 * it depends on changes, `slow` for a person elsewhere, `quick` for a thing that passes.
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

/** What a person has to mend, in one line. */
export class CreateError extends SupercargoError {
  override readonly code: CreateErrorCode;

  constructor(code: CreateErrorCode, message: string, cause?: unknown) {
    super(code, message, { retry: createErrors[code] === 'change' ? 'never' : 'backoff', cause });
    this.code = code;
  }
}
