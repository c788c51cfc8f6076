import type { KubeObject } from '../../object/index.ts';
import { admitPod } from '../kinds/pod.ts';
import type { Admission } from '../operations/core.ts';
import { forbidden, notFound } from '../operations/errors.ts';
import type { Attributes } from './attributes.ts';
import type { Policies } from './policy/index.ts';
import type { Webhooks } from './webhooks.ts';

interface ChainEnvironment {
  readonly namespace: (name: string) => Pick<KubeObject, 'metadata'> | undefined;
  readonly randomSuffix: () => string;
}

/** Cannot be deleted: the cluster needs them. */
const immortalNamespaces: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public', 'kube-node-lease']);

/** Built-in admission first, then the policies, then the webhooks, as in the real server. */
export function createAdmission(environment: ChainEnvironment, policies: Policies, webhooks: Webhooks): Admission {
  return {
    async mutate(attributes) {
      checkNamespace(attributes, environment);
      const { operation, resource, subresource, object } = attributes;
      const isNewPod =
        operation === 'CREATE' && resource.group === '' && resource.resource === 'pods' && subresource === '';
      const admitted =
        isNewPod && object ? { ...attributes, object: admitPod(object, environment.randomSuffix) } : attributes;
      const mutations = policies.mutations();
      if (!mutations) return webhooks.mutate(admitted);
      return webhooks.mutate(mutations.first(admitted), (changed) => mutations.again(changed));
    },
    async validate(attributes) {
      policies.validate(attributes);
      await webhooks.validate(attributes);
    },
  };
}

function checkNamespace(attributes: Attributes, environment: ChainEnvironment): void {
  const { operation, resource, namespaced, namespace, name } = attributes;
  if (
    operation === 'DELETE' &&
    resource.group === '' &&
    resource.resource === 'namespaces' &&
    immortalNamespaces.has(name)
  ) {
    throw forbidden(resource, name, 'this namespace may not be deleted');
  }
  if (operation !== 'CREATE' || !namespaced) return;
  const found = environment.namespace(namespace);
  if (!found) throw notFound({ group: '', resource: 'namespaces' }, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw forbidden(resource, name, why, {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  });
}
