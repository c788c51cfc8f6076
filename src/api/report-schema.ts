import { described, flag, labelSelector, listOf, object, oneOf, type Schema, text, textMap } from './schema.ts';

const reference = object({
  apiVersion: described('Its API version.', text),
  kind: described('Its kind.', text),
  name: described('Its name.', text),
  namespace: described('Its namespace.', text),
  uid: described('Its UID.', text),
  resourceVersion: described('Its resourceVersion.', text),
  fieldPath: described('The part of it that the result is about.', text),
});

const count = (what: string): Schema => described(what, { type: 'integer' });

const result = object(
  {
    source: described('Who made the result.', text),
    policy: described('The policy; a Policy as namespace/name.', text),
    rule: described('The rule of the policy.', text),
    category: described('The category that the policy declares in an annotation.', text),
    severity: described(
      'The severity that the policy declares in an annotation.',
      oneOf('critical', 'high', 'medium', 'low', 'info'),
    ),
    timestamp: described(
      'When the result was found.',
      object(
        {
          seconds: described('Seconds since 1970.', { type: 'integer', format: 'int64' }),
          nanos: described('Nanoseconds of that second.', { type: 'integer', format: 'int32' }),
        },
        ['seconds', 'nanos'],
      ),
    ),
    result: described('What the rule says of the object.', oneOf('pass', 'fail', 'warn', 'error', 'skip')),
    scored: described('Whether the result counts in scores; false for rules that only warn.', flag),
    resources: described('The objects that the result is about.', listOf(reference)),
    resourceSelector: described('The objects that the result is about, by label.', labelSelector),
    message: described('Why the rule says so.', text),
    properties: described('More about the result, by name.', textMap),
  },
  ['policy'],
);

export const reportSchema: Schema = object({
  scope: described('The one object that the whole report is about, if it is about one.', reference),
  scopeSelector: described('The objects that the whole report is about, by label.', labelSelector),
  summary: described(
    'How many results there are of each kind.',
    object({
      pass: count('Rules that are satisfied.'),
      fail: count('Rules that are not satisfied.'),
      warn: count('Rules that are not satisfied and only warn.'),
      error: count('Rules that could not be evaluated.'),
      skip: count('Rules that were left out for the object, by an exception or a precondition.'),
    }),
  ),
  results: described('The results, one for each rule and object.', listOf(result)),
});
