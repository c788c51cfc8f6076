import { validateDnsLabel } from '../../../object/index.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts';
import { quote, renderBadValue, Verbatim } from '../go-text.ts';
import { Path } from '../path.ts';
import { type Fields, isObject, isUnset, listIn, numberIn, objectIn, stringIn } from '../value.ts';
import { checkNonNegative, checkOneOf, checkOptionalOneOf } from './common.ts';
import { checkPodTemplate } from './pod.ts';
import { scheduleError } from './schedule.ts';
import { checkSelector, isEmptySelector, selectorMatches } from './selector.ts';

const specPath = Path.of('spec');

export function checkDeployment(object: Fields, errors: FieldError[]): void {
  const spec = objectIn(object, 'spec') ?? {};
  checkNonNegative(spec, ['replicas'], specPath, errors);
  checkOwnSelector(spec, 'deployment', errors);
  checkTemplate(spec, 'ReplicaSet', errors);
  checkStrategy(objectIn(spec, 'strategy') ?? {}, specPath.child('strategy'), errors);
  checkNonNegative(spec, ['minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds'], specPath, errors);
  const deadline = numberIn(spec, 'progressDeadlineSeconds');
  if (deadline !== undefined && deadline <= (numberIn(spec, 'minReadySeconds') ?? 0)) {
    errors.push(invalid(specPath.child('progressDeadlineSeconds'), deadline, 'must be greater than minReadySeconds'));
  }
}

function checkStrategy(strategy: Fields, where: Path, errors: FieldError[]): void {
  if (strategy['type'] === 'Recreate') {
    if (!isUnset(strategy['rollingUpdate'])) {
      errors.push(forbidden(where.child('rollingUpdate'), "may not be specified when strategy `type` is 'Recreate'"));
    }
  } else if (strategy['type'] !== 'RollingUpdate') {
    const rolling = isUnset(strategy['rollingUpdate']) ? 'null' : renderBadValue(strategy['rollingUpdate']);
    // The real server shows its internal type here, whose fields begin with capitals.
    const shown = new Verbatim(`{"Type":${quote(stringIn(strategy, 'type'))},"RollingUpdate":${rolling}}`);
    errors.push(notSupported(where, shown, ['Recreate', 'RollingUpdate']));
  } else {
    const rolling = objectIn(strategy, 'rollingUpdate') ?? {};
    if (isZeroCount(rolling['maxUnavailable']) && isZeroCount(rolling['maxSurge'])) {
      const here = where.child('rollingUpdate', 'maxUnavailable');
      errors.push(invalid(here, rolling['maxUnavailable'], 'may not be 0 when `maxSurge` is 0'));
    }
  }
}

const isZeroCount = (value: unknown) => value === 0 || value === '0%';

export function checkReplicaSet(object: Fields, errors: FieldError[]): void {
  const spec = objectIn(object, 'spec') ?? {};
  checkNonNegative(spec, ['replicas', 'minReadySeconds'], specPath, errors);
  // The real server says "deployment" here too.
  checkOwnSelector(spec, 'deployment', errors);
  checkTemplate(spec, 'ReplicaSet', errors);
}

export function checkDaemonSet(object: Fields, errors: FieldError[]): void {
  const spec = objectIn(object, 'spec') ?? {};
  checkOwnSelector(spec, 'daemonset', errors);
  checkTemplate(spec, 'DaemonSet', errors);
  checkNonNegative(spec, ['minReadySeconds', 'revisionHistoryLimit'], specPath, errors);
  const types = ['RollingUpdate', 'OnDelete'];
  checkOptionalOneOf(objectIn(spec, 'updateStrategy') ?? {}, 'type', types, specPath.child('updateStrategy'), errors);
}

export function checkStatefulSet(object: Fields, errors: FieldError[]): void {
  const spec = objectIn(object, 'spec') ?? {};
  const policy = stringIn(spec, 'podManagementPolicy');
  if (policy !== 'OrderedReady' && policy !== 'Parallel') {
    const must = "must be 'OrderedReady' or 'Parallel'";
    errors.push(invalid(specPath.child('podManagementPolicy'), policy, must));
  }
  const strategy = objectIn(spec, 'updateStrategy') ?? {};
  if (strategy['type'] !== 'RollingUpdate' && strategy['type'] !== 'OnDelete') {
    errors.push(invalid(specPath.child('updateStrategy'), strategy, "must be 'RollingUpdate' or 'OnDelete'"));
  }
  checkNonNegative(spec, ['replicas', 'minReadySeconds', 'revisionHistoryLimit'], specPath, errors);
  const service = stringIn(spec, 'serviceName');
  if (service !== '') {
    for (const message of validateDnsLabel(service))
      errors.push(invalid(specPath.child('serviceName'), service, message));
  }
  checkOwnSelector(spec, 'statefulset', errors);
  checkTemplate(spec, 'StatefulSet', errors);
}

function checkOwnSelector(spec: Fields, kind: string, errors: FieldError[]): void {
  const selector = objectIn(spec, 'selector');
  const where = specPath.child('selector');
  if (!selector) {
    // A daemon set without a selector is told only that it matches nothing.
    if (kind !== 'daemonset') errors.push(required(where));
    return;
  }
  const before = errors.length;
  checkSelector(selector, where, errors);
  const isMalformed = errors.length > before;
  if (isMalformed && kind !== 'daemonset') {
    errors.push(invalid(where, selector, kind === 'statefulset' ? '' : 'invalid label selector'));
  }
  if (isEmptySelector(selector)) errors.push(invalid(where, selector, `empty selector is invalid for ${kind}`));
}

function checkTemplate(spec: Fields, owner: string, errors: FieldError[]): void {
  const where = specPath.child('template');
  const template = objectIn(spec, 'template') ?? {};
  const selector = objectIn(spec, 'selector');
  if (!selector || !isEmptySelector(selector)) checkMatch(selector, template, where, errors);
  const claims = listIn(spec, 'volumeClaimTemplates').map((claim) =>
    isObject(claim) ? stringIn(objectIn(claim, 'metadata'), 'name') : '',
  );
  checkPodTemplate(template, where, errors, claims);
  const podSpec = objectIn(template, 'spec');
  const policy = stringIn(podSpec, 'restartPolicy');
  if (policy !== 'Always') errors.push(notSupported(where.child('spec', 'restartPolicy'), policy, ['Always']));
  if (!isUnset(podSpec?.['activeDeadlineSeconds'])) {
    const detail = `activeDeadlineSeconds in ${owner} is not Supported`;
    errors.push(forbidden(where.child('spec', 'activeDeadlineSeconds'), detail));
  }
}

function checkMatch(selector: Fields | undefined, template: Fields, where: Path, errors: FieldError[]): void {
  const labels = objectIn(objectIn(template, 'metadata'), 'labels');
  // No selector selects nothing.
  if (!selector || selectorMatches(selector, labels ?? {}) === false) {
    errors.push(
      invalid(where.child('metadata', 'labels'), labels ?? null, '`selector` does not match template `labels`'),
    );
  }
}

export function checkJob(object: Fields, errors: FieldError[]): void {
  const spec = objectIn(object, 'spec') ?? {};
  checkJobSpec(spec, specPath, errors);
  const selector = objectIn(spec, 'selector');
  // The server's strategy generates the selector; without one there is nothing to compare.
  if (!selector) return;
  checkSelector(selector, specPath.child('selector'), errors);
  checkMatch(selector, objectIn(spec, 'template') ?? {}, specPath.child('template'), errors);
}

const jobNumbers = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];

function checkJobSpec(spec: Fields, where: Path, errors: FieldError[]): void {
  checkNonNegative(spec, jobNumbers, where, errors);
  checkOptionalOneOf(spec, 'completionMode', ['NonIndexed', 'Indexed'], where, errors);
  if (spec['completionMode'] === 'Indexed' && isUnset(spec['completions'])) {
    errors.push(required(where.child('completions'), 'when completion mode is Indexed'));
  }
  if (spec['completionMode'] !== 'Indexed') {
    for (const key of ['backoffLimitPerIndex', 'maxFailedIndexes']) {
      if (!isUnset(spec[key])) errors.push(invalid(where.child(key), spec[key], 'requires indexed completion mode'));
    }
  }
  const template = objectIn(spec, 'template') ?? {};
  checkPodTemplate(template, where.child('template'), errors);
  const policy = stringIn(objectIn(template, 'spec'), 'restartPolicy');
  const here = where.child('template', 'spec', 'restartPolicy');
  if (policy === 'Always' || policy === '') errors.push(required(here, 'valid values: "OnFailure", "Never"'));
  else if (policy !== 'OnFailure' && policy !== 'Never') {
    errors.push(notSupported(here, policy, ['OnFailure', 'Never']));
  } else if (!isUnset(spec['podFailurePolicy']) && policy !== 'Never') {
    errors.push(invalid(here, policy, 'only "Never" is supported when podFailurePolicy is specified'));
  }
}

export function checkCronJob(object: Fields, errors: FieldError[], old?: Fields): void {
  const spec = objectIn(object, 'spec') ?? {};
  const schedule = stringIn(spec, 'schedule');
  const where = specPath.child('schedule');
  if (schedule === '') errors.push(required(where));
  else {
    const mistake = scheduleError(schedule);
    if (mistake !== undefined) errors.push(invalid(where, schedule, mistake));
    const hadZone = stringIn(objectIn(old, 'spec'), 'schedule').includes('TZ');
    if (schedule.includes('TZ') && !hadZone) {
      errors.push(invalid(where, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
    }
  }
  checkTimeZone(spec, errors);
  checkOneOf(spec, 'concurrencyPolicy', ['Allow', 'Forbid', 'Replace'], specPath, errors);
  const numbers = ['startingDeadlineSeconds', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit'];
  checkNonNegative(spec, numbers, specPath, errors);
  const job = objectIn(objectIn(spec, 'jobTemplate'), 'spec') ?? {};
  checkJobSpec(job, specPath.child('jobTemplate', 'spec'), errors);
  const name = stringIn(objectIn(object, 'metadata'), 'name');
  // Eleven characters are kept for the suffix that names the Jobs.
  if (!old && name.length > 52) {
    errors.push(invalid(Path.of('metadata', 'name'), name, 'must be no more than 52 characters'));
  }
}

function checkTimeZone(spec: Fields, errors: FieldError[]): void {
  if (isUnset(spec['timeZone'])) return;
  const zone = stringIn(spec, 'timeZone');
  const where = specPath.child('timeZone');
  if (zone === '') errors.push(invalid(where, zone, 'timeZone must be nil or non-empty string'));
  else if (zone.toLowerCase() === 'local') {
    errors.push(
      invalid(where, zone, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'),
    );
  } else if (!isTimeZone(zone)) errors.push(invalid(where, zone, `unknown time zone ${zone}`));
}

function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch (thrown) {
    if (thrown instanceof RangeError) return false;
    throw thrown;
  }
}
