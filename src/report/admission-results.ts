import type { Clock } from '../base/index.ts';
import { compareResourceVersions } from '../kube/index.ts';
import type { GroupVersionKind, KubeObject } from '../object/index.ts';
import type { PolicyProgram, PolicyRequest, RuleResult } from '../policy/index.ts';
import type { LivePolicies } from '../runtime/index.ts';
import { hashBody } from './body-hash.ts';
import type { KindWatch, SeenObject } from './kind-watch.ts';
import { contentOf, type ResourceReference, type ResultContent, referenceTo } from './result.ts';
import type { ResultIndex } from './result-index.ts';
import type { ScanState } from './scan-state.ts';
import { type IsExcluded, isReportable, kindPolicyFor, programFor, sourceOf } from './scope.ts';
import { isSameHash, type TextHash } from './text-hash.ts';

/** The policy results of an admission request; the application's wiring delivers it. Only the results are kept. */
export interface AdmissionRecord {
  readonly request: PolicyRequest;
  readonly results: readonly RuleResult[];
  /** A denied request leaves nothing to report on. */
  readonly isBlocked: boolean;
}

type OwnedObject = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;

/** The results that count for reports, as data that can be stored and sent. */
export interface AdmittedResults {
  readonly uid: string;
  readonly group: string;
  readonly kind: string;
  readonly key: string;
  /** Hash of the object as it was evaluated. */
  readonly body: TextHash;
  /** The version that the request replaces; empty for a new object, absent if the request did not tell. */
  readonly replaces?: string | undefined;
  readonly contents: readonly ResultContent[];
  /** What is known of the object's controller. */
  readonly owned?: OwnedObject | undefined;
}

/** Undefined for a request that leaves nothing to report on. */
export function admittedResults(record: AdmissionRecord, isExcluded: IsExcluded): AdmittedResults | undefined {
  const { object, oldObject, kind, operation, subresource, dryRun } = record.request;
  const uid = object?.metadata.uid;
  if (record.isBlocked || !object || !uid || dryRun || operation === 'DELETE' || subresource !== '') return undefined;
  const { namespace = '', name = '' } = object.metadata;
  if (!isReportable(kind) || isExcluded(kind, namespace, name)) return undefined;
  const contents = record.results.filter((result) => counts(result, kind)).map(admitted);
  if (contents.length === 0) return undefined;
  const key = namespace === '' ? name : `${namespace}/${name}`;
  const replaces = operation === 'CREATE' ? '' : oldObject?.metadata.resourceVersion;
  return {
    uid,
    group: kind.group,
    kind: kind.kind,
    key,
    body: hashBody(object),
    replaces,
    contents,
    ...ownedOf(object),
  };
}

function ownedOf({ apiVersion, kind, metadata: { namespace, ownerReferences } }: KubeObject): { owned?: OwnedObject } {
  if (!ownerReferences?.length) return {};
  return { owned: { apiVersion, kind, metadata: { ...(namespace ? { namespace } : {}), ownerReferences } } };
}

interface WaitingResults {
  readonly body: TextHash;
  readonly replaces: string | undefined;
  readonly contents: readonly ResultContent[];
  readonly expiresMs: number;
}

interface AdmissionResultsOptions {
  readonly policies: LivePolicies;
  readonly index: ResultIndex;
  readonly state: Pick<ScanState, 'watches' | 'controllers'>;
  readonly clock: Clock;
}

const maxWaiting = 5_000;
const storedWithinMs = 60_000;

/**
 * Results that only admission can give: those of policies that are not scanned. They count once the object is observed
 * in the form that was evaluated, so that a request denied later leaves nothing behind.
 */
export class AdmissionResults {
  /** By uid, oldest first. */
  private readonly waiting = new Map<string, WaitingResults>();
  /** By uid: results read back from reports, until the object is observed for the first time. */
  private readonly restored = new Map<string, readonly ResultContent[]>();

  constructor(private readonly options: AdmissionResultsOptions) {}

  take(admitted: AdmittedResults): void {
    const { uid, kind, group, key, body, replaces } = admitted;
    const contents = this.withoutOwned(admitted);
    if (contents.length === 0) return;
    const before = this.waiting.get(uid);
    if (before && isOlder(replaces, before.replaces)) return;
    // Results of Enforce and Audit policies may arrive one after the other.
    const together = before && isSameHash(before.body, body) ? merge(before.contents, contents) : contents;
    this.put(uid, { body, replaces, contents: together, expiresMs: this.options.clock.monotonicMs() + storedWithinMs });
    for (const watch of this.options.state.watches.values())
      if (watch.type.kind === kind && watch.type.group === group) this.seen(watch, key);
  }

  /** Whether results of this object still wait to be seen stored. */
  isWaitingFor(uid: string): boolean {
    return (this.waiting.get(uid)?.expiresMs ?? Number.NEGATIVE_INFINITY) > this.options.clock.monotonicMs();
  }

  /** Restores a result of an earlier run; it counts if its resource still exists. */
  restore(resource: ResourceReference, content: ResultContent): void {
    if (resource.uid) this.restored.set(resource.uid, merge(this.restored.get(resource.uid) ?? [], [content]));
  }

  /** Called when an object appeared or changed. */
  seen(watch: KindWatch, key: string): void {
    const seen = watch.informer.get(key);
    if (!seen) return;
    const waiting = this.waiting.get(seen.uid);
    const isStored = waiting !== undefined && isSameHash(waiting.body, seen.body);
    const known = merge(this.restored.get(seen.uid) ?? [], isStored ? waiting.contents : []);
    const contents = known.filter(({ head }) => this.isStillReported(watch, head.policy, head.rule));
    this.restored.delete(seen.uid);
    if (isStored || (waiting && isOvertaken(waiting, seen))) this.waiting.delete(seen.uid);
    if (contents.length === 0) return;
    const policies = new Set(contents.map(({ head }) => head.policy));
    const { index, clock } = this.options;
    let resource = watch.resources.get(seen.uid);
    if (!resource) watch.resources.set(seen.uid, (resource = index.addResource(referenceOf(watch, key, seen.uid))));
    index.put(resource, { isInScope: (policy) => policies.has(policy), contents, sinceMs: clock.monotonicMs() });
  }

  /** Only the leader knows the controllers of controllers. */
  private withoutOwned({ contents, owned, group, kind }: AdmittedResults): readonly ResultContent[] {
    const controllers = owned ? (this.options.state.controllers?.of(owned) ?? []) : [];
    if (controllers.length === 0) return contents;
    return contents.filter(({ head }) => {
      const program = this.options.policies.current.get(head.policy);
      const version = owned?.apiVersion.split('/').at(-1) ?? '';
      const kindPolicy = program && kindPolicyFor(program, { group, version, kind });
      return kindPolicy && hasRule(programFor(kindPolicy, controllers), head.rule);
    });
  }

  private isStillReported(watch: KindWatch, policy: string, rule: string): boolean {
    const program = this.options.policies.current.get(policy);
    if (!program || sourceOf(program) !== 'admission') return false;
    return hasRule(kindPolicyFor(program, watch.type)?.whole, rule);
  }

  private put(uid: string, waiting: WaitingResults): void {
    this.waiting.delete(uid);
    this.waiting.set(uid, waiting);
    const nowMs = this.options.clock.monotonicMs();
    for (const [oldest, { expiresMs }] of this.waiting) {
      if (expiresMs > nowMs && this.waiting.size <= maxWaiting) break;
      this.waiting.delete(oldest);
    }
  }
}

/**
 * Whether what was evaluated will not be seen any more, as it can be stored only in the place of the version that the
 * request replaced: the request was refused later, or the object has been changed since.
 */
function isOvertaken({ replaces }: WaitingResults, { version }: SeenObject): boolean {
  if (replaces === undefined) return false;
  return replaces === '' || (compareResourceVersions(version, replaces) ?? 0) > 0;
}

/** Outboxes may deliver an older request after a newer one. */
const isOlder = (replaces: string | undefined, before: string | undefined) =>
  (replaces === '' && !!before) || (compareResourceVersions(replaces ?? '', before ?? '') ?? 0) < 0;

function counts({ policy, rule }: RuleResult, kind: GroupVersionKind): boolean {
  if (sourceOf(policy) !== 'admission') return false;
  return hasRule(kindPolicyFor(policy, kind)?.whole, rule.name);
}

/** A policy of expressions gives one result, whatever that is called. */
function hasRule(program: PolicyProgram | undefined, rule: string): boolean {
  return program !== undefined && (program.form === 'cel' || program.rules.some(({ name }) => name === rule));
}

const admitted = (result: RuleResult) => contentOf(result, 'admission');

/** By its key, which begins with the kind for all others. */
const isOfRules = (policy: string) => !/^[A-Z]/.test(policy);

function merge(before: readonly ResultContent[], after: readonly ResultContent[]): readonly ResultContent[] {
  const idOf = ({ head }: ResultContent) => (isOfRules(head.policy) ? `${head.policy} ${head.rule}` : head.policy);
  return [...new Map([...before, ...after].map((content) => [idOf(content), content])).values()];
}

function referenceOf({ type }: KindWatch, key: string, uid: string): ResourceReference {
  const [first = '', second] = key.split('/');
  const metadata = second === undefined ? { name: first, uid } : { namespace: first, name: second, uid };
  const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`;
  return referenceTo({ apiVersion, kind: type.kind, metadata });
}
