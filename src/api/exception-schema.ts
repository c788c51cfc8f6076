import { anyAllConditions, matchSchema, podSecurityExclusions } from './match-schema.ts';
import { described, flag, listOf, object, type Schema, text, texts, withDefault } from './schema.ts';

export const exceptionSchema: Schema = object(
  {
    spec: described(
      'Which objects are excused from which rules.',
      object(
        {
          background: described(
            'Whether the exception counts for existing objects in reports, too.',
            withDefault(true, flag),
          ),
          match: described('What is excused.', matchSchema),
          conditions: described('Conditions under which the exception counts.', anyAllConditions),
          exceptions: described(
            'The rules it is excused from, by policy; wildcards are possible in rule names.',
            listOf(
              object(
                {
                  policyName: described('A ClusterPolicy, or a Policy as namespace/name.', text),
                  ruleNames: described('Its rules.', texts),
                },
                ['policyName', 'ruleNames'],
              ),
            ),
          ),
          podSecurity: described('Only these controls of podSecurity rules are excused.', podSecurityExclusions),
        },
        ['match', 'exceptions'],
      ),
    ),
  },
  ['spec'],
);
