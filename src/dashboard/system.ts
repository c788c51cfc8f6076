import { X509Certificate } from 'node:crypto';
import { ownerLabel } from '../api/index.ts';
import { renderYaml } from '../base/index.ts';
import type { KubeConnection, ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { Viewer } from './access.ts';
import type { Cargo } from './cargo.ts';
import type { WatchedKind } from './feed.ts';
import { conditionOf, listOf, objectOf, textOf } from './fields.ts';
import type { LeaseRow, ReplicaRow, ShownKind, SystemAnswer, WatchRow } from './protocol.ts';
import type { SyncRun } from './sync-runs.ts';
import { shownKinds } from './visibility.ts';

interface SystemOptions {
  readonly client: Pick<KubeConnection, 'list'>;
  readonly cargo: Cargo;
  readonly watched: readonly WatchedKind[];
  readonly syncRuns: () => readonly SyncRun[];
  readonly installation: string;
  readonly namespace: string;
  readonly version: string;
  readonly kubernetes: string;
  readonly features: readonly string[];
  /** Without secrets. */
  readonly configuration: object;
  readonly streams: () => number;
}

const type = (group: string, resource: string, kind: string, namespaced = true): ResourceType => ({
  group,
  version: 'v1',
  resource,
  kind,
  namespaced,
});
const leases = type('coordination.k8s.io', 'leases', 'Lease');
const pods = type('', 'pods', 'Pod');
const webhooks = type(
  'admissionregistration.k8s.io',
  'validatingwebhookconfigurations',
  'ValidatingWebhookConfiguration',
  false,
);
const maxListed = 100;

/** Answers of GET /api/system: what runs here. Read on demand; what cannot be read is empty. */
export function createSystem(options: SystemOptions): (viewer: Viewer, signal: AbortSignal) => Promise<SystemAnswer> {
  const { client, cargo, watched, syncRuns, installation, namespace } = options;
  const list = async (of: ResourceType, labelSelector: string | undefined, signal: AbortSignal) =>
    client
      .list<KubeObject>(of, {
        ...(of.namespaced ? { namespace } : {}),
        ...(labelSelector === undefined ? {} : { labelSelector }),
        limit: maxListed,
        signal,
      })
      .then(
        ({ items }) => items,
        () => [],
      );
  return async ({ sees }, signal) => {
    const isOperator = sees.everywhere.has('pods');
    const [held, replicas, configurations] = isOperator
      ? await Promise.all([
          list(leases, undefined, signal),
          list(pods, `app.kubernetes.io/name=supercargo,app.kubernetes.io/instance=${installation}`, signal),
          list(webhooks, `${ownerLabel}=${installation}`, signal),
        ])
      : [[], [], []];
    const expiresAt = authorityEnd(configurations);
    return {
      version: options.version,
      kubernetes: options.kubernetes,
      installation,
      namespace,
      features: options.features,
      replicas: replicas.map(replicaRow),
      leases: held.flatMap((lease) => leaseRow(lease, installation)),
      // They count the objects of all namespaces.
      watches: isOperator ? watched.filter(({ type }) => sees.everywhere.has(shownKindOf(type))).map(watchRow) : [],
      ...(expiresAt === undefined ? {} : { authority: { expiresAt } }),
      syncRuns: sees.everywhere.has('policyreports') ? syncRuns() : [],
      ...(isOperator ? { configuration: renderYaml(options.configuration) } : {}),
      memory: {
        images: isOperator ? cargo.images.entries.size : 0,
        // Both tell how much there is, and goes on, where the user may not look.
        heapBytes: isOperator ? process.memoryUsage().heapUsed : 0,
        streams: isOperator ? options.streams() : 0,
      },
    };
  };
}

function replicaRow(pod: KubeObject): ReplicaRow {
  const status = objectOf(pod, 'status');
  const node = textOf(objectOf(pod, 'spec'), 'nodeName');
  const startedAt = textOf(status, 'startTime');
  return {
    name: pod.metadata.name ?? '',
    ready: conditionOf(status, 'Ready')?.status === 'True',
    ...(node === '' ? {} : { node }),
    ...(startedAt === '' ? {} : { startedAt }),
  };
}

function leaseRow(lease: KubeObject, installation: string): LeaseRow[] {
  const { name = '' } = lease.metadata;
  if (!name.startsWith(`${installation}-`)) return [];
  const spec = objectOf(lease, 'spec');
  const holder = textOf(spec, 'holderIdentity');
  const renewedAt = textOf(spec, 'renewTime');
  return [
    {
      name,
      group: name.slice(installation.length + 1),
      ...(holder === '' ? {} : { holder }),
      ...(renewedAt === '' ? {} : { renewedAt }),
    },
  ];
}

/** The kind whose permission shows objects of this type. */
const shownKindOf = ({ resource }: ResourceType): ShownKind => shownKindOfResource.get(resource) ?? 'policyreports';
const shownKindOfResource: ReadonlyMap<string, ShownKind> = new Map([
  ...shownKinds.map((kind) => [kind, kind] as const),
  ...['deployments', 'statefulsets', 'daemonsets', 'cronjobs', 'replicasets'].map((name) => [name, 'pods'] as const),
  ...['imageresourcepolicies', 'resourcetemplates'].map((name) => [name, 'imagedetecteds'] as const),
]);

/** Kinds that a cluster need not have: those of another program, and policies of expressions. */
export const optionalGroups: ReadonlySet<string> = new Set(['aquasecurity.github.io', 'policies.kyverno.io']);

function watchRow({ type: { kind, group }, size, hasSynced, failing }: WatchedKind): WatchRow {
  const isAbsent = failing?.code === 'kube-not-found' && optionalGroups.has(group);
  return {
    kind,
    objects: size,
    isSynced: hasSynced,
    ...(isAbsent ? { isAbsent } : failing ? { problem: failing.error } : {}),
  };
}

/** When the certificate authority of the webhooks expires: the last of a bundle, which is the newest. */
function authorityEnd(configurations: readonly KubeObject[]): string | undefined {
  for (const configuration of configurations)
    for (const webhook of listOf(configuration, 'webhooks')) {
      const bundle = textOf(objectOf(webhook, 'clientConfig'), 'caBundle');
      const pem = Buffer.from(bundle, 'base64').toString().match(certificates)?.at(-1);
      if (pem === undefined) continue;
      try {
        return new Date(new X509Certificate(pem).validTo).toISOString();
      } catch {
        // Not a certificate: nothing to show.
      }
    }
  return undefined;
}

const certificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
