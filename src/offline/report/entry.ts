import type { KubeObject } from '../../object/index.ts';
import type { FailureAction } from '../../policy/index.ts';
import type { EvaluatedResource } from '../apply.ts';
import type { RuleResponse } from '../evaluator.ts';

export const statuses = ['pass', 'fail', 'warn', 'error', 'skip'] as const;
export type ReportedStatus = (typeof statuses)[number];
export type Summary = Readonly<Record<ReportedStatus, number>>;

/** The result of a rule on a resource, in report terms. */
export interface ReportEntry {
  readonly source: string;
  readonly policy: string;
  readonly rule: string;
  readonly resource: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
  };
  readonly result: ReportedStatus;
  readonly message: string;
  readonly action: FailureAction;
  readonly scored: boolean;
  readonly path?: string;
  readonly category?: string;
  readonly severity?: string;
  readonly exceptions?: readonly string[];
  readonly properties?: Readonly<Record<string, string>>;
  /** Mutate rules: the resource after the rule. */
  readonly mutated?: KubeObject;
  /** Mutate-existing rules: the targets after the rule. */
  readonly targets?: readonly KubeObject[];
  /** Generate rules: the objects to generate. */
  readonly generated?: readonly KubeObject[];
  readonly file: string;
  /** Where the resource begins; undefined if it is in no file. */
  readonly line?: number;
  /** The line of the field that decided, if requested. */
  readonly fieldLine?: number;
  readonly title?: string;
  readonly description?: string;
}

const severities = new Set(['critical', 'high', 'medium', 'low', 'info']);

export interface EntryOptions {
  /** Failures of Audit rules become warnings. */
  readonly auditWarn: boolean;
  /** Adds the line of the field and the description of the policy, for formats that annotate files. */
  readonly isDetailed?: boolean | undefined;
}

/** One rule response of an engine response. */
export function entryOf(
  { result }: RuleResponse,
  { response, file, line, lineAt }: EvaluatedResource,
  { auditWarn, isDetailed = false }: EntryOptions,
): ReportEntry {
  const { resource, namespaceLabels } = response;
  const annotations = result.policy.policy.metadata.annotations ?? {};
  const action = result.rule.failureAction(namespaceOf(resource), namespaceLabels);
  const scored = annotations['policies.kyverno.io/scored'] !== 'false';
  const isWarning = result.status === 'fail' && (!scored || (auditWarn && action === 'Audit'));
  const severity = annotations['policies.kyverno.io/severity'];
  const category = annotations['policies.kyverno.io/category'];
  const title = annotations['policies.kyverno.io/title'];
  const description = annotations['policies.kyverno.io/description'];
  const { namespace, name = resource.metadata.generateName ?? '' } = resource.metadata;
  return {
    source: result.policy.source,
    policy: result.policy.name,
    rule: result.ruleName ?? result.rule.name,
    resource: { apiVersion: resource.apiVersion, kind: resource.kind, ...(namespace ? { namespace } : {}), name },
    result: isWarning ? 'warn' : result.status,
    message: result.message,
    action,
    scored,
    ...(result.path === undefined ? {} : { path: result.path }),
    ...(category === undefined ? {} : { category }),
    ...(title === undefined ? {} : { title }),
    ...(isDetailed && description !== undefined ? { description } : {}),
    ...(severity !== undefined && severities.has(severity) ? { severity } : {}),
    ...(result.exceptions?.length ? { exceptions: result.exceptions } : {}),
    ...(result.properties ? { properties: result.properties } : {}),
    ...(result.patched && result.status === 'pass' && !result.targets ? { mutated: result.patched } : {}),
    ...(result.targets?.length ? { targets: result.targets } : {}),
    ...(result.generated?.length ? { generated: result.generated } : {}),
    file,
    ...(line > 0 ? { line } : {}),
    ...(isDetailed && lineAt && result.status !== 'pass' ? { fieldLine: lineAt(result.path ?? '') } : {}),
  };
}

const namespaceOf = ({ kind, metadata }: KubeObject) =>
  (kind === 'Namespace' ? metadata.name : metadata.namespace) ?? '';

/** True if admission would have denied the object because of this result. */
export const isBlocking = ({ result, action }: ReportEntry) =>
  action === 'Enforce' && (result === 'fail' || result === 'error');

export const entryResource = ({ resource: { kind, namespace, name } }: ReportEntry) =>
  namespace ? `${kind}/${namespace}/${name}` : `${kind}/${name}`;
