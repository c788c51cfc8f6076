import { isKubeError } from '../../kube/index.ts';
import { type KubeObject, renderApiVersion } from '../../object/index.ts';
import { type ReportSummary, reportTypes } from '../../report/index.ts';
import { policyTypes } from '../../runtime/index.ts';
import type { Scene, SceneContext } from './scene.ts';

const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };

const policy: KubeObject = {
  apiVersion: renderApiVersion(policyTypes.clusterPolicy),
  kind: policyTypes.clusterPolicy.kind,
  metadata: { name: 'require-app-label', annotations: { 'policies.kyverno.io/severity': 'medium' } },
  spec: {
    validationFailureAction: 'Audit',
    background: true,
    rules: [
      {
        name: 'has-app',
        match: { any: [{ resources: { kinds: ['Pod'] } }] },
        validate: { message: 'the label app is required', pattern: { metadata: { labels: { app: '?*' } } } },
      },
    ],
  },
};

const unlabelled: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'unlabelled', namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'busybox:1.37' }] },
};

const report = { name: 'polr-ns-default-require-app-label', namespace: 'default' };
const patienceMs = 15_000;

/** A policy becomes a report about existing objects. */
export const reportScene: Scene = {
  title: 'A policy reports on what is there',
  needs: ['report'],
  async play(context) {
    const { client } = context.connection;
    await made(client.create(policyTypes.clusterPolicy, policy, { signal: context.signal }));
    await made(client.create(pods, unlabelled, { signal: context.signal }));
    context.say('created clusterpolicy/require-app-label, which only audits, and pod/unlabelled without the label');
    const found = await untilReported(context);
    if (!found) {
      context.say('no report has come yet');
      return undefined;
    }
    const { pass, fail } = found['summary'] as unknown as ReportSummary;
    context.say(`policyreport/${report.name}: ${pass} pass, ${fail} fail`);
    for (const { result, message, resources } of resultsOf(found))
      if (result === 'fail') context.say(`${resources[0]?.kind.toLowerCase()}/${resources[0]?.name} fails: ${message}`);
    context.say(`see them all with: ${context.program} kubectl get polr -A, or ${context.program} report -A`);
    return `/results?by=none&q=${unlabelled.metadata.name}`;
  },
};

interface ShownResult {
  readonly result: string;
  readonly message: string;
  readonly resources: readonly { readonly kind: string; readonly name: string }[];
}

const resultsOf = (object: KubeObject) => (object['results'] ?? []) as readonly ShownResult[];

/** The demo may run twice on a persistent cluster. */
async function made(creation: Promise<KubeObject>): Promise<void> {
  await creation.catch((thrown) => {
    if (!isKubeError(thrown, 'kube-already-exists')) throw thrown;
  });
}

/** Undefined if no report has the pod within the time limit. */
async function untilReported({ connection: { client }, signal }: SceneContext): Promise<KubeObject | undefined> {
  const until = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  const exists = (object: KubeObject) =>
    resultsOf(object).some(({ resources }) => resources.some(({ name }) => name === unlabelled.metadata.name));
  const selection = { namespace: report.namespace, fieldSelector: `metadata.name=${report.name}`, signal: until };
  try {
    const list = await client.list<KubeObject>(reportTypes.namespaced, selection);
    const present = list.items.find(exists);
    if (present) return present;
    const { resourceVersion } = list;
    for await (const event of client.watch<KubeObject>(reportTypes.namespaced, { ...selection, resourceVersion }))
      if (event.type !== 'BOOKMARK' && event.type !== 'DELETED' && exists(event.object)) return event.object;
  } catch (thrown) {
    signal.throwIfAborted();
    if (!until.aborted && !isKubeError(thrown, 'kube-not-found')) throw thrown;
  }
  return undefined;
}
