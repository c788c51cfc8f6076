import { renderYaml } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import {
  compilePolicy,
  createEvaluation,
  type LookUpAnswer,
  lookUpKey,
  newRequestBudget,
  type PolicyOperation,
  type PolicyProgram,
  type PolicyRequest,
} from '../policy/index.ts';
import type { ServedKind } from './kinds.ts';
import { compareOutcomes, type Outcome, outcomeOf } from './outcome.ts';
import type { ConvertedRule } from './policy.ts';
import { answerFrom, type ClusterObject } from './sample-cluster.ts';
import { sampleMaker, seededRandom, withKeys } from './samples.ts';

/** An object on which a rule and its conversion do not agree. */
interface Difference {
  readonly object: KubeObject;
  readonly classic: Outcome;
  readonly converted: Outcome;
}

interface Comparison {
  /** `no object` where the rule did nothing with any object. */
  readonly difference?: Difference | 'no object';
  /** What they do not agree on where it has no meaning. */
  readonly notes: readonly string[];
}

const ofApps = (kind: string): ServedKind => ({
  group: 'apps',
  version: 'v1',
  kind,
  resource: `${kind.toLowerCase()}s`,
  namespaced: true,
});
/** The workloads that have the sample as their Pod. */
const deployment = ofApps('Deployment');
const cronJob: ServedKind = { ...ofApps('CronJob'), group: 'batch' };

/** Tries a rule and its conversion on objects made for what the rule reads. The classic program has this rule alone. */
export function findDifference(
  classic: PolicyProgram,
  converted: ConvertedRule,
  options: { readonly samples: number; readonly seed: number },
): Comparison {
  const programs = [converted.policy, ...converted.derived].flatMap((policy) => compilePolicy(policy).program ?? []);
  const random = seededRandom(options.seed);
  const trial = new Trial(classic, programs, converted);
  for (const kind of converted.kinds) {
    const make = sampleMaker(kind, converted.touched.all, random, { hasOthers: converted.phase === 'mutate' });
    const makeCluster = clusterMaker(converted, random);
    const mostTried = converted.phase === 'validate' ? options.samples : options.samples * 8;
    let acted = 0;
    for (let i = 0; i < mostTried; i++) {
      // What the rule leaves alone shows little.
      if (i >= options.samples && acted * 4 >= options.samples) break;
      const made = make();
      const object = converted.phase === 'validate' ? made : withKeys(made, kind);
      const request = requestFor(converted, random);
      const difference = trial.compare(object, kind, request, makeCluster(object));
      if (difference) return { difference, notes: [] };
      if (trial.hasActed) acted++;
    }
    if (acted === 0 && converted.phase !== 'validate') return { difference: 'no object', notes: [] };
  }
  return { notes: trial.notes };
}

type RequestPart = Pick<PolicyRequest, 'operation' | 'info'>;

/** Creations if the rule is for them: updates of what broke a rule before are another matter. */
function requestFor({ operations, touched }: ConvertedRule, random: () => number): RequestPart {
  const pick = (names: readonly string[]) => names[Math.floor(random() * names.length)] ?? '';
  const operation = operations.includes('CREATE') || operations.includes('*') ? 'CREATE' : operations[0];
  const userInfo = { username: pick(['alice', ...touched.users]), groups: [pick(['all', ...touched.groups])] };
  return { operation: operation as PolicyOperation, info: { userInfo, roles: [], clusterRoles: [] } };
}

/** Makes what the rule reads from the cluster or changes there; some of it is not there. */
function clusterMaker({ sources = [], targets }: ConvertedRule, random: () => number) {
  const makeTarget = targets && sampleMaker(targets.kind, targets.touched.all, random, { hasOthers: true });
  return (trigger: KubeObject): readonly ClusterObject[] => {
    const cluster: ClusterObject[] = [];
    for (const { kind, namespace, name, labels } of sources) {
      if (random() < 0.2) continue;
      const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
      const own = (text: string) => (text.includes('{{') ? (trigger.metadata.name ?? '') : text);
      const metadata = { name: own(name), ...(kind.namespaced ? { namespace: own(namespace) } : {}), labels, uid: 'u' };
      cluster.push({ kind, object: { apiVersion, kind: kind.kind, metadata, data: { a: 'Yg==' } } as KubeObject });
    }
    if (!makeTarget || !targets) return cluster;
    for (let i = 0; i < 3; i++) {
      const object = withKeys(makeTarget(), targets.kind);
      if (cluster.some((one) => keyOf(one.object) === keyOf(object))) continue;
      cluster.push({ kind: targets.kind, object });
    }
    return cluster;
  };
}

const keyOf = ({ metadata }: KubeObject) => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;

class Trial {
  readonly notes: string[] = [];
  /** Whether the rule has changed or made anything for the last object. */
  hasActed = false;

  constructor(
    private readonly classic: PolicyProgram,
    private readonly converted: readonly PolicyProgram[],
    private readonly rule: ConvertedRule,
  ) {}

  /** On the object, and for a Pod on workloads that make it. */
  compare(object: KubeObject, kind: ServedKind, part: RequestPart, cluster: readonly ClusterObject[]) {
    this.hasActed = false;
    const own = this.compareOn(object, kind, part, cluster);
    if (own || kind.kind !== 'Pod' || kind.group !== '') return own;
    const { metadata, spec } = object as KubeObject & { readonly spec?: object };
    const { name: _, namespace, ...labels } = metadata;
    const template = { metadata: labels, spec };
    const workload = (of: ServedKind, body: object) =>
      ({
        apiVersion: `${of.group}/v1`,
        kind: of.kind,
        metadata: { name: 'sample', ...(namespace ? { namespace } : {}) },
        spec: body,
      }) as KubeObject;
    const first = this.compareOn(workload(deployment, { selector: {}, template }), deployment, part, cluster);
    if (first || this.rule.phase === 'validate') return first;
    return this.compareOn(workload(cronJob, { jobTemplate: { spec: { template } } }), cronJob, part, cluster);
  }

  private compareOn(
    object: KubeObject,
    kind: ServedKind,
    part: RequestPart,
    cluster: readonly ClusterObject[],
  ): Difference | undefined {
    const { phase } = this.rule;
    const classic = this.run([this.classic], object, kind, part, cluster);
    const converted = this.run(this.converted, object, kind, part, cluster);
    if (typeof classic !== 'string' && (phase === 'generate' || classic[0] !== object || classic.length > 1))
      this.hasActed = true;
    const equality = compareOutcomes(classic, converted, phase === 'mutate' ? kind : undefined);
    if (equality === 'different') return { object, classic, converted };
    if (equality === 'reordered' && this.notes.length === 0) this.notes.push(reordered);
    return undefined;
  }

  private run(
    programs: readonly PolicyProgram[],
    object: KubeObject,
    kind: ServedKind,
    part: RequestPart,
    cluster: readonly ClusterObject[],
  ): Outcome {
    const { operation } = part;
    const request: PolicyRequest = {
      ...part,
      kind,
      subresource: '',
      object: operation === 'DELETE' ? undefined : object,
      ...(operation === 'CREATE' ? {} : { oldObject: object }),
      namespaceLabels: {},
      uid: 'sample',
      now: 0,
    };
    const evaluation = createEvaluation(programs, request, { phase: this.rule.phase, budget: newRequestBudget() });
    const known = new Map<string, LookUpAnswer>();
    for (let asked = evaluation.advance(known); asked.length > 0; asked = evaluation.advance(known))
      for (const lookUp of asked) known.set(lookUpKey(lookUp), answerFrom(cluster, lookUp));
    return outcomeOf(evaluation, this.rule.phase);
  }
}

const reordered =
  'elements of lists with names keep their places; the rule moves those that it changes to the front, which means nothing';

export function renderDifference(difference: Difference | 'no object'): string {
  if (difference === 'no object') return 'no object was found for which the rule does anything';
  const { object, classic, converted } = difference;
  const isShort = [classic, converted].every((one) => typeof one === 'string');
  if (isShort) return `the rule and its conversion differ (${classic}, ${converted}) on:\n${renderYaml(object)}`;
  const render = (one: Outcome) => (typeof one === 'string' ? `${one}\n` : renderYaml(one));
  return `the rule and its conversion differ on:\n${renderYaml(object)}the rule gives:\n${render(classic)}its conversion gives:\n${render(converted)}`;
}
