import type { KubeObject } from '../../object/index.ts';
import type { Store } from '../store/index.ts';
import type { ClusterView } from './cluster-view.ts';
import { derived } from './derived.ts';
import { webhooksOf } from './webhook-config.ts';
import { Webhooks } from './webhooks.ts';

/** The webhooks of the configurations in the store. */
export function createClusterWebhooks(
  store: Store,
  view: ClusterView,
  redecode: (object: KubeObject) => KubeObject,
): Webhooks {
  const webhooks = (resource: string) => {
    const configurations = store.collection(`admissionregistration.k8s.io/${resource}`);
    return derived([configurations], () => webhooksOf(configurations.entries('').map(({ object }) => object)));
  };
  return new Webhooks({
    ...view,
    mutating: webhooks('mutatingwebhookconfigurations'),
    validating: webhooks('validatingwebhookconfigurations'),
    redecode,
  });
}
