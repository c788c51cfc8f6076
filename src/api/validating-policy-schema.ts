import {
  autogen,
  evaluation,
  expression,
  failurePolicy,
  matchConstraints,
  named,
  policyStatus,
  webhookConfiguration,
} from './cel-schema.ts';
import { described, listOf, object, oneOf, type Schema, text } from './schema.ts';

const spec = object({
  matchConstraints,
  matchConditions: named(
    'Conditions that must all hold; otherwise the policy says nothing of the object.',
    'A CEL expression that is true or false. It sees no variables.',
  ),
  variables: named(
    'Values for the other expressions, as `variables.name`; each is worked out when it is first used.',
    'A CEL expression. It sees the variables before it.',
  ),
  validations: described(
    'What must be true. The first one that is not decides.',
    listOf(
      object(
        {
          expression: expression('A CEL expression that is true for what is allowed.'),
          message: described('What people are told of what is not.', text),
          messageExpression: expression('A CEL expression for the message, which wins over message.'),
          reason: described('Accepted for compatibility.', text),
        },
        ['expression'],
      ),
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
  validationActions: described(
    'Deny refuses what fails, Warn warns of it, Audit reports it. Deny if not written.',
    listOf(oneOf('Deny', 'Warn', 'Audit')),
  ),
  failurePolicy,
  evaluation: evaluation('Kubernetes', 'JSON', 'HTTP', 'Envoy'),
  webhookConfiguration,
  autogen: autogen('validatingAdmissionPolicy'),
});

export const validatingPolicySchema: Schema = object(
  {
    spec: described('Which objects are looked at, and what must be true of them.', spec),
    status: described('What became of the policy.', policyStatus),
  },
  ['spec'],
);
