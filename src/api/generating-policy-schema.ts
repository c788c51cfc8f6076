import {
  evaluationFields,
  expression,
  failurePolicy,
  matchConstraints,
  named,
  policyStatus,
  webhookConfiguration,
} from './cel-schema.ts';
import { described, flag, listOf, object, oneOf, type Schema, text, withDefault } from './schema.ts';

const switched = (what: string): Schema =>
  described(what, object({ enabled: described('Whether they are.', withDefault(false, flag)) }));

const spec = object({
  matchConstraints,
  matchConditions: named(
    'Conditions that must all hold; otherwise the policy generates nothing.',
    'A CEL expression that is true or false. It sees no variables.',
  ),
  variables: named(
    'Values for the other expressions, as `variables.name`; each is worked out when it is first used.',
    'A CEL expression. It sees the variables before it.',
  ),
  generate: described(
    'What is generated. Each item has an expression or a template.',
    listOf(
      object({
        expression: expression('A CEL expression that calls `generator.Apply(namespace, objects)`.'),
        template: described(
          'YAML documents of objects, each with its namespace.',
          object(
            {
              value: described('The documents.', text),
              interpolate: described(
                'With cel, `(( … ))` in texts are CEL expressions. none if not written.',
                oneOf('none', 'cel'),
              ),
            },
            ['value'],
          ),
        ),
      }),
    ),
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
  evaluation: described(
    'When and how the policy is evaluated.',
    object({
      ...evaluationFields('Kubernetes'),
      synchronize: switched(
        'Whether generated objects are kept as the policy, their trigger and their source require.',
      ),
      generateExisting: switched('Whether objects that are already there are triggers when the policy is written.'),
      orphanDownstreamOnPolicyDelete: switched(
        'Whether synchronized objects stay when the policy is deleted. Copies of other objects always stay.',
      ),
      skipBackgroundRequests: described(
        'Accepted for compatibility: what Supercargo itself writes is never a trigger.',
        flag,
      ),
    }),
  ),
  useServerSideApply: described('Accepted for compatibility: objects that differ are replaced as a whole.', flag),
  webhookConfiguration,
});

export const generatingPolicySchema: Schema = object(
  {
    spec: described('Which objects are triggers, and what is generated for them.', spec),
    status: described('What became of the policy.', policyStatus),
  },
  ['spec'],
);
