import { ruleSchema } from './rule-schema.ts';
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
import { failureAction, failureActionOverrides } from './validate-schema.ts';

const timeoutSeconds: Schema = { type: 'integer', format: 'int32', minimum: 1, maximum: 30 };
const deprecated = (field: string) => `The same as ${field} of rules that do not write it.`;

const webhookConfiguration = object({
  failurePolicy: described('As spec.failurePolicy.', oneOf('Ignore', 'Fail')),
  timeoutSeconds: described('How many seconds the API server waits for an answer.', timeoutSeconds),
  matchConditions: described(
    'CEL conditions that the API server evaluates before it calls the webhook; all must hold.',
    listOf(
      object(
        {
          name: described('The name of the condition.', text),
          expression: described('A CEL expression that is true or false.', text),
        },
        ['name', 'expression'],
      ),
    ),
  ),
});

const spec = object({
  rules: described('What is looked at, and what happens then; by name, each on its own.', listOf(ruleSchema)),
  applyRules: described(
    'Whether all rules that match are applied to an object, or only the first one. All if not written.',
    oneOf('All', 'One'),
  ),
  admission: described('Whether the policy is applied to requests.', withDefault(true, flag)),
  background: described('Whether the policy is applied to what is already there.', withDefault(true, flag)),
  emitWarning: described('Whether people are warned of what is admitted and fails.', withDefault(false, flag)),
  failurePolicy: described(
    'What happens to a request that cannot be evaluated; Fail if not written.',
    oneOf('Ignore', 'Fail'),
  ),
  generateExisting: described(deprecated('generate.generateExisting'), flag),
  generateExistingOnPolicyUpdate: described('The old name of generateExisting.', flag),
  mutateExistingOnPolicyUpdate: described(deprecated('mutate.mutateExistingOnPolicyUpdate'), flag),
  schemaValidation: described('Accepted for compatibility; schemas are checked by the API server.', flag),
  useServerSideApply: described('Accepted with a warning: generated objects are replaced as a whole.', flag),
  validationFailureAction: described(
    'Enforce refuses what fails, Audit reports it; a rule has its own in validate.failureAction.',
    withDefault('Audit', failureAction),
  ),
  validationFailureActionOverrides: failureActionOverrides,
  webhookConfiguration: described('How the API server calls the webhook of this policy.', webhookConfiguration),
  webhookTimeoutSeconds: described('The old place of webhookConfiguration.timeoutSeconds.', timeoutSeconds),
});

const ruleCount = (what: string) => described(`How many rules ${what}.`, integer);

const status = object({
  autogen: described(
    'The rules that follow from rules for pods.',
    object({ rules: described('For controllers of pods and for CronJobs.', listOf(freeObject)) }),
  ),
  conditions: described('Ready: whether the policy is in force. Others tell what prevents a part of it.', conditions),
  ready: described('Whether the policy is in force, as the condition Ready.', flag),
  rulecount: described(
    'The rules of the policy by type.',
    object({
      validate: ruleCount('validate'),
      mutate: ruleCount('mutate'),
      generate: ruleCount('generate'),
      verifyimages: ruleCount('verify images'),
    }),
  ),
  validatingadmissionpolicy: described(
    'Whether a ValidatingAdmissionPolicy is made of this policy.',
    object({
      generated: described('Whether there is one.', flag),
      message: described('Why there is none.', text),
    }),
  ),
});

export const policySchema: Schema = object(
  {
    spec: described('The rules, and how they are applied.', spec),
    status: described('Whether the policy is in force; written by the controller.', status),
  },
  ['spec'],
);
