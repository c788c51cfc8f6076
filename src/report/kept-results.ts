import { renderGvr } from '../object/index.ts';
import type { ExceptionProgram, PolicyProgram } from '../policy/index.ts';
import type { LivePolicies } from '../runtime/index.ts';
import { type Checkpoint, CheckpointBuilder, type CheckpointFacts, digestOf } from './checkpoint.ts';
import type { ScannedObject } from './evaluate-object.ts';
import type { KindWatch, SeenObject } from './kind-watch.ts';
import type { ResultContent } from './result.ts';
import type { ResultIndex } from './result-index.ts';
import { renderControllers, sourceOf } from './scope.ts';

/** The revision of a policy. */
function policyDigest({ policy: { apiVersion, kind, metadata, spec } }: PolicyProgram): string {
  const { name, namespace, labels, annotations } = metadata;
  return digestOf([apiVersion, kind, name, namespace, labels, annotations, spec]);
}

/** Of all of them: which policies an exception is for, patterns may say. */
const exceptionsDigest = (exceptions: readonly ExceptionProgram[]) =>
  digestOf(
    exceptions
      .map(({ exception: { metadata, ...rest } }) => digestOf([metadata.namespace, metadata.name, rest]))
      .sort(),
  );

/** The results of a checkpoint, for objects and policies that are as they were. */
export class KeptResults {
  private readonly covered = new WeakMap<PolicyProgram, boolean>();
  private compared: readonly ExceptionProgram[] | undefined;
  private hasSameExceptions = false;

  constructor(
    private readonly checkpoint: Checkpoint,
    private readonly policies: LivePolicies,
  ) {}

  /** When the results that it holds were last found all anew. */
  get scannedSeconds(): number {
    return this.checkpoint.facts.scannedSeconds;
  }

  /** The reports as they were then. */
  get reports(): CheckpointFacts['reports'] {
    return this.checkpoint.facts.reports;
  }

  /** By policy; only those of covered policies count. Undefined if the object, or what it is judged by, is another. */
  of(
    { type }: KindWatch,
    { object, namespaceLabels, controllers }: ScannedObject,
    seen: SeenObject | undefined,
  ): ReadonlyMap<string, readonly ResultContent[]> | undefined {
    const { uid, resourceVersion, namespace = '' } = object.metadata;
    if (!seen || seen.uid !== uid || seen.version !== resourceVersion || !this.areExceptionsTheSame()) return undefined;
    if (this.checkpoint.facts.namespaces[namespace] !== JSON.stringify(namespaceLabels)) return undefined;
    return this.checkpoint.resultsOf(renderGvr(type), { ...seen, controllers: renderControllers(controllers) });
  }

  covers(program: PolicyProgram): boolean {
    let isCovered = this.covered.get(program);
    if (isCovered === undefined) {
      isCovered = sourceOf(program) === 'scan' && this.checkpoint.facts.policies[program.key] === policyDigest(program);
      this.covered.set(program, isCovered);
    }
    return isCovered;
  }

  private areExceptionsTheSame(): boolean {
    const { exceptions } = this.policies.current;
    if (this.compared !== exceptions) {
      this.compared = exceptions;
      this.hasSameExceptions = exceptionsDigest(exceptions) === this.checkpoint.facts.exceptions;
    }
    return this.hasSameExceptions;
  }
}

interface CheckpointSource {
  readonly policies: LivePolicies;
  readonly watches: Iterable<KindWatch>;
  readonly index: ResultIndex;
  /** A policy whose rules looked something up: its results follow from more than what a checkpoint holds. */
  readonly hasLookedUp: (policy: string) => boolean;
  readonly namespaceLabels: (namespace: string) => Readonly<Record<string, string>>;
  readonly reports: CheckpointFacts['reports'];
  readonly program: string;
  readonly scannedSeconds: number;
}

/** Must be called only while nothing waits for evaluation: all results are of the objects as they were seen last. */
export function takeCheckpoint(source: CheckpointSource): Buffer {
  const { policies, watches, index, hasLookedUp, namespaceLabels, reports, program, scannedSeconds } = source;
  const { programs, exceptions } = policies.current;
  const kept = programs.filter((one) => sourceOf(one) === 'scan' && !hasLookedUp(one.key));
  const digests = Object.fromEntries(kept.map((one) => [one.key, policyDigest(one)]));
  const keys = new Set(Object.keys(digests));
  const namespaces: Record<string, string> = Object.create(null);
  const builder = new CheckpointBuilder();
  for (const { type, informer, resources, isComplete, failure } of watches) {
    if (!isComplete || failure) continue;
    builder.beginKind(renderGvr(type));
    for (const [uid, resource] of resources) {
      const { namespace = '', name } = resource.reference;
      const seen = informer.get(namespace === '' ? name : `${namespace}/${name}`);
      if (seen?.uid !== uid || resource.controllers === undefined) continue;
      namespaces[namespace] ??= JSON.stringify(namespaceLabels(namespace));
      builder.beginObject({ ...seen, controllers: resource.controllers });
      for (const { head, ...content } of index.scannedResultsOf(resource))
        if (keys.has(head.policy)) builder.addResult(head, content);
    }
  }
  return builder.finish({
    program,
    scannedSeconds,
    reports,
    policies: digests,
    exceptions: exceptionsDigest(exceptions),
    namespaces,
  });
}
