import { LRUCache } from 'lru-cache';
import { isJsonObject, type JsonObject } from '../base/index.ts';
import type { Condition, KubeObject } from '../object/index.ts';
import type { EventFact, ExceptionFact, PolicyFact, ReportFact, ResultFact, VulnerabilityFact } from './facts.ts';
import { conditionOf, listOf, numberOf, objectOf, shortTextOf, textOf } from './fields.ts';
import { exceptionRules } from './project-pipeline.ts';
import type { ResultCounts, ResultStatus } from './protocol.ts';
import type { Sharing } from './sharing.ts';

/** Facts of reports, policies and events. */

export const resultStatuses = ['pass', 'fail', 'warn', 'error', 'skip'] as const;
const isStatus = (text: string): text is ResultStatus => (resultStatuses as readonly string[]).includes(text);
type MutableCounts = { -readonly [K in keyof ResultCounts]: ResultCounts[K] };
export const noResults = (): MutableCounts => ({ pass: 0, fail: 0, warn: 0, error: 0, skip: 0 });

/** Further results of one report only count. */
const maxRows = 2_000;

/** What many results of a rule have in common. */
type ResultRule = Pick<
  ResultFact,
  'policy' | 'rule' | 'source' | 'result' | 'severity' | 'category' | 'apiVersion' | 'kind'
>;

class Result implements ResultFact {
  constructor(
    private readonly of: ResultRule,
    readonly namespace: string,
    readonly key: string,
    readonly message: string,
    readonly seconds: number,
  ) {}

  get policy(): string {
    return this.of.policy;
  }
  get rule(): string {
    return this.of.rule;
  }
  get source(): string {
    return this.of.source;
  }
  get result(): ResultStatus {
    return this.of.result;
  }
  get severity(): string {
    return this.of.severity;
  }
  get category(): string {
    return this.of.category;
  }
  get apiVersion(): string {
    return this.of.apiVersion;
  }
  get kind(): string {
    return this.of.kind;
  }
  get name(): string {
    return this.namespace === '' ? this.key : this.key.slice(this.namespace.length + 1);
  }
}

const maxRules = 10_000;

export function createReportProjection({ intern, key }: Pick<Sharing, 'intern' | 'key'>) {
  const rules = new LRUCache<string, ResultRule>({ max: maxRules });
  const shared = (rule: ResultRule): ResultRule => {
    const id = JSON.stringify(rule);
    const known = rules.get(id);
    if (known) return known;
    rules.set(id, rule);
    return rule;
  };
  return (report: KubeObject): ReportFact => {
    const counts = noResults();
    const byPolicy = new Map<string, MutableCounts>();
    const rows: ResultFact[] = [];
    const { namespace = '' } = report.metadata;
    for (const value of listOf(report, 'results')) {
      const status = textOf(value, 'result');
      const result = isStatus(status) ? status : 'error';
      const policy = intern(textOf(value, 'policy'));
      // A report about one resource names it once, in its scope.
      const resources = Array.isArray(value['resources']) ? value['resources'] : [report['scope']];
      const of = byPolicy.get(policy) ?? noResults();
      byPolicy.set(policy, of);
      for (const resource of resources) {
        if (!isJsonObject(resource)) continue;
        counts[result]++;
        of[result]++;
        if (result === 'pass' || result === 'skip' || rows.length >= maxRows) continue;
        const kind = intern(textOf(resource, 'kind'));
        const rule = shared({
          policy,
          rule: intern(textOf(value, 'rule')),
          source: intern(textOf(value, 'source')),
          result,
          severity: intern(textOf(value, 'severity')),
          category: intern(textOf(value, 'category')),
          apiVersion: intern(textOf(resource, 'apiVersion')),
          kind,
        });
        // Whoever writes reports of one namespace says nothing about objects of another.
        const within = intern(namespace || textOf(resource, 'namespace'));
        const name = textOf(resource, 'name');
        const seconds = numberOf(objectOf(value, 'timestamp'), 'seconds') ?? 0;
        const about = key(kind, within === '' ? name : `${within}/${name}`);
        rows.push(new Result(rule, within, about, intern(shortTextOf(value, 'message')), seconds));
      }
    }
    return { namespace, counts, byPolicy: [...byPolicy], rows };
  };
}

const problemOf = (status: JsonObject): Partial<Condition> | undefined =>
  ['Ready', 'Working'].map((type) => conditionOf(status, type)).find((one) => one?.status === 'False');

/** A policy of expressions says in a field whether it is ready, with the messages of all conditions that are not met. */
function problemOfExpressions(status: JsonObject): Partial<Condition> | undefined {
  if (status['ready'] !== false) return problemOf(status);
  const failing = listOf(status, 'conditions').find((one) => one['status'] === 'False') ?? {};
  const message = textOf(status, 'message') || textOf(failing, 'message');
  return { reason: textOf(failing, 'reason') || 'NotReady', message };
}

/** A policy that is not ready or does not work; undefined for a good one. */
export function policyFact(policy: KubeObject): PolicyFact | undefined {
  const status = objectOf(policy, 'status');
  const bad = problemOf(status) ?? problemOfExpressions(objectOf(status, 'conditionStatus'));
  if (!bad) return undefined;
  const { namespace = '', name = '' } = policy.metadata;
  return {
    apiVersion: policy.apiVersion,
    kind: policy.kind,
    namespace,
    name,
    problem: bad.reason ?? '',
    message: (bad.message ?? '').slice(0, 500),
  };
}

export function exceptionFact(exception: KubeObject): ExceptionFact {
  const { namespace = '', name = '' } = exception.metadata;
  return {
    apiVersion: exception.apiVersion,
    namespace,
    name,
    rules: exceptionRules(objectOf(exception, 'spec')),
  };
}

/** A VulnerabilityReport of trivy-operator: by the digest, where it is known, of the image that it names. */
export function vulnerabilityFact(object: KubeObject): VulnerabilityFact {
  const { namespace = '', name = '' } = object.metadata;
  const report = objectOf(object, 'report');
  const artifact = objectOf(report, 'artifact');
  const server = textOf(objectOf(report, 'registry'), 'server');
  const tag = textOf(artifact, 'tag');
  const digest = textOf(artifact, 'digest');
  const repository = textOf(artifact, 'repository');
  // Docker Hub is index.docker.io there.
  const registry = server === '' || server === 'index.docker.io' ? '' : `${server}/`;
  const summary = objectOf(report, 'summary');
  const count = (key: string) => numberOf(summary, key) ?? 0;
  return {
    namespace,
    name,
    image: `${registry}${repository}${tag !== '' ? `:${tag}` : digest !== '' ? `@${digest}` : ''}`,
    digest,
    scanner: textOf(objectOf(report, 'scanner'), 'name'),
    at: textOf(report, 'updateTimestamp'),
    counts: {
      critical: count('criticalCount'),
      high: count('highCount'),
      medium: count('mediumCount'),
      low: count('lowCount'),
      unknown: count('unknownCount'),
    },
  };
}

const pullReasons = new Set(['Failed', 'BackOff', 'ErrImagePull', 'ImagePullBackOff', 'InspectFailed', 'Pulled']);

/** Events of this program, and what the kubelet says of pulling; undefined for any other. */
export function createEventProjection(installation: string): (event: KubeObject) => EventFact | undefined {
  const ours = new Set([installation, 'supercargo']);
  return (event) => {
    const component =
      textOf(event as JsonObject, 'reportingComponent') || textOf(objectOf(event, 'source'), 'component');
    const about = objectOf(event, 'involvedObject');
    const reason = textOf(event as JsonObject, 'reason');
    const isPull = component === 'kubelet' && textOf(about, 'kind') === 'Pod' && pullReasons.has(reason);
    if (!ours.has(component) && !isPull) return undefined;
    const series = objectOf(event, 'series');
    return {
      apiVersion: textOf(about, 'apiVersion'),
      kind: textOf(about, 'kind'),
      namespace: textOf(about, 'namespace'),
      name: textOf(about, 'name'),
      type: textOf(event as JsonObject, 'type'),
      reason,
      message: shortTextOf(event as JsonObject, 'message'),
      count: numberOf(series, 'count') ?? numberOf(event as JsonObject, 'count') ?? 1,
      at:
        textOf(series, 'lastObservedTime') ||
        textOf(event as JsonObject, 'lastTimestamp') ||
        textOf(event as JsonObject, 'eventTime') ||
        (event.metadata.creationTimestamp ?? ''),
    };
  };
}
