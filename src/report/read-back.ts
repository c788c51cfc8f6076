import { isJsonObject, type Logger } from '../base/index.ts';
import { isKubeError, type KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { PolicyProgram } from '../policy/index.ts';
import type { LivePolicies, PolicySet } from '../runtime/index.ts';
import { typeForNamespace } from './report-object.ts';
import type { ReportForm } from './report-writer.ts';
import {
  headOf,
  processes,
  type ReportedStatus,
  type ResourceReference,
  type ResultContent,
  reportedStatuses,
} from './result.ts';

interface ReadBackOptions {
  readonly client: KubeClient;
  /** Those that we wrote, by the key of the report. */
  readonly forms: ReadonlyMap<string, ReportForm>;
  readonly policies: LivePolicies;
  /** Called with the key of a report that is not there any more in the form that we wrote. */
  readonly forget: (report: string) => void;
  readonly restore: (resource: ResourceReference, content: ResultContent) => void;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * Reads admission results back from our own reports, in the forms that we wrote ourselves and in no other: whoever
 * edits a report while we are down must not forge results. All other results are computed again.
 */
export async function readBack(options: ReadBackOptions): Promise<void> {
  const { client, forms, policies, forget, restore, log, signal } = options;
  const changed: string[] = [];
  for (const [report, { uid, generation }] of forms) {
    const [first = '', second] = report.split('/');
    const namespace = second === undefined ? '' : first;
    const key = second === undefined ? { name: first } : { name: second, namespace };
    let object: KubeObject;
    try {
      object = await client.get(typeForNamespace(namespace), key, { signal });
    } catch (thrown) {
      if (!isKubeError(thrown, 'kube-not-found')) throw thrown;
      forget(report);
      continue;
    }
    if (object.metadata.uid !== uid || object.metadata.generation !== generation) {
      forget(report);
      changed.push(report);
      continue;
    }
    const results = Array.isArray(object['results']) ? object['results'] : [];
    const unread = results.filter((result) => !restoreOne(result, policies, restore)).length;
    if (unread > 0) log.debug('some results of a report could not be read back', { report, unread });
  }
  if (changed.length > 0)
    log.warn('reports were edited by others: their results of admission come with the next admission of each object', {
      reports: changed.length,
      first: changed[0],
    });
}

/** False for a result that did not come from admission, or is invalid. */
function restoreOne(value: unknown, policies: LivePolicies, restore: ReadBackOptions['restore']): boolean {
  if (!isJsonObject(value) || !isJsonObject(value['properties'])) return false;
  const { source, policy, rule, result, message = '', properties, timestamp, resources } = value;
  if (properties['process'] !== processes.admission) return false;
  const resource: unknown = Array.isArray(resources) ? resources[0] : undefined;
  const program = typeof policy === 'string' ? programNamed(policies.current, policy, source) : undefined;
  if (!program || typeof rule !== 'string' || typeof message !== 'string' || !isJsonObject(resource)) return false;
  if (!reportedStatuses.includes(result as ReportedStatus)) return false;
  const seconds = isJsonObject(timestamp) ? timestamp['seconds'] : undefined;
  restore(resource as unknown as ResourceReference, {
    head: headOf(program, rule),
    result: result as ReportedStatus,
    message,
    properties: JSON.stringify(properties),
    process: 'admission',
    ...(typeof seconds === 'number' ? { seconds } : {}),
  });
  return true;
}

/** Reports name a policy without its kind, which the source of the result tells. */
function programNamed({ programs, get }: PolicySet, name: string, source: unknown): PolicyProgram | undefined {
  const classic = get(name);
  if (source === undefined || classic?.source === source) return classic;
  return programs.find((program) => program.source === source && program.name === name);
}
