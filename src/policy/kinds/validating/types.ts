import type { KindSpec } from '../types.ts';

export interface ValidatingSpec extends KindSpec {
  readonly validations?: readonly ValidationSpec[];
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[];
  readonly validationActions?: readonly ('Deny' | 'Warn' | 'Audit')[];
  readonly autogen?: {
    readonly podControllers?: { readonly controllers?: readonly string[] };
    readonly validatingAdmissionPolicy?: { readonly enabled?: boolean };
  };
}

interface ValidationSpec {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}
