import { defaultResourceFilters, parseResourceFilters } from '../admission/index.ts';
import type { Config } from './config.ts';

/** Namespaces that are exempt from webhooks, and from background rewrites. */
export function exemptNamespacesOf({ admission }: Pick<Config, 'admission'>, namespace: string): readonly string[] {
  const filters = parseResourceFilters(admission.resourceFilters ?? defaultResourceFilters);
  return [...new Set(['kube-system', namespace, ...filters.namespaces])];
}
