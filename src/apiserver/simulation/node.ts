import type { Node, NodeStatus } from 'kubernetes-types/core/v1.js';
import { rfc3339, rfc3339Micro } from '../../base/index.ts';
import { isTrue } from '../../object/index.ts';
import { leases, namespaces, nodes as nodeType } from './kinds.ts';
import { type Context, type Controller, live, splitKey } from './types.ts';
import { createIfAbsent, modify, writeStatus } from './writes.ts';

const leaseNamespace = 'kube-node-lease';
const leaseSeconds = 40;

const nodeName = (index: number) => `supercargo-node-${index}`;

/** Registers the simulated nodes and renews their leases. A deleted Node is created again, as by a real kubelet. */
export function createNodeController(context: Context): Controller {
  const { client, clock, options } = context;

  const reconcile = async (key: string): Promise<number | undefined> => {
    const [, name] = splitKey(key);
    await createIfAbsent(context, nodeType, renderNode(name));
    await writeStatus(context, { type: nodeType, namespace: '', name }, (object) => {
      const { status } = live<Node>(object);
      const isUp = isTrue(status?.conditions, 'Ready');
      return isUp ? undefined : renderStatus(name, clock.now(), options.kubeletVersion);
    });
    await renewLease(name);
    return options.leaseRenewMs;
  };

  const renewLease = async (name: string) => {
    // The server creates the namespace; until then the lease waits for the next round.
    if (!client.get(namespaces, '', leaseNamespace)) return;
    const renewTime = rfc3339Micro(clock.now());
    const renewed = await modify(context, { type: leases, namespace: leaseNamespace, name }, (object) => ({
      ...object,
      spec: { ...(object['spec'] as object), renewTime },
    }));
    if (renewed) return;
    const uid = client.get(nodeType, '', name)?.metadata.uid ?? '';
    await createIfAbsent(context, leases, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        name,
        namespace: leaseNamespace,
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
      },
      spec: { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime },
    });
  };

  return {
    name: 'node-registration',
    concurrency: 2,
    reconcile,
    subscribe: (enqueue) => {
      const ours = new Set(Array.from({ length: options.nodes }, (_, index) => nodeName(index + 1)));
      for (const name of ours) enqueue(`/${name}`);
      return [
        client.watch(nodeType, ({ type, object }) => {
          if (type === 'DELETED' && ours.has(object.metadata.name ?? '')) enqueue(`/${object.metadata.name}`);
        }),
      ];
    },
  };
}

function renderNode(name: string) {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'beta.kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
      },
      annotations: { 'supercargo.dev/simulated': 'true' },
    },
    spec: { podCIDR: `10.244.0.0/16`, providerID: `supercargo://${name}` },
  };
}

const resources = { cpu: '32', memory: '256Gi', 'ephemeral-storage': '1Ti', pods: '100000', 'hugepages-2Mi': '0' };

const healthy = [
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
] as const;

function renderStatus(name: string, now: number, kubeletVersion: string): NodeStatus {
  const index = Number(name.slice(name.lastIndexOf('-') + 1));
  const at = rfc3339(now);
  return {
    capacity: resources,
    allocatable: resources,
    conditions: healthy.map(([type, status, reason, message]) => ({
      type,
      status,
      reason,
      message,
      lastHeartbeatTime: at,
      lastTransitionTime: at,
    })),
    addresses: [
      { type: 'InternalIP', address: `172.30.${Math.floor(index / 250)}.${(index % 250) + 1}` },
      { type: 'Hostname', address: name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      architecture: 'amd64',
      operatingSystem: 'linux',
      osImage: 'Simulated by Supercargo',
      kernelVersion: '6.0.0-simulated',
      containerRuntimeVersion: 'simulated://1.0.0',
      kubeletVersion,
      // Deprecated, but still required by the schema.
      kubeProxyVersion: '',
      machineID: '',
      systemUUID: '',
      bootID: '',
    },
  };
}
