import { namespaceOf } from '../../cel/index.ts';
import { findAnswer, Need } from '../../context/index.ts';
import type { Run } from '../../run/run.ts';
import type { BindingSpec, NativeSpec } from './types.ts';

type Params = { readonly params: readonly unknown[] } | { readonly error: string } | { readonly isAllowed: boolean };

/** The objects that a binding parameterises its policy with: null for a policy without parameters. */
export function findParams(spec: NativeSpec, { paramRef }: BindingSpec, asList: boolean, run: Run): Params {
  const { apiVersion = '', kind = '' } = spec.paramKind ?? {};
  if (kind === '' || !paramRef) return { params: [null] };
  const { name, namespace, selector, parameterNotFoundAction } = paramRef;
  const place = name ? '' : (namespace ?? namespaceOf(run.request));
  const { answer, lookUp } = findAnswer(run.context, {
    kind: 'resources',
    apiVersion,
    resourceKind: kind,
    ...(place ? { namespace: place } : {}),
    ...(name ? { name } : {}),
    ...(selector ? { selector } : {}),
  });
  if (!answer) throw new Need([lookUp]);
  if (!answer.ok) return { error: answer.message };
  const found = answer.value as readonly unknown[];
  if (found.length === 0) return { isAllowed: parameterNotFoundAction === 'Allow' };
  return { params: asList && !name ? [{ apiVersion, kind: `${kind}List`, items: found }] : found };
}
