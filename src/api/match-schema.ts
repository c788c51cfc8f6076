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
  name: described('One name, wildcards possible. Use `names` for several.', text),
  names: described('Names, wildcards among them; one must fit.', texts),
  namespaces: described('Namespaces, wildcards among them; one must fit.', texts),
  annotations: described('Annotations that the object must have, with wildcards in keys and values.', textMap),
  selector: described('Labels that the object must have; wildcards are possible in matchLabels.', labelSelector),
  namespaceSelector: described('Labels that the namespace of the object must have.', labelSelector),
  operations: described(
    'The operations of admission requests: all of them by default.',
    listOf(oneOf('CREATE', 'UPDATE', 'DELETE', 'CONNECT')),
  ),
});

const subject = object(
  {
    kind: described('User, Group or ServiceAccount.', text),
    name: described('Its name, wildcards possible.', text),
    namespace: described('The namespace of a ServiceAccount.', text),
    apiGroup: described('The API group of the subject; not compared.', text),
  },
  ['kind', 'name'],
);

const filter = {
  resources: described('What the object must be. All given fields must fit.', resources),
  roles: described('Roles as namespace:name; the requesting user must have one of them.', texts),
  clusterRoles: described('ClusterRoles; the requesting user must have one of them.', texts),
  subjects: described('Users, groups and service accounts; the requesting user must be one of them.', listOf(subject)),
};

/** The objects of a rule or an exception. */
export const matchSchema: Schema = object({
  ...filter,
  any: described('Filters of which at least one must fit.', listOf(object(filter))),
  all: described('Filters that must all fit.', listOf(object(filter))),
});

const condition = object({
  key: described('The value that is looked at, usually an expression in {{ }}.', anything),
  operator: described(
    'How key and value are compared: Equals, NotEquals, AnyIn, AllNotIn, GreaterThan and others.',
    text,
  ),
  value: described('What the key is compared with: a value, a list or an expression in {{ }}.', anything),
  message: described('What is said when the condition decides the result.', text),
});

export const anyAllConditions: Schema = object({
  any: described('Conditions of which at least one must hold.', listOf(condition)),
  all: described('Conditions that must all hold.', listOf(condition)),
});

export const podSecurityExclusions: Schema = listOf(
  object(
    {
      controlName: described('A control of the Pod Security Standards, such as `Running as Non-root`.', text),
      images: described(
        'Only containers with these images, wildcards possible; controls of containers need it.',
        texts,
      ),
      restrictedField: described('Only this field of the control, such as `spec.securityContext.runAsNonRoot`.', text),
      values: described('Only these values of that field.', texts),
    },
    ['controlName'],
  ),
);
