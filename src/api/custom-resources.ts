import type { KubeObject } from '../object/index.ts';
import { type Definition, definitions } from './definitions.ts';
import { ownerLabel } from './owner.ts';
import { described, text } from './schema.ts';

/** The CustomResourceDefinitions of an installation, ready to be applied. */
export function customResourceDefinitions(installation: string): readonly KubeObject[] {
  return definitions.map((definition) => render(definition, installation));
}

function render(definition: Definition, installation: string): KubeObject {
  const { group, kind, plural, shortNames, scope, categories, versions } = definition;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      labels: { 'app.kubernetes.io/name': 'supercargo', [ownerLabel]: installation },
    },
    spec: {
      group,
      scope,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), shortNames, categories },
      versions: versions.map((name, i) => renderVersion(definition, name, i === 0)),
    },
  };
}

function renderVersion({ description, schema, hasStatus, columns }: Definition, name: string, storage: boolean) {
  return {
    name,
    served: true,
    storage,
    ...(hasStatus ? { subresources: { status: {} } } : {}),
    additionalPrinterColumns: columns,
    schema: {
      openAPIV3Schema: {
        description,
        ...schema,
        properties: {
          apiVersion: described('The API group and version of the object.', text),
          kind: described('The kind of the object.', text),
          metadata: { type: 'object' },
          ...schema.properties,
        },
      },
    },
  };
}
