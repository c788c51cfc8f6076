import type { KubeObject } from '../../object/index.ts';
import type { EvaluatedResource } from '../apply.ts';
import { type EntryOptions, entryOf, isBlocking, type ReportEntry, type Summary, statuses } from './entry.ts';

export interface FindingOptions extends EntryOptions {
  /** `notable`: failures, mutations and generations; the others are only counted. */
  readonly entries: 'all' | 'notable';
  /** Which resources are included after mutation, with generated objects. */
  readonly objects: 'none' | 'changed' | 'all';
}

/** All results of one resource as plain data, reduced to what the report needs. */
export interface Finding {
  readonly summary: Summary;
  /** True if admission would have denied the resource. */
  readonly isBlocked: boolean;
  readonly entries: readonly ReportEntry[];
  readonly object?: KubeObject;
  readonly generated?: readonly KubeObject[];
}

export function findingOf(evaluated: EvaluatedResource, options: FindingOptions): Finding {
  const { rules: responses, resource, object } = evaluated.response;
  const summary = emptySummary();
  const entries: ReportEntry[] = [];
  const generated: KubeObject[] = [];
  let isBlocked = false;
  for (const response of responses) {
    const { status, rule } = response.result;
    const isQuiet =
      status === 'skip' || (status === 'pass' && (rule.phase === 'validate' || rule.phase === 'verifyImages'));
    if (response.result.generated && options.objects !== 'none') generated.push(...response.result.generated);
    if (response.result.targets && options.objects !== 'none') generated.push(...response.result.targets);
    if (isQuiet && options.entries === 'notable') {
      summary[status]++;
      continue;
    }
    const entry = entryOf(response, evaluated, options);
    summary[entry.result]++;
    isBlocked ||= isBlocking(entry);
    entries.push(entry);
  }
  const isShown = options.objects === 'all' || (options.objects === 'changed' && object !== resource);
  return {
    summary,
    isBlocked,
    entries,
    ...(isShown && object ? { object: evaluated.hasNamespace ? object : withoutNamespace(object) } : {}),
    ...(generated.length > 0 ? { generated } : {}),
  };
}

/** As written: a filled-in namespace would override `kubectl apply -n`. */
function withoutNamespace({ metadata, ...rest }: KubeObject): KubeObject {
  const { namespace, ...others } = metadata;
  return { ...rest, metadata: namespace === 'default' ? others : metadata } as KubeObject;
}

export function emptySummary(): { -readonly [K in keyof Summary]: Summary[K] } {
  return Object.fromEntries(statuses.map((status) => [status, 0])) as { -readonly [K in keyof Summary]: Summary[K] };
}
