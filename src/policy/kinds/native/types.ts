import type { LabelSelector } from '../../../object/index.ts';
import type { MutatingSpec } from '../mutating/types.ts';
import type { MatchConstraints } from '../types.ts';
import type { ValidatingSpec } from '../validating/types.ts';

/** What both kinds have: the fields of the one are absent in the other. */
export interface NativeSpec
  extends Omit<ValidatingSpec, 'autogen' | 'evaluation' | 'validationActions'>,
    Pick<MutatingSpec, 'mutations' | 'reinvocationPolicy'> {
  readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string };
}

export interface BindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchConstraints;
}

interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelector;
  readonly parameterNotFoundAction?: 'Allow' | 'Deny';
}
