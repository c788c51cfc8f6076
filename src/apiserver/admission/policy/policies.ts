import { gvkOf } from '../../../object/index.ts';
import type { Catalog } from '../../resources/catalog.ts';
import { storageKey } from '../../resources/definition.ts';
import { readForm } from '../../resources/read-form.ts';
import type { Store } from '../../store/index.ts';
import type { Attributes } from '../attributes.ts';
import type { ClusterView } from '../cluster-view.ts';
import { createHooks } from './hooks.ts';
import type { ParamSource } from './params.ts';
import type { ValidatingBindingSpec } from './types.ts';
import { type PolicyEnvironment, validateByPolicies } from './validating.ts';
import { compilePolicy, type ValidatingPolicy } from './validator.ts';

/** The admission policies of the cluster. */
export interface Policies {
  /** Throws StatusError to deny the request. */
  validate(attributes: Attributes): void;
}

export function createPolicies(store: Store, catalog: Catalog, view: ClusterView): Policies {
  const collection = (resource: string) => store.collection(`admissionregistration.k8s.io/${resource}`);
  const validating = createHooks<ValidatingPolicy, ValidatingBindingSpec>(
    collection('validatingadmissionpolicies'),
    collection('validatingadmissionpolicybindings'),
    compilePolicy,
  );
  const environment: PolicyEnvironment = {
    ...view,
    params: paramSource(store, catalog),
    namespace: (name) => store.collection('/namespaces').get(name)?.object,
  };
  return { validate: (attributes) => validateByPolicies(validating(), attributes, environment) };
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
