import { setOwn } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { PolicyProgram, RuleResult } from '../policy/index.ts';

export const reportedStatuses = ['pass', 'fail', 'warn', 'error', 'skip'] as const;
export type ReportedStatus = (typeof reportedStatuses)[number];
export type ReportSummary = Readonly<Record<ReportedStatus, number>>;

/** How a result was found; Kyverno's values. */
export const processes = { background: 'background scan', admission: 'admission review' } as const;
type Process = keyof typeof processes;

/** What all results of one rule have in common, as reports name it. */
export interface ResultHead {
  readonly source: string;
  /** The key of the policy. */
  readonly policy: string;
  readonly rule: string;
  readonly category?: string;
  readonly severity?: string;
  readonly scored: boolean;
}

/** The result of one rule for one resource. The resource is kept separately. */
export interface ResultContent {
  readonly head: ResultHead;
  readonly result: ReportedStatus;
  readonly message: string;
  /** As JSON: most results share them, and sharing a string is cheaper than sharing an object. */
  readonly properties: string;
  readonly process: Process;
  /** When it was found, in seconds; absent for now. */
  readonly seconds?: number;
}

const severities = new Set(['critical', 'high', 'medium', 'low', 'info']);

/** Longer messages are cut to limit the size in etcd. Escaped as JSON they grow at most sixfold. */
const maxMessageBytes = 16 * 1024;
const maxPropertyBytes = 1024;
const maxProperties = 16;

const plainProperties: Readonly<Record<Process, string>> = {
  background: JSON.stringify({ process: processes.background }),
  admission: JSON.stringify({ process: processes.admission }),
};

/** The result of a rule as Kyverno reports it. */
export function contentOf(result: RuleResult, process: Process): ResultContent {
  const head = headOf(result.policy, result.ruleName ?? result.rule.name);
  return {
    head,
    result: result.status === 'fail' && !head.scored ? 'warn' : result.status,
    message: cutBytes(result.message, maxMessageBytes),
    properties: propertiesOf(result, process),
    process,
  };
}

function propertiesOf({ properties, exceptions = [] }: RuleResult, process: Process): string {
  if (!properties && exceptions.length === 0) return plainProperties[process];
  const all: Record<string, string> = { process: processes[process] };
  for (const [key, value] of Object.entries(properties ?? {}).slice(0, maxProperties))
    setOwn(all, cutBytes(key, 256), cutBytes(String(value), maxPropertyBytes));
  if (exceptions.length > 0) all['exceptions'] = cutBytes(exceptions.join(','), maxPropertyBytes);
  return JSON.stringify(all);
}

type HeadSource = Pick<PolicyProgram, 'policy' | 'key' | 'source'>;

const heads = new WeakMap<object, Map<string, ResultHead>>();

/** The same object for the same rule of the same revision. */
export function headOf(program: HeadSource, rule: string): ResultHead {
  let byRule = heads.get(program.policy);
  if (!byRule) heads.set(program.policy, (byRule = new Map()));
  let head = byRule.get(rule);
  if (!head) byRule.set(rule, (head = makeHead(program, rule)));
  return head;
}

function makeHead({ policy, key, source }: HeadSource, rule: string): ResultHead {
  const annotations = policy.metadata.annotations ?? {};
  const category = annotations['policies.kyverno.io/category'];
  const severity = annotations['policies.kyverno.io/severity'];
  return {
    source,
    policy: key,
    rule,
    ...(category === undefined || category === '' ? {} : { category: cutBytes(category, maxPropertyBytes) }),
    ...(severity !== undefined && severities.has(severity) ? { severity } : {}),
    scored: annotations['policies.kyverno.io/scored'] !== 'false',
  };
}

/** A resource as reports refer to it. */
export interface ResourceReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
}

export function referenceTo({ apiVersion, kind, metadata }: KubeObject): ResourceReference {
  const { namespace, name = '', uid } = metadata;
  return {
    apiVersion,
    kind,
    ...(namespace ? { namespace } : {}),
    name,
    ...(uid ? { uid } : {}),
  };
}

function cutBytes(text: string, max: number): string {
  if (text.length * 3 <= max || Buffer.byteLength(text) <= max) return text;
  const bytes = Buffer.from(text).subarray(0, max - 3);
  return `${bytes.toString().replace(/\uFFFD+$/, '')}…`;
}
