import type { KubeObject, LabelSelector } from '../../object/index.ts';
import type { MatchCondition } from '../program.ts';

/** The kinds whose policies consist of expressions. All versions of a kind have one shape. */

/** Objects by group, version, plural resource and operation, as webhook configurations name them. */
export interface ResourceRule {
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly operations?: readonly string[];
  /** Plurals, with a subresource after a slash: `pods`, `pods/exec`; each part may be a star. */
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly scope?: '*' | 'Cluster' | 'Namespaced';
}

export interface MatchConstraints {
  readonly resourceRules?: readonly ResourceRule[];
  readonly excludeResourceRules?: readonly ResourceRule[];
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly matchPolicy?: 'Exact' | 'Equivalent';
}

export interface NamedExpression {
  readonly name: string;
  readonly expression: string;
}

/** What all kinds have in their spec. */
export interface KindSpec {
  readonly matchConstraints?: MatchConstraints;
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly NamedExpression[];
  readonly failurePolicy?: 'Fail' | 'Ignore';
  readonly evaluation?: {
    readonly mode?: string;
    readonly admission?: { readonly enabled?: boolean };
    readonly background?: { readonly enabled?: boolean; readonly interval?: string };
  };
  readonly webhookConfiguration?: { readonly timeoutSeconds?: number };
}

export interface KindPolicy<Spec extends KindSpec = KindSpec> extends KubeObject {
  readonly spec: Spec;
}
