import { defaultResourceFilters, parseResourceFilters } from '../admission/index.ts';
import { ownerLabel } from '../api/index.ts';
import type { GroupVersionKind, KubeObject } from '../object/index.ts';
import type { Config } from './config.ts';

/** The objects that background work leaves alone: those that no policy is evaluated for at admission. */
export function isExcludedBy({ admission }: Pick<Config, 'admission'>) {
  const filters = parseResourceFilters(admission.resourceFilters ?? defaultResourceFilters);
  // A Namespace counts as being in itself, as in admission requests.
  return (kind: GroupVersionKind, namespace: string, name: string): boolean =>
    filters.excludes(kind, '', kind.group === '' && kind.kind === 'Namespace' ? name : namespace, name);
}

const managedByLabel = 'app.kubernetes.io/managed-by';

/** What no policy deletes: the program itself, what it or Kyverno manages, and what is excluded anyway. */
export const isSparedBy =
  (own: string, isExcluded: ReturnType<typeof isExcludedBy>) =>
  (kind: GroupVersionKind, { name = '', namespace = '', labels = {} }: KubeObject['metadata']): boolean =>
    namespace === own ||
    (kind.group === '' && kind.kind === 'Namespace' && name === own) ||
    labels[managedByLabel] === 'kyverno' ||
    Object.hasOwn(labels, ownerLabel) ||
    isExcluded(kind, namespace, name);
