import { matchConstraints, named, policyStatus } from './cel-schema.ts';
import { described, nonEmpty, object, oneOf, type Schema, time } from './schema.ts';

const spec = object(
  {
    schedule: described(
      'When objects are deleted: five fields as in cron, `@daily`, `@every 10m`. In UTC, or in the zone of `TZ=…` before it.',
      nonEmpty,
    ),
    matchConstraints,
    variables: named(
      'Values for the conditions, as `variables.name`; each is worked out when it is first used.',
      'A CEL expression. It sees the variables before it.',
    ),
    conditions: named(
      'What must all be true of an object that is deleted. Without conditions, every object that matches is.',
      'A CEL expression that is true or false.',
    ),
    deletionPropagationPolicy: described(
      'What becomes of the objects that belong to a deleted one. The default of its kind if not written.',
      oneOf('Foreground', 'Background', 'Orphan'),
    ),
  },
  ['schedule'],
);

const { conditionStatus = {} } = policyStatus.properties ?? {};

export const deletingPolicySchema: Schema = object(
  {
    spec: described('Which objects are deleted, and when.', spec),
    status: described(
      'What became of the policy.',
      object({
        lastExecutionTime: described('When the last run ended.', time),
        nextExecutionTime: described('When the next one is due.', time),
        conditionStatus,
      }),
    ),
  },
  ['spec'],
);
