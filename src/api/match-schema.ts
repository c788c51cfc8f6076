import {
  anything,
  described,
  labelSelector,
  listOf,
  object,
  oneOf,
  type Schema,
  text,
  textMap,
  texts,
} from './schema.ts';

const resources = object({
  kinds: described('Kinds: `Pod`, `apps/v1/Deployment`, `*/Scale`, `Pod/exec`; wildcards are possible.', texts),
  name: text,
  names: described('Names, wildcards among them; one must fit.', texts),
  namespaces: described('Namespaces, wildcards among them; one must fit.', texts),
  annotations: textMap,
  selector: labelSelector,
  namespaceSelector: labelSelector,
  operations: listOf(oneOf('CREATE', 'UPDATE', 'DELETE', 'CONNECT')),
});

const filter = {
  resources,
  roles: texts,
  clusterRoles: texts,
  subjects: listOf(object({ kind: text, name: text, namespace: text, apiGroup: text }, ['kind', 'name'])),
};

/** The objects of a rule or an exception. */
export const matchSchema: Schema = object({ ...filter, any: listOf(object(filter)), all: listOf(object(filter)) });

const condition = object({ key: anything, operator: text, value: anything, message: text });

export const anyAllConditions: Schema = object({ any: listOf(condition), all: listOf(condition) });

export const podSecurityExclusions: Schema = listOf(
  object({ controlName: text, images: texts, restrictedField: text, values: texts }, ['controlName']),
);
