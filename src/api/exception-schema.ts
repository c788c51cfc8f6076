import { anyAllConditions, matchSchema, podSecurityExclusions } from './match-schema.ts';
import { described, flag, listOf, object, type Schema, text, texts, withDefault } from './schema.ts';

export const exceptionSchema: Schema = object(
  {
    spec: object(
      {
        background: withDefault(true, flag),
        match: described('What is excused.', matchSchema),
        conditions: anyAllConditions,
        exceptions: described(
          'The rules it is excused from, by policy; wildcards are possible in rule names.',
          listOf(object({ policyName: text, ruleNames: texts }, ['policyName', 'ruleNames'])),
        ),
        podSecurity: podSecurityExclusions,
      },
      ['match', 'exceptions'],
    ),
  },
  ['spec'],
);
