import type { KubeObject } from '../../object/index.ts';
import { part, type StrategyEnvironment } from './strategy.ts';

type Port = Readonly<Record<string, unknown>>;

export function prepareService(object: KubeObject, environment: StrategyEnvironment): KubeObject {
  const spec = part(object, 'spec');
  if (spec['type'] === 'ExternalName') return { ...object, status: { loadBalancer: {} } };
  const clusterIP = (spec['clusterIP'] as string | undefined) || environment.allocateClusterIp();
  return {
    ...object,
    spec: {
      ...spec,
      clusterIP,
      clusterIPs: [clusterIP],
      ipFamilies: spec['ipFamilies'] ?? ['IPv4'],
      ipFamilyPolicy: spec['ipFamilyPolicy'] ?? 'SingleStack',
      ...withNodePorts(spec, environment),
    },
    status: { loadBalancer: {} },
  };
}

/** Allocated values are kept when the new version omits them. */
export function prepareServiceUpdate(
  object: KubeObject,
  old: KubeObject,
  environment: StrategyEnvironment,
): KubeObject {
  const spec = part(object, 'spec');
  const before = part(old, 'spec');
  if (spec['type'] === 'ExternalName') return object;
  const kept = Object.fromEntries(
    ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'].map((field) => [field, spec[field] ?? before[field]]),
  );
  const clusterIP = kept['clusterIP'] ?? environment.allocateClusterIp();
  return {
    ...object,
    spec: {
      ...spec,
      ...kept,
      clusterIP,
      clusterIPs: kept['clusterIPs'] ?? [clusterIP],
      ...withNodePorts(spec, environment),
    },
  };
}

function withNodePorts(
  spec: Readonly<Record<string, unknown>>,
  { randomPort }: StrategyEnvironment,
): { ports?: readonly Port[] } {
  if (spec['type'] !== 'NodePort' && spec['type'] !== 'LoadBalancer') return {};
  const ports = (spec['ports'] as readonly Port[] | undefined) ?? [];
  return { ports: ports.map((port) => ({ ...port, nodePort: port['nodePort'] || randomPort() })) };
}
