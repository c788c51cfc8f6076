import type { Cargo } from './cargo.ts';
import { someOf } from './page.ts';
import { noResults, resultStatuses } from './project-reports.ts';
import type { ResultCounts, ResultGroups } from './protocol.ts';
import type { Query } from './query.ts';
import { refOf } from './rows.ts';
import type { Visibility } from './visibility.ts';

const maxGroups = 2_000;
const maxExceptions = 200;

/** GET /api/results/groups. */
export function resultGroups(cargo: Cargo, query: Query, sees: Visibility): ResultGroups {
  const by = query.oneOf('by', ['namespace', 'policy', 'severity'] as const) ?? 'namespace';
  const total = noResults();
  const groups = new Map<string, ReturnType<typeof noResults>>();
  const add = (name: string, counts: Partial<ResultCounts>) => {
    const of = groups.get(name) ?? noResults();
    groups.set(name, of);
    for (const status of resultStatuses) of[status] += counts[status] ?? 0;
  };
  for (const { namespace, counts, byPolicy, rows } of cargo.reports.values()) {
    if (!sees.sees('policyreports', namespace)) continue;
    for (const status of resultStatuses) total[status] += counts[status];
    if (by === 'namespace') add(namespace, counts);
    else if (by === 'policy') for (const [policy, of] of byPolicy) add(policy, of);
    else for (const { severity, result } of rows) add(severity, { [result]: 1 });
  }
  const exceptions = [...cargo.exceptions.values()].filter(({ namespace }) => sees.sees('policyreports', namespace));
  return {
    by,
    total,
    groups: [...groups]
      .map(([name, counts]) => ({ name, counts }))
      .sort((a, b) => weight(b.counts) - weight(a.counts) || (a.name < b.name ? -1 : 1))
      .slice(0, maxGroups),
    policies: [...cargo.policies.values()]
      .filter(({ namespace }) => sees.sees('policyreports', namespace))
      .map((policy) => ({ policy: refOf(policy), reason: policy.problem, message: policy.message })),
    exceptions: someOf(exceptions, maxExceptions, ({ apiVersion, namespace, name, rules }) => ({
      object: { apiVersion, kind: 'PolicyException', namespace, name },
      rules,
    })),
  };
}

const weight = ({ fail, error, warn }: ResultCounts) => (fail + error) * 1_000 + warn;
