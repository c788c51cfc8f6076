import { type GroupVersionKind, gvkOf, renderGvk } from '../object/index.ts';
import type { Phase, PolicyProgram, RuleProgram } from '../policy/index.ts';

/** Rules of these phases have results in reports. The others act, and the objects they write show what they did. */
export const reportedPhases: readonly Phase[] = ['validate', 'verifyImages'];

/**
 * Where a policy's results come from: scans, admission alone (`background: false`, or a rule reads the user), or
 * nowhere (no rule of a reported phase).
 */
type ResultSource = 'scan' | 'admission' | 'none';

const sources = new WeakMap<PolicyProgram, ResultSource>();

export function sourceOf(program: PolicyProgram): ResultSource {
  let source = sources.get(program);
  if (source === undefined) {
    source = findSource(program);
    sources.set(program, source);
  }
  return source;
}

function findSource({ settings, rules }: PolicyProgram): ResultSource {
  const reported = rules.filter(({ phase }) => reportedPhases.includes(phase));
  if (reported.length === 0) return 'none';
  if (!settings.background) return settings.admission ? 'admission' : 'none';
  return reported.some(({ reads }) => reads.namedUser) ? 'admission' : 'scan';
}

/** A policy reduced to the rules that can match a kind. */
export interface KindPolicy {
  readonly program: PolicyProgram;
  /** For objects without controllers. */
  readonly whole: PolicyProgram;
  /** For objects with controllers, by the kinds of these; filled on demand. */
  readonly owned: Map<string, PolicyProgram | undefined>;
  readonly readsStatus: boolean;
  readonly readsNamespaceLabels: boolean;
}

const kindPolicies = new WeakMap<PolicyProgram, Map<string, KindPolicy | undefined>>();

/** Undefined when no rule of the policy can match such objects. */
export function kindPolicyFor(program: PolicyProgram, kind: GroupVersionKind): KindPolicy | undefined {
  const id = `${kind.group}/${kind.version}/${kind.kind}`;
  let byKind = kindPolicies.get(program);
  if (!byKind) kindPolicies.set(program, (byKind = new Map()));
  if (!byKind.has(id)) byKind.set(id, createKindPolicy(program, kind));
  return byKind.get(id);
}

function createKindPolicy(program: PolicyProgram, kind: GroupVersionKind): KindPolicy | undefined {
  const rules = program.rules.filter((rule) => reportedPhases.includes(rule.phase) && rule.mayMatchKind(kind, ''));
  if (rules.length === 0) return undefined;
  return {
    program,
    whole: { ...program, rules },
    owned: new Map(),
    readsStatus: rules.some(({ reads }) => reads.status),
    readsNamespaceLabels: rules.some(({ reads }) => reads.namespaceLabels),
  };
}

/**
 * The part of the policy to run on an object with these controllers, each of which is reported on itself. A Pod of a
 * Deployment is not reported where the policy derives the same rule for Deployments. Decided per rule: one may be
 * derived for CronJobs only, and another for nothing.
 */
export function programFor(
  { program, whole, owned }: KindPolicy,
  controllers: readonly ControllerReference[],
): PolicyProgram | undefined {
  if (controllers.length === 0) return whole;
  const kinds = controllers.map((controller) => gvkOf(controller));
  const id = renderControllers(controllers);
  if (!owned.has(id)) {
    const isLeftToController = ({ origin }: RuleProgram) =>
      program.rules.some(
        (rule) => rule.isDerived && rule.origin === origin && kinds.some((kind) => rule.mayMatchKind(kind, '')),
      );
    const rules = whole.rules.filter((rule) => !isLeftToController(rule));
    owned.set(id, rules.length === whole.rules.length ? whole : rules.length > 0 ? { ...program, rules } : undefined);
  }
  return owned.get(id);
}

/** All that results depend on. */
export function renderControllers(controllers: readonly ControllerReference[]): string {
  return controllers.map((controller) => renderGvk(gvkOf(controller))).join(' ');
}

/** One of the controllers that an object descends from. */
export interface ControllerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** Never reported on: report kinds and events. */
export function isReportable({ group, kind }: GroupVersionKind): boolean {
  if (kind === 'Event' && (group === '' || group === 'events.k8s.io')) return false;
  return !['wgpolicyk8s.io', 'openreports.io', 'reports.kyverno.io'].includes(group);
}

/** True for resources that the configuration excludes, for admission and reports alike. */
export type IsExcluded = (kind: GroupVersionKind, namespace: string, name: string) => boolean;
