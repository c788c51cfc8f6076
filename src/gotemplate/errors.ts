import { SupercargoError } from '../base/index.ts';

/** Every way a template can fail, in parsing and in rendering. */
export const templateErrorCodes = [
  'template-syntax',
  'template-execution',
  'template-missing-key',
  'template-data',
  'template-too-long',
  'template-steps-limit',
  'template-time-limit',
  'template-depth-limit',
  'template-output-limit',
] as const;
export type TemplateErrorCode = (typeof templateErrorCodes)[number];

/** Where a template failed: line from 1, column in bytes from 0 as Go counts it (parse errors have no column). */
interface TemplatePosition {
  readonly template: string;
  readonly line: number;
  readonly column?: number;
}

/** The only error that parsing or rendering throws of its own accord; the message is worded as Go words it. */
export class TemplateError extends SupercargoError {
  override readonly code: TemplateErrorCode;
  readonly position: TemplatePosition | undefined;

  constructor(code: TemplateErrorCode, message: string, position?: TemplatePosition, cause?: unknown) {
    super(code, message, { cause });
    this.code = code;
    this.position = position;
  }
}

/** What a function throws when its arguments make no sense: the call that failed adds its name and place. */
export class CallFailure extends Error {
  constructor(
    message: string,
    readonly code: TemplateErrorCode = 'template-execution',
  ) {
    super(message);
  }
}

/** A limit was reached: passes through calls unchanged, and gets its place at the top. */
export class LimitReached extends Error {
  constructor(
    readonly code: TemplateErrorCode,
    message: string,
  ) {
    super(message);
  }
}
