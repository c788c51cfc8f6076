import { gvkOf, type KubeObject } from '../../../object/index.ts';
import type { Catalog } from '../../resources/catalog.ts';
import { storageKey } from '../../resources/definition.ts';
import { readForm } from '../../resources/read-form.ts';
import type { Store } from '../../store/index.ts';
import type { Attributes } from '../attributes.ts';
import type { ClusterView } from '../cluster-view.ts';
import { createHooks } from './hooks.ts';
import { type MutationEnvironment, PolicyMutations } from './mutating.ts';
import { compileMutatingPolicy, type MutatingPolicy } from './mutator.ts';
import type { ParamSource } from './params.ts';
import type { BindingSpec, ValidatingBindingSpec } from './types.ts';
import { validateByPolicies } from './validating.ts';
import { compilePolicy, type ValidatingPolicy } from './validator.ts';

/** The admission policies of the cluster. */
export interface Policies {
  /** Undefined where there are none. */
  mutations(): PolicyMutations | undefined;
  /** Throws StatusError to deny the request. */
  validate(attributes: Attributes): void;
}

export function createPolicies(
  store: Store,
  catalog: Catalog,
  view: ClusterView,
  redecode: (object: KubeObject) => KubeObject,
): Policies {
  const collection = (resource: string) => store.collection(`admissionregistration.k8s.io/${resource}`);
  const validating = createHooks<ValidatingPolicy, ValidatingBindingSpec>(
    collection('validatingadmissionpolicies'),
    collection('validatingadmissionpolicybindings'),
    compilePolicy,
  );
  const mutating = createHooks<MutatingPolicy, BindingSpec>(
    collection('mutatingadmissionpolicies'),
    collection('mutatingadmissionpolicybindings'),
    compileMutatingPolicy,
  );
  const environment: MutationEnvironment = {
    ...view,
    params: paramSource(store, catalog),
    namespace: (name) => store.collection('/namespaces').get(name)?.object,
    schemaOf: (object) => catalog.findKind(gvkOf(object))?.schema,
    redecode,
  };
  return {
    mutations() {
      const hooks = mutating();
      return hooks.length === 0 ? undefined : new PolicyMutations(hooks, environment);
    },
    validate: (attributes) => validateByPolicies(validating(), attributes, environment),
  };
}

function paramSource(store: Store, catalog: Catalog): ParamSource {
  return {
    findKind: (kind) => catalog.findKind(gvkOf(kind)),
    get(definition, namespace, name) {
      const entry = store.collection(definition.storage).get(storageKey(namespace, name));
      return entry && readForm(entry, definition);
    },
    list: (definition, namespace) =>
      store
        .collection(definition.storage)
        .entries(namespace === '' ? '' : `${namespace}/`)
        .map((entry) => readForm(entry, definition)),
  };
}
