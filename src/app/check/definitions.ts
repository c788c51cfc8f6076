import { customResourceDefinitions, ownerLabel } from '../../api/index.ts';
import { getOwn, isJsonObject, type JsonObject } from '../../base/index.ts';
import { isKubeError } from '../../kube/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { crds, isEstablished } from '../definitions.ts';
import { type CheckLine, fail, pass, someOf, warn } from './check-line.ts';
import type { Situation } from './situation.ts';

const name = 'definitions';
const again = 'supercargo install --apply updates them; the chart does at its next upgrade';

export async function checkDefinitions({ connection, installation, isInstalled, signal }: Situation) {
  const own = customResourceDefinitions(installation);
  try {
    const { items } = await connection.client.list<KubeObject>(crds, { signal });
    return compareDefinitions(own, items, { installation, isInstalled });
  } catch (thrown) {
    if (!isKubeError(thrown, 'kube-forbidden')) throw thrown;
    const served = await connection.discovery.list();
    return [compareServed(own, new Set(served.map(({ group, version, kind }) => `${group}/${version}/${kind}`)))];
  }
}

/** Discovery tells everybody which kinds are served, but not with which fields. */
export function compareServed(own: readonly KubeObject[], served: ReadonlySet<string>): CheckLine {
  const missing = own.flatMap((definition) => {
    const { group, names } = definition['spec'] as {
      readonly group: string;
      readonly names: { readonly kind: string };
    };
    return versionsOf(definition)
      .filter((version) => version.served !== false && !served.has(`${group}/${version.name}/${names.kind}`))
      .map((version) => `${version.name} of ${definition.metadata.name}`);
  });
  if (missing.length > 0) return fail(name, `not served: ${someOf(missing)}`, again);
  return pass(name, `all ${own.length} are served; their fields were not compared: this account may not list them`);
}

/** The definitions that this program ships, compared with those of the cluster. */
export function compareDefinitions(
  own: readonly KubeObject[],
  present: readonly KubeObject[],
  { installation, isInstalled }: Pick<Situation, 'installation' | 'isInstalled'>,
): readonly CheckLine[] {
  const live = new Map(present.map((one) => [one.metadata.name, one]));
  const lines: CheckLine[] = [];
  const [missing, pending]: [string[], string[]] = [[], []];
  for (const definition of own) {
    const crd = live.get(definition.metadata.name);
    const id = definition.metadata.name!;
    if (!crd) missing.push(id);
    else if (!isEstablished(crd)) pending.push(id);
    else {
      const fields = versionsOf(definition).flatMap((version) => missingIn(version, crd));
      const isOurs = crd.metadata.labels?.[ownerLabel] === installation;
      const found = `${id} lacks ${someOf(fields)}`;
      if (fields.length === 0) continue;
      if (isOurs) lines.push(fail(name, found, again));
      else
        lines.push(
          warn(
            name,
            `${found}; it was not installed by ${installation}`,
            'leave out these fields, or update its owner',
          ),
        );
    }
  }
  if (pending.length > 0)
    lines.push(fail(name, `not served: ${someOf(pending)}`, 'kubectl describe crd says which condition is missing'));
  if (missing.length > 0)
    lines.push(
      isInstalled
        ? fail(name, `missing: ${someOf(missing)}`, again)
        : pass(name, `${missing.length} of ${own.length} are not there yet: the installation creates them`),
    );
  return lines.length > 0 ? lines : [pass(name, `all ${own.length} are those of this release`)];
}

interface CrdVersion {
  readonly name: string;
  readonly served?: boolean;
  readonly schema?: { readonly openAPIV3Schema?: JsonObject };
}

const versionsOf = (crd: KubeObject) =>
  (crd['spec'] as { readonly versions?: readonly CrdVersion[] } | undefined)?.versions ?? [];

function missingIn(own: CrdVersion, crd: KubeObject): readonly string[] {
  const live = versionsOf(crd).find((version) => version.name === own.name);
  if (!live?.served) return [`version ${own.name}`];
  return missingFields(own.schema?.openAPIV3Schema ?? {}, live.schema?.openAPIV3Schema ?? {}, '').map(
    (field) => `${own.name} ${field}`,
  );
}

/** The fields of a schema that another one prunes. */
function missingFields(own: JsonObject, live: JsonObject, path: string): readonly string[] {
  if (live['x-kubernetes-preserve-unknown-fields'] === true) return [];
  const theirs = mapAt(live, 'properties');
  const values = mapAt(live, 'additionalProperties');
  const fields = Object.entries(mapAt(own, 'properties') ?? {}).flatMap(([key, schema]) => {
    const field = path === '' ? key : `${path}.${key}`;
    const there = (theirs && mapAt(theirs, key)) ?? values;
    if (!there) return live['additionalProperties'] === true ? [] : [field];
    return isJsonObject(schema) ? missingFields(schema, there, field) : [];
  });
  const inner = ['items', 'additionalProperties'].flatMap((key) => {
    const [mine, there] = [mapAt(own, key), mapAt(live, key)];
    return mine && there ? missingFields(mine, there, `${path}${key === 'items' ? '[]' : '.*'}`) : [];
  });
  return [...fields, ...inner];
}

function mapAt(schema: JsonObject, key: string): JsonObject | undefined {
  const value = getOwn(schema, key);
  return isJsonObject(value) ? value : undefined;
}
