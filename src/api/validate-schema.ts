import { contextSchema } from './context-schema.ts';
import { podSecurityExclusions } from './match-schema.ts';
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
  texts,
} from './schema.ts';

export const failureAction: Schema = oneOf('audit', 'enforce', 'Audit', 'Enforce');

export const failureActionOverrides: Schema = described(
  'Another failure action for some namespaces; the first that fits counts.',
  listOf(
    object({
      action: described('The failure action there.', failureAction),
      namespaces: described('Namespaces, wildcards possible.', texts),
      namespaceSelector: described('Labels of these namespaces.', labelSelector),
    }),
  ),
);

/** A schema cannot contain itself: deeper levels are checked by the engine alone. */
export const nestedLoops: Schema = described('Loops inside of each element, with the same fields.', listOf(freeObject));

const denial = (description: string): Schema =>
  described(
    description,
    object({ conditions: described('Conditions: `any` and `all` with key, operator and value.', anything) }),
  );

const checks = {
  pattern: described('What the object must look like: values, wildcards, operators and anchors.', anything),
  anyPattern: described('Patterns of which at least one must fit.', anything),
  deny: denial('Conditions under which the object fails.'),
};

/** A `validate` rule. */
export const validateSchema: Schema = object({
  message: described('The message when the rule fails.', text),
  failureAction: described('Enforce refuses what fails, Audit reports it.', failureAction),
  failureActionOverrides,
  allowExistingViolations: described(
    'Whether an update is admitted of an object that broke the rule before. True if not written.',
    flag,
  ),
  ...checks,
  foreach: described(
    'Checks of each element of a list.',
    listOf(
      object({
        list: described('A JMESPath expression for the list: request.object.spec.containers.', text),
        elementScope: described('Whether patterns see the element (true) or the whole object (false).', flag),
        context: contextSchema,
        preconditions: described('Conditions under which an element is checked.', anything),
        ...checks,
        foreach: nestedLoops,
      }),
    ),
  ),
  podSecurity: described(
    'Checks of the Pod Security Standards.',
    object({
      level: described('Which of the standards.', oneOf('privileged', 'baseline', 'restricted')),
      version: described('The Kubernetes version of the standard: v1.29, or latest.', text),
      exclude: described('Controls that are not checked.', podSecurityExclusions),
    }),
  ),
  manifests: described('Signatures of manifests. Not supported: the policy is not Ready.', freeObject),
  cel: described('Checks in CEL: expressions, variables, paramKind and paramRef, auditAnnotations.', freeObject),
  assert: described('An assertion tree that the request must satisfy.', anything),
});
