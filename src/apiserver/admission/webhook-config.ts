import type { KubeObject, LabelSelector } from '../../object/index.ts';
import { compileConditions, type Expression, type NamedExpression } from '../expressions/index.ts';

/** The part of a webhook configuration that matching and calling need, with the server's defaults. */
export interface Webhook {
  readonly name: string;
  readonly clientConfig: {
    readonly url?: string;
    readonly caBundle?: string;
    readonly service?: {
      readonly namespace: string;
      readonly name: string;
      readonly path?: string;
      readonly port?: number;
    };
  };
  readonly rules?: readonly Rule[];
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly matchPolicy: 'Exact' | 'Equivalent';
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  readonly sideEffects: string;
  readonly timeoutSeconds: number;
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
  /** Ready to be evaluated; empty for a webhook without. */
  readonly conditions: readonly Expression[];
}

type Stored = Omit<Webhook, 'conditions'> & { readonly matchConditions?: readonly NamedExpression[] };

export interface Rule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: 'Cluster' | 'Namespaced' | '*';
}

/** The webhooks of all configurations in call order: by configuration name, then as listed. */
export function webhooksOf(configurations: readonly KubeObject[]): readonly Webhook[] {
  return configurations
    .flatMap((configuration) => (configuration['webhooks'] as readonly Stored[] | undefined) ?? [])
    .map(({ matchConditions = [], ...webhook }) => ({
      ...webhook,
      conditions: compileConditions(matchConditions, { hasParams: false }),
    }));
}
