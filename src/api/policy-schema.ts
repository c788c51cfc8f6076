import { failureAction, failureActionOverrides, ruleSchema } from './rule-schema.ts';
import {
  conditions,
  described,
  flag,
  freeObject,
  integer,
  listOf,
  object,
  oneOf,
  type Schema,
  text,
  withDefault,
} from './schema.ts';

const timeoutSeconds: Schema = { type: 'integer', format: 'int32', minimum: 1, maximum: 30 };

const spec = object({
  rules: described('What is looked at, and what happens then; by name, each on its own.', listOf(ruleSchema)),
  applyRules: oneOf('All', 'One'),
  admission: described('Whether the policy is applied to requests.', withDefault(true, flag)),
  background: described('Whether the policy is applied to what is already there.', withDefault(true, flag)),
  emitWarning: described('Whether people are warned of what is admitted and fails.', withDefault(false, flag)),
  failurePolicy: described(
    'What happens to a request that cannot be evaluated; Fail if not written.',
    oneOf('Ignore', 'Fail'),
  ),
  generateExisting: flag,
  generateExistingOnPolicyUpdate: flag,
  mutateExistingOnPolicyUpdate: flag,
  schemaValidation: flag,
  useServerSideApply: flag,
  validationFailureAction: described(
    'Enforce refuses what fails, Audit reports it; a rule has its own in validate.failureAction.',
    withDefault('Audit', failureAction),
  ),
  validationFailureActionOverrides: failureActionOverrides,
  webhookConfiguration: object({
    failurePolicy: oneOf('Ignore', 'Fail'),
    timeoutSeconds,
    matchConditions: listOf(object({ name: text, expression: text }, ['name', 'expression'])),
  }),
  webhookTimeoutSeconds: timeoutSeconds,
});

const status = object({
  autogen: object({ rules: listOf(freeObject) }),
  conditions,
  ready: flag,
  rulecount: object({ validate: integer, mutate: integer, generate: integer, verifyimages: integer }),
  validatingadmissionpolicy: object({ generated: flag, message: text }),
});

export const policySchema: Schema = object({ spec, status }, ['spec']);
