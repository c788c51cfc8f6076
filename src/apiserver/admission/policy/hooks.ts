import type { KubeObject } from '../../../object/index.ts';
import type { Collection, Entry } from '../../store/index.ts';
import { derived } from '../derived.ts';
import { type BindingSpec, specOf } from './types.ts';

/** A policy with the bindings that put it in force, in the order of their names. */
export interface Hook<Policy, Binding> {
  readonly name: string;
  readonly policy: Policy;
  readonly bindings: readonly { readonly name: string; readonly spec: Binding }[];
}

/**
 * The policies that have bindings: the same list until a policy or a binding changes. A policy is compiled once for each
 * of its revisions.
 */
export function createHooks<Policy, Binding extends BindingSpec>(
  policies: Collection,
  bindings: Collection,
  compile: (policy: KubeObject) => Policy,
): () => readonly Hook<Policy, Binding>[] {
  const compiled = new WeakMap<Entry, Policy>();
  const compileOnce = (entry: Entry) => {
    const known = compiled.get(entry) ?? compile(entry.object);
    compiled.set(entry, known);
    return known;
  };
  return derived([policies, bindings], () => {
    const bound = new Map<string, { readonly name: string; readonly spec: Binding }[]>();
    for (const { object } of bindings.entries('')) {
      const spec = specOf<Binding>(object);
      const known = bound.get(spec.policyName) ?? [];
      known.push({ name: object.metadata.name!, spec });
      bound.set(spec.policyName, known);
    }
    return [...policies.keyed()].flatMap(({ key, entry }) => {
      const own = bound.get(key);
      return own ? [{ name: key, policy: compileOnce(entry), bindings: own }] : [];
    });
  });
}
