import { isJsonObject, type JsonObject, UsageError } from '../base/index.ts';
import type { Part } from './install-parts.ts';

/** Objects of the whole installation have these in place of the name of a part. */
export const reservedPartNames: readonly string[] = [
  'uninstall',
  'grafana-dashboard',
  ...['view', 'edit', 'admin'].map((role) => `aggregate-to-${role}`),
];

interface Intent {
  readonly namespace: string;
  readonly parts: readonly Part[];
  readonly replicas: number;
  readonly backupRegistry: string;
  readonly mirrorNamespaces: readonly string[];
  /** Settings of the program. */
  readonly config: JsonObject;
}

/** Refuses what would not work, or would harm the cluster, as the chart does. */
export function refuseInstall({ namespace, parts, replicas, backupRegistry, mirrorNamespaces, config }: Intent): void {
  if (namespace === 'kube-system')
    throw new UsageError(
      'install-namespace',
      'kube-system is exempt from admission and holds the control plane: install into a namespace of its own',
    );
  const reserved = parts.find(({ name }) => reservedPartNames.includes(name));
  if (reserved)
    throw new UsageError(
      'install-part-name',
      `--part: ${reserved.name} is in the names of other objects of an installation: choose another`,
    );
  const section = (name: string) => (isJsonObject(config[name]) ? config[name] : {});
  const mirrors = parts.some(({ features }) => features.includes('mirror'));
  if (mirrors && backupRegistry === '' && !section('mirror')['registry'])
    throw new UsageError('install-mirror-registry', 'the feature mirror needs a registry: name a --backup-registry');
  if (!mirrors && mirrorNamespaces.length > 0)
    throw new UsageError(
      'install-mirror-namespace',
      '--mirror-namespace needs the feature mirror: name a --backup-registry',
    );
  const several = parts.find((part) => (part.replicas ?? replicas) > 1);
  if (several && section('leaderElection')['enabled'] === false)
    throw new UsageError(
      'install-leader-election',
      `leaderElection.enabled false with several replicas of ${several.name}: each would lead`,
    );
}
