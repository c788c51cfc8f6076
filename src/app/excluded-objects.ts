import { defaultResourceFilters, parseResourceFilters } from '../admission/index.ts';
import type { GroupVersionKind } from '../object/index.ts';
import type { Config } from './config.ts';

/** The objects that background work leaves alone: those that no policy is evaluated for at admission. */
export function isExcludedBy({ admission }: Pick<Config, 'admission'>) {
  const filters = parseResourceFilters(admission.resourceFilters ?? defaultResourceFilters);
  // A Namespace counts as being in itself, as in admission requests.
  return (kind: GroupVersionKind, namespace: string, name: string): boolean =>
    filters.excludes(kind, '', kind.group === '' && kind.kind === 'Namespace' ? name : namespace, name);
}
