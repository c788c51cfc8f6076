import { renderYaml } from '../../base/index.ts';
import { type ReportEntry, type Summary, statuses } from './entry.ts';
import type { ReportSink, SinkOptions } from './sink.ts';

/**
 * PolicyReports (`wgpolicyk8s.io/v1alpha2`), one per namespace, and a ClusterPolicyReport for cluster-scoped resources.
 * The only format that holds all results until the end, because resources of a namespace may be anywhere in the input.
 */
export function policyReport({ write, now }: SinkOptions): ReportSink {
  const byNamespace = new Map<string, object[]>();
  const timestamp = { seconds: Math.floor(now / 1000), nanos: 0 };
  return {
    add({ entries }) {
      for (const entry of entries) {
        const namespace = entry.resource.namespace ?? '';
        const results = byNamespace.get(namespace) ?? [];
        byNamespace.set(namespace, results);
        results.push({ ...reportResult(entry), timestamp });
      }
    },
    end() {
      for (const [namespace, results] of [...byNamespace].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const metadata = namespace === '' ? { name: 'supercargo' } : { name: 'supercargo', namespace };
        write(
          `---\n${renderYaml({
            apiVersion: 'wgpolicyk8s.io/v1alpha2',
            kind: namespace === '' ? 'ClusterPolicyReport' : 'PolicyReport',
            metadata,
            results,
            summary: countResults(results as readonly { readonly result: string }[]),
          })}`,
        );
      }
    },
  };
}

function reportResult(entry: ReportEntry): object {
  const { policy, rule, result, message, scored, category, severity, properties, exceptions, resource } = entry;
  const all = { ...properties, ...(exceptions ? { exceptions: exceptions.join(',') } : {}) };
  return {
    source: entry.source,
    policy,
    rule,
    result,
    ...(message === '' ? {} : { message }),
    scored,
    ...(category === undefined ? {} : { category }),
    ...(severity === undefined ? {} : { severity }),
    ...(Object.keys(all).length > 0 ? { properties: all } : {}),
    resources: [resource],
  };
}

function countResults(results: readonly { readonly result: string }[]): Summary {
  return Object.fromEntries(
    statuses.map((status) => [status, results.filter(({ result }) => result === status).length]),
  ) as Summary;
}
