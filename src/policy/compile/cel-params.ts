import type { LabelSelector } from '../../object/index.ts';
import { namespaceOf } from '../cel/index.ts';
import { askFor } from '../context/index.ts';
import { errored, failed, pass, type RuleOutcome } from '../run/outcome.ts';
import type { Run } from '../run/run.ts';
import type { CelSpec } from '../types.ts';

/** The objects that a rule is parameterised with, one evaluation each; or the outcome where there are none. */
type Params = (run: Run) => { readonly params: readonly unknown[] } | RuleOutcome;

/** Undefined for a rule without parameters. */
export function compileParams({ paramKind, paramRef }: CelSpec): Params | undefined {
  if (!paramKind || !paramRef) return undefined;
  const { apiVersion = '', kind = '' } = paramKind;
  const { name, namespace, selector, parameterNotFoundAction } = paramRef;
  return (run) => {
    // A policy of a namespace sees nothing outside of it, whatever it names.
    const place = run.context.policyNamespace || namespace || namespaceOf(run.request);
    const answer = askFor(run.context, {
      kind: 'resources',
      apiVersion,
      resourceKind: kind,
      ...(place === '' ? {} : { namespace: place }),
      ...(name ? { name } : {}),
      ...(selector ? { selector: selector as LabelSelector } : {}),
    });
    if (!answer.ok) return errored(`error in parameterized resource: ${answer.message}`);
    const params = answer.value as readonly unknown[];
    if (params.length > 0) return { params };
    return parameterNotFoundAction === 'Allow'
      ? pass('no params found, and parameterNotFoundAction is Allow')
      : failed('no params found for policy binding with `Deny` parameterNotFoundAction');
  };
}
