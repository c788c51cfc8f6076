import { matchSchema, podSecurityExclusions } from './match-schema.ts';
import {
  anything,
  described,
  flag,
  freeObject,
  labelSelector,
  listOf,
  object,
  oneOf,
  type Schema,
  text,
  textMap,
  texts,
} from './schema.ts';
import { verifyImagesSchema } from './verify-images-schema.ts';

export const failureAction: Schema = oneOf('audit', 'enforce', 'Audit', 'Enforce');

export const failureActionOverrides: Schema = listOf(
  object({ action: failureAction, namespaces: texts, namespaceSelector: labelSelector }),
);

const context = described(
  'Values that expressions of the rule can use, each looked up when it is first needed.',
  listOf(
    object(
      {
        name: text,
        variable: object({ value: anything, jmesPath: text, default: anything }),
        configMap: object({ name: text, namespace: text }, ['name']),
        apiCall: object({
          urlPath: text,
          method: oneOf('GET', 'POST'),
          data: listOf(object({ key: text, value: anything }, ['key', 'value'])),
          service: object(
            { url: text, caBundle: text, headers: listOf(object({ key: text, value: text }, ['key', 'value'])) },
            ['url'],
          ),
          default: anything,
          jmesPath: text,
        }),
        imageRegistry: object({ reference: text, jmesPath: text, imageRegistryCredentials: freeObject }, ['reference']),
        globalReference: object({ name: text, jmesPath: text }, ['name']),
      },
      ['name'],
    ),
  ),
);

/** A schema cannot contain itself: deeper levels are checked by the engine alone. */
const nested = listOf(freeObject);

const validate = object({
  message: described('The message when the rule fails.', text),
  failureAction,
  failureActionOverrides,
  allowExistingViolations: flag,
  pattern: anything,
  anyPattern: anything,
  deny: object({ conditions: anything }),
  foreach: listOf(
    object({
      list: text,
      elementScope: flag,
      context,
      preconditions: anything,
      pattern: anything,
      anyPattern: anything,
      deny: object({ conditions: anything }),
      foreach: nested,
    }),
  ),
  podSecurity: object({
    level: oneOf('privileged', 'baseline', 'restricted'),
    version: text,
    exclude: podSecurityExclusions,
  }),
  manifests: freeObject,
  cel: freeObject,
  assert: anything,
});

const target = { apiVersion: text, kind: text, namespace: text, name: text, uid: text };

const mutate = object({
  mutateExistingOnPolicyUpdate: flag,
  targets: listOf(object({ ...target, selector: labelSelector, context, preconditions: anything })),
  patchStrategicMerge: anything,
  patchesJson6902: text,
  foreach: listOf(
    object({
      list: text,
      order: oneOf('Ascending', 'Descending'),
      context,
      preconditions: anything,
      patchStrategicMerge: anything,
      patchesJson6902: text,
      foreach: nested,
    }),
  ),
});

const generated = {
  ...target,
  data: anything,
  clone: object({ namespace: text, name: text }),
  cloneList: object({ namespace: text, kinds: texts, selector: labelSelector }),
};

const generate = object({
  ...generated,
  generateExisting: flag,
  synchronize: flag,
  orphanDownstreamOnPolicyDelete: flag,
  foreach: listOf(object({ ...generated, list: text, context, preconditions: anything })),
});

/** One rule of a policy: its match, and one of validate, mutate, generate and verifyImages. */
export const ruleSchema: Schema = object(
  {
    name: { type: 'string', maxLength: 63 },
    context,
    match: described('What the rule is for.', matchSchema),
    exclude: described('What it is not for, although it matches.', matchSchema),
    preconditions: anything,
    celPreconditions: listOf(object({ name: text, expression: text }, ['name', 'expression'])),
    validate,
    mutate,
    generate,
    verifyImages: verifyImagesSchema,
    imageExtractors: {
      type: 'object',
      additionalProperties: listOf(
        object({ path: text, value: text, name: text, key: text, jmesPath: text }, ['path']),
      ),
    },
    skipBackgroundRequests: flag,
    reportProperties: textMap,
  },
  ['name', 'match'],
);
