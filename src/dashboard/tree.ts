import { parsePolicyKey } from '../runtime/index.ts';
import { itemsOf } from './bag.ts';
import type { Cargo } from './cargo.ts';
import type { JobFact, ResultFact } from './facts.ts';
import { rootOf } from './image-row.ts';

/** What belongs to an object, as a tree. */
export interface TreeNode {
  readonly text: string;
  readonly state: 'yes' | 'no' | 'off' | 'note';
  readonly children: readonly TreeNode[];
}

const note = (text: string, children: readonly TreeNode[] = []): TreeNode => ({ text, state: 'note', children });
const maxChildren = 50;

const some = (children: readonly TreeNode[]): readonly TreeNode[] =>
  children.length <= maxChildren
    ? children
    : [...children.slice(0, maxChildren), note(`… ${children.length - maxChildren} more`)];

/** Kinds may be written in any case and in the plural, as kubectl takes them. */
const isKind = (given: string, kind: string) => {
  const [one, other] = [given.toLowerCase(), kind.toLowerCase()];
  return shortNames[one] === other || one === other || one === `${other}s` || one === other.replace(/y$/, 'ies');
};

const shortNames: Readonly<Record<string, string>> = {
  deploy: 'deployment',
  sts: 'statefulset',
  ds: 'daemonset',
  cj: 'cronjob',
  po: 'pod',
  irp: 'imageresourcepolicy',
  cpol: 'clusterpolicy',
  pol: 'policy',
  gpol: 'generatingpolicy',
  ngpol: 'namespacedgeneratingpolicy',
};

/** Undefined for an object that is not known. */
export function treeOf(cargo: Cargo, kind: string, namespace: string, name: string): TreeNode | undefined {
  const policy = cargo.scanPolicies.get(`${namespace}/${name}`);
  if (policy && isKind(kind, 'ImageResourcePolicy')) return policyTree(cargo, namespace, name);
  if (isKind(kind, 'Pod')) {
    const pod = cargo.pods.get(`${namespace}/${name}`);
    if (!pod) return undefined;
    const images = pod.images.map(({ container, source, image }) => imageNode(cargo, container, source, image));
    return note(`Pod ${namespace}/${name}`, [...images, ...resultNodes(cargo.resultsOf('Pod', namespace, name))]);
  }
  const generating = generatingTree(cargo, kind, namespace, name);
  if (generating) return generating;
  const job = cargo.jobs.get(`${namespace}/${name}`);
  if (job && isKind(kind, 'Job')) return jobTree(cargo, job);
  for (const workload of cargo.workloads.values())
    if (workload.namespace === namespace && workload.name === name && isKind(kind, workload.kind))
      return workloadTree(cargo, workload.kind, namespace, name);
  return undefined;
}

/** A policy with the Jobs that it made, and what is wrong with it; undefined if there is neither. */
function generatingTree(cargo: Cargo, kind: string, namespace: string, name: string): TreeNode | undefined {
  const policyOf = ({ madeBy }: JobFact) => parsePolicyKey(madeBy.slice(0, madeBy.lastIndexOf('/')));
  const isThis = (of: string, within: string | undefined, called: string) =>
    isKind(kind, of) && called === name && (within ?? '') === (isNamespaced(of) ? namespace : '');
  const made = [...cargo.jobs.values()].filter((job) => {
    const policy = policyOf(job);
    return policy !== undefined && isThis(policy.type.kind, policy.namespace, policy.name);
  });
  const problems = [...cargo.policies.values()].filter((policy) => isThis(policy.kind, policy.namespace, policy.name));
  const known = (made[0] && policyOf(made[0])?.type.kind) ?? problems[0]?.kind;
  if (known === undefined) return undefined;
  return note(`${known} ${isNamespaced(known) ? `${namespace}/` : ''}${name}`, [
    ...problems.map(
      ({ problem, message }): TreeNode => ({ state: 'no', text: `${problem}: ${message}`, children: [] }),
    ),
    ...some(made.map(jobNode)),
  ]);
}

const isNamespaced = (kind: string) => kind === 'Policy' || kind.startsWith('Namespaced');

/** A Job that a policy generated, or Insights asked for: with its pods, where they are known. */
function jobTree(cargo: Cargo, job: JobFact): TreeNode {
  const { namespace, name, image, trigger } = job;
  const { text, children } = workloadTree(cargo, 'Job', namespace, name);
  const about =
    trigger && `${trigger.kind} ${trigger.namespace === undefined ? '' : `${trigger.namespace}/`}${trigger.name}`;
  return note(text, [
    { ...jobNode(job), children: about === undefined ? [] : [note(`for ${about}`)] },
    ...(image === '' ? [] : [note(`about ${cargo.images.idOf(image)}`)]),
    ...children,
  ]);
}

function workloadTree(cargo: Cargo, kind: string, namespace: string, name: string): TreeNode {
  const { images = [] } = cargo.userOf({ kind, namespace, name }) ?? {};
  const pods: TreeNode[] = [];
  for (const pod of cargo.pods.values()) {
    if (pod.namespace !== namespace) continue;
    const root = rootOf(pod, cargo.workloads);
    if (root.kind !== kind || root.name !== name) continue;
    const waiting = pod.containers.find(({ state, reason }) => state === 'waiting' && reason !== 'ContainerCreating');
    const isBad = waiting !== undefined;
    pods.push({
      state: isBad ? 'no' : 'yes',
      text: `Pod ${pod.name}${pod.node === '' ? '' : ` on ${pod.node}`}${isBad ? `: ${waiting.reason}` : ''}`,
      children: [],
    });
  }
  return note(`${kind} ${namespace}/${name}`, [
    ...images.map(({ container, source, image }) => imageNode(cargo, container, source, image)),
    ...some(pods),
    ...resultNodes(cargo.resultsOf(kind, namespace, name)),
  ]);
}

function imageNode(cargo: Cargo, container: string, source: string, image: string): TreeNode {
  const id = cargo.images.idOf(source);
  const entry = cargo.images.entries.get(id);
  const children: TreeNode[] = [];
  for (const copy of itemsOf(entry?.copies))
    children.push({
      state: copy.state === 'copied' ? 'yes' : copy.state === 'failed' ? 'no' : 'off',
      text: `copy ${copy.copy} ${copy.state}${copy.message === '' ? '' : `: ${copy.message}`}`,
      children: [],
    });
  for (const { policyNamespace, policyName, commit, phase } of itemsOf(entry?.detections))
    children.push({
      state: phase === 'failed' ? 'no' : commit === '' ? 'off' : 'yes',
      text: `detected by ${policyNamespace}/${policyName}, ${commit === '' ? phase : `committed ${commit}`}`,
      children: [],
    });
  for (const job of itemsOf(entry?.jobs)) children.push(jobNode(job));
  return note(`container ${container}: ${id}${image === source ? '' : `, runs as ${image}`}`, some(children));
}

const jobNode = ({ namespace, name, state, madeBy, reason }: JobFact): TreeNode => ({
  state: state === 'succeeded' ? 'yes' : state === 'failed' ? 'no' : 'off',
  text: `Job ${namespace}/${name} ${state}${reason === '' ? '' : ` (${reason})`}${madeBy === '' ? '' : ` by ${madeBy}`}`,
  children: [],
});

const resultNodes = (results: Iterable<ResultFact>): readonly TreeNode[] =>
  some(
    [...results].map(({ policy, rule, result, message }) => ({
      state: result === 'warn' ? ('off' as const) : ('no' as const),
      text: `${result} ${policy}/${rule}: ${message}`,
      children: [],
    })),
  );

function policyTree(cargo: Cargo, namespace: string, name: string): TreeNode {
  const policy = cargo.scanPolicies.get(`${namespace}/${name}`)!;
  const key = `${policy.templateNamespace}/${policy.templateName}`;
  const template = cargo.templates.get(key);
  const git = template ? `${template.url} ${template.branch} ${template.path}`.trim() : 'not found';
  const found = [...cargo.detections.values()]
    .filter((detection) => detection.policyNamespace === namespace && detection.policyName === name)
    .sort((a, b) => (a.detectedAt > b.detectedAt ? -1 : 1));
  const detections = found.map(
    ({ image, phase, commit, reason, message, files }): TreeNode => ({
      state: phase === 'failed' ? 'no' : commit === '' ? 'off' : 'yes',
      text: [
        `${cargo.images.idOf(image)} ${phase}${commit === '' ? '' : ` ${commit}`}`,
        ...(commit === '' ? [reason, message] : []),
      ]
        .filter(Boolean)
        .join(': '),
      children: some(files.map((file) => note(file))),
    }),
  );
  return note(`ImageResourcePolicy ${namespace}/${name}`, [
    { state: template ? 'yes' : 'no', text: `ResourceTemplate ${key}: ${git}`, children: [] },
    ...some(detections),
  ]);
}
