import { defaultResourceFilters, parseResourceFilters } from '../admission/index.ts';
import type { Config } from './config.ts';

/** Namespaces that no webhook sees, and that are not rewritten in the background either. */
export function exemptNamespacesOf({ admission }: Pick<Config, 'admission'>, namespace: string): readonly string[] {
  const filters = parseResourceFilters(admission.resourceFilters ?? defaultResourceFilters);
  return [...new Set(['kube-system', namespace, ...filters.namespaces])];
}
