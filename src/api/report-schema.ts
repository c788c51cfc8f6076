import { described, flag, labelSelector, listOf, object, oneOf, type Schema, text, textMap } from './schema.ts';

const reference = object({
  apiVersion: text,
  kind: text,
  name: text,
  namespace: text,
  uid: text,
  resourceVersion: text,
  fieldPath: text,
});

const count: Schema = { type: 'integer' };

const result = object(
  {
    source: described('Who made the result.', text),
    policy: text,
    rule: text,
    category: text,
    severity: oneOf('critical', 'high', 'medium', 'low', 'info'),
    timestamp: object({ seconds: { type: 'integer', format: 'int64' }, nanos: { type: 'integer', format: 'int32' } }, [
      'seconds',
      'nanos',
    ]),
    result: oneOf('pass', 'fail', 'warn', 'error', 'skip'),
    scored: flag,
    resources: described('The objects that the result is about.', listOf(reference)),
    resourceSelector: labelSelector,
    message: text,
    properties: textMap,
  },
  ['policy'],
);

export const reportSchema: Schema = object({
  scope: described('The one object that the whole report is about, if it is about one.', reference),
  scopeSelector: labelSelector,
  summary: object({ pass: count, fail: count, warn: count, error: count, skip: count }),
  results: listOf(result),
});
