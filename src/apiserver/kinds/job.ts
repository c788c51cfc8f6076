import type { KubeObject, ObjectMeta } from '../../object/index.ts';
import { part } from './strategy.ts';

/** A Job selects its own pods by its uid, unless manualSelector is set. */
export function prepareJob(object: KubeObject): KubeObject {
  const spec = part(object, 'spec');
  if (spec['manualSelector'] === true) return object;
  const uid = object.metadata.uid!;
  const name = object.metadata.name!;
  const template = spec['template'] as { readonly metadata?: ObjectMeta } | undefined;
  const selector = spec['selector'] as { readonly matchLabels?: object } | undefined;
  const labels = {
    ...template?.metadata?.labels,
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  return {
    ...object,
    // A Job without labels gets those of its template, as in the real server.
    metadata: { ...object.metadata, labels: object.metadata.labels ?? labels },
    spec: {
      ...spec,
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, 'batch.kubernetes.io/controller-uid': uid } },
      template: {
        ...template,
        metadata: { ...template?.metadata, labels },
      },
    },
  };
}
