import type { FailureAction } from '../../program.ts';
import type { Payload } from '../../request.ts';
import type { KindDefinition } from '../definition.ts';
import { kindPolicy, kindRule } from '../policy.ts';
import { pushedConditions } from '../pushed-conditions.ts';
import type { KindPolicy } from '../types.ts';
import { checkValidating, validatingShape } from './check.ts';
import { derive } from './derived.ts';
import { readsOfSpec } from './reads.ts';
import { compileValidatingRun } from './rule.ts';
import type { ValidatingSpec } from './types.ts';

/** Deny blocks; Warn and Audit let pass and tell. */
const actionOf = ({ validationActions }: ValidatingSpec): FailureAction =>
  !validationActions?.length || validationActions.includes('Deny') ? 'Enforce' : 'Audit';

export const validatingKind = (isNamespaced: boolean): KindDefinition<ValidatingSpec> => ({
  spec: validatingShape,
  check: checkValidating,
  derive,
  compile(policy: KindPolicy<ValidatingSpec>) {
    const { spec, metadata } = policy;
    const policyNamespace = isNamespaced ? (metadata.namespace ?? 'default') : '';
    const { mode = 'Kubernetes' } = spec.evaluation ?? {};
    const forms = [spec, ...derive(spec).map(({ spec: form }) => form)];
    return kindPolicy(policy, {
      source: 'KyvernoValidatingPolicy',
      isNamespaced,
      emitWarning: spec.validationActions?.includes('Warn') ?? false,
      // A condition that fails there denies, under Fail.
      matchConditions: actionOf(spec) === 'Enforce' || spec.failurePolicy === 'Ignore' ? pushedConditions(forms) : [],
      rules: forms.map((form, i) =>
        kindRule({
          isDerived: i > 0,
          phase: 'validate',
          mode: mode === 'Kubernetes' ? undefined : (mode as Payload['mode']),
          constraints: form.matchConstraints,
          policyNamespace,
          action: actionOf(spec),
          reads: readsOfSpec(form),
          run: compileValidatingRun(form, isNamespaced),
        }),
      ),
    });
  },
});
