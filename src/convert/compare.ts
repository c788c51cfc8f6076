import { renderYaml } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import {
  compilePolicy,
  createEvaluation,
  newRequestBudget,
  type PolicyOperation,
  type PolicyProgram,
  type PolicyRequest,
} from '../policy/index.ts';
import type { ServedKind } from './kinds.ts';
import type { ConvertedRule } from './policy.ts';
import { sampleMaker, seededRandom } from './samples.ts';

/** An object on which a rule and its conversion do not agree. */
interface Difference {
  readonly object: KubeObject;
  readonly classic: Verdict;
  readonly converted: Verdict;
}

type Verdict = 'blocked' | 'allowed';

/** The workload that has the sample as its Pod. */
const deployment: ServedKind = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  resource: 'deployments',
  namespaced: true,
};

/**
 * Tries a rule and its conversion on objects made for what the rule reads. Undefined when they agree on all of them.
 * The classic program has this rule alone.
 */
export function findDifference(
  classic: PolicyProgram,
  converted: ConvertedRule,
  options: { readonly samples: number; readonly seed: number },
): Difference | undefined {
  const { program } = compilePolicy(converted.policy);
  if (program === undefined) return undefined;
  const random = seededRandom(options.seed);
  for (const kind of converted.kinds) {
    const make = sampleMaker(kind, converted.touched.all, random);
    for (let i = 0; i < options.samples; i++) {
      const object = make();
      const request = requestFor(converted, random);
      const both = { classic, converted: program, request };
      const difference = compareOn(both, object, kind) ?? compareDerived(both, object, kind);
      if (difference) return difference;
    }
  }
  return undefined;
}

type RequestPart = Pick<PolicyRequest, 'operation' | 'info'>;

interface Both {
  readonly classic: PolicyProgram;
  readonly converted: PolicyProgram;
  readonly request: RequestPart;
}

/** Creations if the rule is for them: updates of what broke a rule before are another matter. */
function requestFor({ operations, touched }: ConvertedRule, random: () => number): RequestPart {
  const pick = (names: readonly string[]) => names[Math.floor(random() * names.length)] ?? '';
  const operation = operations.includes('CREATE') || operations.includes('*') ? 'CREATE' : operations[0];
  const userInfo = { username: pick(['alice', ...touched.users]), groups: [pick(['all', ...touched.groups])] };
  return { operation: operation as PolicyOperation, info: { userInfo, roles: [], clusterRoles: [] } };
}

function compareDerived(both: Both, pod: KubeObject, { kind, group }: ServedKind) {
  if (kind !== 'Pod' || group !== '') return undefined;
  const { metadata, spec } = pod as KubeObject & { readonly spec?: object };
  const { name: _, namespace, ...template } = metadata;
  const workload = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'sample', ...(namespace ? { namespace } : {}) },
    spec: { selector: {}, template: { metadata: template, spec } },
  } as KubeObject;
  return compareOn(both, workload, deployment);
}

function compareOn(
  { classic, converted, request }: Both,
  object: KubeObject,
  kind: ServedKind,
): Difference | undefined {
  const [a, b] = [classic, converted].map((program) => verdictOf(program, object, kind, request)) as [Verdict, Verdict];
  return a === b ? undefined : { object, classic: a, converted: b };
}

function verdictOf(program: PolicyProgram, object: KubeObject, kind: ServedKind, part: RequestPart): Verdict {
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
  const evaluation = createEvaluation([program], request, { phase: 'validate', budget: newRequestBudget() });
  evaluation.advance(new Map());
  return evaluation.results.some(({ status }) => status === 'fail' || status === 'error') ? 'blocked' : 'allowed';
}

export const renderDifference = ({ object, classic, converted }: Difference) =>
  `the rule and its conversion differ (${classic}, ${converted}) on:\n${renderYaml(object)}`;
