import {
  conditions,
  described,
  flag,
  freeObject,
  labelSelector,
  listOf,
  object,
  oneOf,
  type Schema,
  text,
  texts,
  withDefault,
} from './schema.ts';

/** The parts of the policies that consist of CEL expressions. */

export const expression = (what: string): Schema => described(what, text);

export const named = (what: string, value: string): Schema =>
  described(
    what,
    listOf(
      object({ name: described('Its name, unique in the list.', text), expression: expression(value) }, [
        'name',
        'expression',
      ]),
    ),
  );

const resourceRules = (what: string): Schema =>
  described(
    what,
    listOf(
      object({
        apiGroups: described('API groups; `""` is the core group, `*` every group.', texts),
        apiVersions: described('API versions; `*` is every version.', texts),
        operations: described(
          'Operations; `*` is every operation.',
          listOf(oneOf('*', 'CREATE', 'UPDATE', 'DELETE', 'CONNECT')),
        ),
        resources: described(
          'Plurals, with a subresource behind a slash. `pods` does not include `pods/exec`; `pods/*` includes both.',
          texts,
        ),
        resourceNames: described('Only objects with these names.', texts),
        scope: described('Only objects of the cluster, or of namespaces.', oneOf('*', 'Cluster', 'Namespaced')),
      }),
    ),
  );

export const matchConstraintsFields = {
  resourceRules: resourceRules('The policy is for what one of these names.'),
  excludeResourceRules: resourceRules('The policy is not for what one of these names.'),
  namespaceSelector: described(
    'Labels of the namespace; objects that are in none always match, a Namespace by its own labels.',
    labelSelector,
  ),
  objectSelector: described('Labels of the object, as it is to be or as it was.', labelSelector),
  matchPolicy: described(
    'Whether requests for other versions of the same resource count. Equivalent if not written.',
    oneOf('Exact', 'Equivalent'),
  ),
};

export const matchConstraints: Schema = described(
  'The objects that the policy is for. Without it the policy is for none.',
  object(matchConstraintsFields),
);

const enabled = (what: string): Schema =>
  described(what, object({ enabled: described('Whether it is.', withDefault(true, flag)) }));

export const evaluationFields = (...modes: readonly string[]) => ({
  mode: described('What is judged: objects of the cluster, or payloads in files.', oneOf(...modes)),
  admission: enabled('Whether the policy is applied to requests.'),
  background: described(
    'Whether the policy is applied to what is already there, for reports.',
    object({
      enabled: described('Whether it is.', withDefault(true, flag)),
      interval: described(
        'Accepted for compatibility: objects are evaluated whenever they change, and every hour.',
        text,
      ),
    }),
  ),
});

export const evaluation = (...modes: readonly string[]): Schema =>
  described('When and how the policy is evaluated.', object(evaluationFields(...modes)));

export const failurePolicy: Schema = described(
  'What happens to a request whose matchConditions fail, or for which nobody answers; Fail if not written.',
  oneOf('Fail', 'Ignore'),
);

export const webhookConfiguration: Schema = described(
  'How the API server calls the webhook of this policy.',
  object({
    timeoutSeconds: described('How many seconds the API server waits for an answer.', {
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: 30,
    }),
  }),
);

/** `admissionPolicy`: the field for the native policy that Kyverno can make of this one. */
export const autogen = (admissionPolicy: 'validatingAdmissionPolicy' | 'mutatingAdmissionPolicy'): Schema =>
  described(
    'How a policy for Pods is derived for the controllers that make Pods.',
    object({
      podControllers: described(
        'The controllers.',
        object({
          controllers: described('Their plurals. All if not written, none if empty.', texts),
        }),
      ),
      [admissionPolicy]: described(
        'Accepted for compatibility: Supercargo evaluates the policy, and generates no admission policy.',
        object({ enabled: described('Whether it is generated.', flag) }),
      ),
    }),
  );

/** The status of every kind. */
export const policyStatus = object({
  conditionStatus: described(
    'Whether the policy is in force.',
    object({
      ready: described('Whether every condition is met; a policy that does a part of its work counts as ready.', flag),
      message: described('If not, why.', text),
      conditions: described(
        'WebhookConfigured: whether the API server asks about requests that the policy is for. RBACPermissionsGranted: whether what is already there can be read for reports. Working, if False: which part of the work fails.',
        conditions,
      ),
    }),
  ),
  autogen: described(
    'What follows from a policy for Pods.',
    object({
      configs: described('What is derived for controllers of Pods.', {
        type: 'object',
        additionalProperties: object({
          targets: described(
            'The kinds of the controllers.',
            listOf(
              object({
                group: described('The API group.', text),
                version: described('The version.', text),
                resource: described('The plural.', text),
                kind: described('The kind.', text),
              }),
            ),
          ),
          spec: described('The policy as it is applied to them.', freeObject),
        }),
      }),
    }),
  ),
});
