import type { KindSpec } from '../types.ts';

interface Switch {
  readonly enabled?: boolean;
}

export interface GeneratingSpec extends KindSpec {
  readonly generate?: readonly GenerationSpec[];
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[];
  readonly evaluation?: NonNullable<KindSpec['evaluation']> & {
    readonly synchronize?: Switch;
    readonly generateExisting?: Switch;
    readonly orphanDownstreamOnPolicyDelete?: Switch;
    readonly skipBackgroundRequests?: boolean;
  };
  readonly useServerSideApply?: boolean;
}

interface GenerationSpec {
  readonly expression?: string;
  readonly template?: { readonly value: string; readonly interpolate?: 'none' | 'cel' };
}
