import { customResourceDefinitions, ownerLabel } from '../api/index.ts';
import { SupercargoError } from '../base/index.ts';
import type { KubeClient, ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { crds } from './definitions.ts';
import type { InstallationPlace } from './install-objects.ts';
import { findInstalledParts } from './installed.ts';

class DataError extends SupercargoError {}

/** A definition of ours and how many objects are deleted with it. */
export interface InstalledDefinition {
  readonly definition: KubeObject;
  readonly name: string;
  readonly objects: number;
}

interface DefinitionSpec {
  readonly group: string;
  readonly scope: string;
  readonly names: { readonly plural: string; readonly kind: string };
  readonly versions: readonly { readonly name: string; readonly served: boolean }[];
}

/**
 * The definitions that this installation has installed, for a user who decides whether they are removed. Throws where
 * an installation elsewhere uses them too.
 */
export async function listInstalledDefinitions(
  client: KubeClient,
  { installation, namespace, signal }: InstallationPlace & { readonly signal: AbortSignal },
): Promise<readonly InstalledDefinition[]> {
  const others = (await findInstalledParts(client, signal))?.filter((part) => part.namespace !== namespace) ?? [];
  if (others[0])
    throw new DataError(
      'uninstall-shared',
      `the definitions stay: the installation in namespace ${others[0].namespace} uses them, too; leave out --crds`,
    );
  const ours = new Set(customResourceDefinitions(installation).map(({ metadata }) => metadata.name));
  const { items } = await client.list<KubeObject>(crds, { labelSelector: `${ownerLabel}=${installation}`, signal });
  const found: InstalledDefinition[] = [];
  for (const definition of items.filter(({ metadata }) => ours.has(metadata.name)))
    found.push({
      definition,
      name: definition.metadata.name!,
      objects: await countObjects(client, definition, signal),
    });
  return found;
}

async function countObjects(client: KubeClient, definition: KubeObject, signal: AbortSignal): Promise<number> {
  const { group, scope, names, versions } = definition['spec'] as DefinitionSpec;
  const version = versions.find(({ served }) => served)?.name;
  if (version === undefined) return 0;
  const namespaced = scope === 'Namespaced';
  const type: ResourceType = { group, version, resource: names.plural, kind: names.kind, namespaced };
  let count = 0;
  for await (const { items, startsOver } of client.pages(type, { metadataOnly: true, signal }))
    count = (startsOver ? 0 : count) + items.length;
  return count;
}
