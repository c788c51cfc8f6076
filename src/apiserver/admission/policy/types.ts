import type { KubeObject, LabelSelector } from '../../../object/index.ts';
import type { NamedExpression } from '../../expressions/index.ts';
import type { Rule } from '../webhook-config.ts';

interface NamedRule extends Rule {
  readonly resourceNames?: readonly string[];
}

/** What a policy is for, and what a binding narrows it to; with the server's defaults. */
export interface MatchResources {
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  readonly resourceRules?: readonly NamedRule[];
  readonly excludeResourceRules?: readonly NamedRule[];
  readonly matchPolicy: 'Exact' | 'Equivalent';
}

export interface ParamKind {
  readonly apiVersion: string;
  readonly kind: string;
}

export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelector;
  readonly parameterNotFoundAction: 'Allow' | 'Deny';
}

/** What validating and mutating policies have in common. */
export interface PolicySpec {
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly paramKind?: ParamKind;
  readonly matchConstraints: MatchResources;
  readonly matchConditions?: readonly NamedExpression[];
  readonly variables?: readonly NamedExpression[];
}

export interface BindingSpec {
  readonly policyName: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
}

export interface ValidatingSpec extends PolicySpec {
  readonly validations?: readonly {
    readonly expression: string;
    readonly message?: string;
    readonly messageExpression?: string;
    readonly reason?: string;
  }[];
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[];
}

export interface ValidatingBindingSpec extends BindingSpec {
  readonly validationActions: readonly ('Deny' | 'Warn' | 'Audit')[];
}

/** One mutation, in the form that its type names. */
export type Mutation =
  | { readonly patchType: 'ApplyConfiguration'; readonly applyConfiguration: { readonly expression: string } }
  | { readonly patchType: 'JSONPatch'; readonly jsonPatch: { readonly expression: string } };

export interface MutatingSpec extends PolicySpec {
  readonly mutations: readonly Mutation[];
  readonly reinvocationPolicy: 'Never' | 'IfNeeded';
}

export const specOf = <T>(object: KubeObject) => object['spec'] as T;
