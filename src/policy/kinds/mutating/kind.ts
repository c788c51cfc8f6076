import { derivedMutations } from '../../autogen/index.ts';
import type { KindDefinition } from '../definition.ts';
import { kindPolicy, kindRule } from '../policy.ts';
import { readsOfKind } from '../reads.ts';
import type { KindPolicy } from '../types.ts';
import { checkMutating, mutatingShape } from './check.ts';
import { compileMutatingRun } from './rule.ts';
import type { MutatingSpec } from './types.ts';

export const mutatingKind = (isNamespaced: boolean): KindDefinition<MutatingSpec> => ({
  spec: mutatingShape,
  check: checkMutating,
  derive: derivedMutations,
  compile(policy: KindPolicy<MutatingSpec>) {
    const { spec, metadata } = policy;
    const policyNamespace = isNamespaced ? (metadata.namespace ?? 'default') : '';
    const actsOnOthers = spec.targetMatchConstraints !== undefined;
    return kindPolicy(policy, {
      source: 'KyvernoMutatingPolicy',
      isNamespaced,
      reinvocationPolicy: spec.reinvocationPolicy ?? 'Never',
      rules: [spec, ...derivedMutations(spec).map((derived) => derived.spec)].map((form, i) =>
        kindRule({
          isDerived: i > 0,
          phase: 'mutate',
          constraints: form.matchConstraints,
          policyNamespace,
          actsOnOthers,
          actsOnExisting: spec.evaluation?.mutateExisting?.enabled ?? false,
          reads: readsOfKind(form, expressionsOf(form)),
          run: compileMutatingRun(form, policyNamespace),
        }),
      ),
    });
  },
});

const expressionsOf = (spec: MutatingSpec): readonly string[] => [
  ...(spec.mutations ?? []).map(
    ({ applyConfiguration, jsonPatch }) => (applyConfiguration ?? jsonPatch)?.expression ?? '',
  ),
  ...(spec.targetMatchConditions ?? []).map(({ expression }) => expression),
  ...(spec.auditAnnotations ?? []).map(({ valueExpression }) => valueExpression),
  spec.targetMatchConstraints?.expression ?? '',
];
