import {
  autogen,
  evaluationFields,
  expression,
  failurePolicy,
  matchConstraints,
  matchConstraintsFields,
  named,
  policyStatus,
  webhookConfiguration,
} from './cel-schema.ts';
import { described, flag, listOf, object, oneOf, type Schema, text, withDefault } from './schema.ts';

const written = (what: string): Schema => object({ expression: expression(what) }, ['expression']);

const spec = object({
  matchConstraints,
  matchConditions: named(
    'Conditions that must all hold; otherwise the policy changes nothing.',
    'A CEL expression that is true or false. It sees the variables.',
  ),
  variables: named(
    'Values for the other expressions, as `variables.name`; each is worked out when it is first used.',
    'A CEL expression. It sees the variables before it.',
  ),
  mutations: described(
    'What is changed, in this order. Each sees what those before it have made of the object.',
    listOf(
      object(
        {
          patchType: described('How the change is written.', oneOf('ApplyConfiguration', 'JSONPatch')),
          applyConfiguration: described(
            'A part of the object that is merged into it, as server-side apply merges.',
            written('A CEL expression for an `Object{…}` whose types are named after their places.'),
          ),
          jsonPatch: described(
            'Operations of RFC 6902. A test that fails leaves the object as it was.',
            written('A CEL expression for a list of `JSONPatch{…}`.'),
          ),
        },
        ['patchType'],
      ),
    ),
  ),
  targetMatchConstraints: described(
    'The objects that are changed instead of the one that matches.',
    object({
      ...matchConstraintsFields,
      expression: expression('A CEL expression for one object, or for a list of objects under `items`.'),
    }),
  ),
  targetMatchConditions: named(
    'Conditions that must all hold for an object that is changed instead.',
    'A CEL expression that is true or false. It sees that object as `object`.',
  ),
  auditAnnotations: described(
    'Properties of the result.',
    listOf(
      object(
        {
          key: described('The name of the property.', text),
          valueExpression: expression('A CEL expression for its value; none if it is null or empty.'),
        },
        ['key', 'valueExpression'],
      ),
    ),
  ),
  failurePolicy,
  reinvocationPolicy: described(
    'Whether the policy is applied again after others have changed the object. Never if not written.',
    oneOf('Never', 'IfNeeded'),
  ),
  evaluation: described(
    'When and how the policy is evaluated.',
    object({
      ...evaluationFields('Kubernetes', 'JSON'),
      mutateExisting: described(
        'Whether stored objects are changed: when the policy is written, and in the background from then on.',
        object({ enabled: described('Whether they are.', withDefault(false, flag)) }),
      ),
      skipBackgroundRequests: described(
        'Accepted for compatibility: what Supercargo itself writes is never a trigger.',
        flag,
      ),
      useServerSideApply: described(
        'Lets apply configurations replace lists, maps and structs that are one value.',
        flag,
      ),
    }),
  ),
  webhookConfiguration,
  autogen: autogen('mutatingAdmissionPolicy'),
});

export const mutatingPolicySchema: Schema = object(
  {
    spec: described('Which objects are changed, and how.', spec),
    status: described('What became of the policy.', policyStatus),
  },
  ['spec'],
);
