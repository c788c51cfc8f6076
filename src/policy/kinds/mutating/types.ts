import type { KindSpec, MatchConstraints, NamedExpression } from '../types.ts';

export interface MutatingSpec extends KindSpec {
  readonly mutations?: readonly MutationSpec[];
  /** Other objects that are changed when the policy's own match. */
  readonly targetMatchConstraints?: TargetConstraints;
  readonly targetMatchConditions?: readonly NamedExpression[];
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[];
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
  readonly autogen?: {
    readonly podControllers?: { readonly controllers?: readonly string[] };
    readonly mutatingAdmissionPolicy?: { readonly enabled?: boolean };
  };
  readonly evaluation?: NonNullable<KindSpec['evaluation']> & {
    readonly mutateExisting?: { readonly enabled?: boolean };
    readonly skipBackgroundRequests?: boolean;
    readonly useServerSideApply?: boolean;
  };
}

export interface TargetConstraints extends MatchConstraints {
  /** One object, or a list of them under `items`. */
  readonly expression?: string;
}

export interface MutationSpec {
  readonly patchType?: 'ApplyConfiguration' | 'JSONPatch';
  readonly applyConfiguration?: { readonly expression: string };
  readonly jsonPatch?: { readonly expression: string };
}
