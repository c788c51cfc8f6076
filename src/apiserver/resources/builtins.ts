import type { LinkedSchemas } from '../schema/index.ts';
import { autoscalerConversion } from './autoscaler-conversion.ts';
import type { Conversion, ResourceDefinition, ScalePaths } from './definition.ts';
import { eventConversion } from './event-conversion.ts';

/** Served by the real server too, but it asks components that do not exist here. */
const unserved = new Set(['/v1/componentstatuses']);

/** Kinds that are served in a second form beside the stored one. */
const converted: Readonly<Record<string, { readonly storage: string; readonly conversion: Conversion }>> = {
  'events.k8s.io/v1/events': { storage: '/events', conversion: eventConversion },
  'autoscaling/v1/horizontalpodautoscalers': {
    storage: 'autoscaling/horizontalpodautoscalers',
    conversion: autoscalerConversion,
  },
};

const replicas: ScalePaths = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.spec.selector',
};

/** The kinds of the recorded server, as definitions that this server answers for. */
export function builtinDefinitions(schemas: LinkedSchemas): readonly ResourceDefinition[] {
  return schemas.resources
    .filter(({ group, version, resource }) => !unserved.has(`${group}/${version}/${resource}`))
    .map((row) => {
      const { group, version, resource, kind } = row;
      const form = converted[`${group}/${version}/${resource}`];
      return {
        group,
        version,
        resource,
        kind,
        singular: row.singular,
        listKind: `${kind}List`,
        namespaced: row.namespaced,
        shortNames: row.shortNames ?? [],
        categories: row.categories ?? [],
        verbs: row.verbs,
        subresources: row.subresources ?? [],
        // Linking is done on first use: most kinds of a run are never touched.
        get schema() {
          return schemas.schemaOf({ group, version, kind });
        },
        custom: false,
        storage: form?.storage ?? `${group}/${resource}`,
        scale: row.subresources?.some(({ name }) => name === 'scale') ? replicas : undefined,
        conversion: form?.conversion,
      };
    });
}
