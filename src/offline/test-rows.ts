import type { KubeObject } from '../object/index.ts';
import { difference } from './compare.ts';
import type { EngineResponse, RuleResponse } from './evaluator.ts';
import { resourceName } from './resources.ts';
import type { ExpectedResult, TestSpec } from './test-file.ts';
import type { TestSetup } from './test-setup.ts';
import { isRuleNamed } from './values.ts';

/** One expectation on one resource, with its result. */
export interface Row {
  readonly policy: string;
  readonly rule: string;
  readonly resource: string;
  readonly kind: string;
  readonly expected: string;
  /** The status of the rule; `none` if it had no result. */
  readonly actual: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Why it differs from the expectation, or why it was skipped. */
  readonly reason: string;
}

/** All rows of a test: one per resource that a result names. */
export function checkTest(test: TestSpec, setup: TestSetup): readonly Row[] {
  return (test.results ?? []).flatMap((expected) =>
    subjectsOf(expected).map((subject) => checkRow(expected, subject, setup)),
  );
}

interface Subject {
  readonly shown: string;
  names(resource: KubeObject): boolean;
}

const everything: Subject = { shown: '*', names: () => true };

/** A name, or namespace and name; without any, all resources match. */
function subjectsOf({ resources = [], resourceSpecs = [] }: ExpectedResult): readonly Subject[] {
  const named = resources.map((text): Subject => {
    const [name, namespace] = text.split('/').reverse();
    return {
      shown: text,
      names: ({ metadata }) =>
        metadata.name === name && (namespace === undefined || (metadata.namespace ?? '') === namespace),
    };
  });
  const specified = resourceSpecs.map((spec): Subject => {
    const { group = '', version = '', kind, namespace = '', name = '' } = spec;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    return {
      shown: [kind, namespace, name].filter(Boolean).join('/'),
      names: (resource) =>
        resource.apiVersion === apiVersion &&
        (kind === undefined || resource.kind === kind) &&
        (resource.metadata.namespace ?? '') === namespace &&
        resource.metadata.name === name,
    };
  });
  const subjects = [...named, ...specified];
  return subjects.length > 0 ? subjects : [everything];
}

function checkRow(expected: ExpectedResult, subject: Subject, setup: TestSetup): Row {
  const { policy, rule = '', kind = '', result } = expected;
  const row = { policy, rule, resource: subject.shown, kind, expected: result };
  const name = policy.split('/').at(-1);
  const isKnown = setup.policies.programs.some((program) => program.policy.metadata.name === name);
  const rejected = [...setup.unsupported, ...setup.policies.invalid].find((candidate) => candidate.name === name);
  if (!isKnown && rejected && setup.unsupported.includes(rejected))
    return { ...row, actual: 'none', outcome: 'skipped', reason: notSupportedYet(rejected.reason) };
  const blocked = unsupportedException(setup);
  if (blocked) return { ...row, actual: 'none', outcome: 'skipped', reason: notSupportedYet(blocked) };
  if (!isKnown) {
    const reason = rejected ? `the policy is not valid: ${rejected.reason}` : `there is no policy ${policy}`;
    return { ...row, actual: 'none', outcome: 'failed', reason };
  }
  const checks = findResponses(expected, name!, subject, setup).map((found) => checkResponse(expected, found, setup));
  if (checks.length === 0) return silent(row, subject, setup);
  const wrong = checks.find(({ reason }) => reason !== '');
  const { actual, reason } = wrong ?? checks[0]!;
  return { ...row, actual, outcome: wrong ? 'failed' : 'passed', reason };
}

const notSupportedYet = (reason: string) =>
  reason.includes('not supported yet') ? reason : `not supported yet: ${reason}`;

/** A test with an exception that is not supported proves nothing. */
function unsupportedException({ unsupported }: TestSetup): string | undefined {
  return unsupported.find(({ kind }) => kind === 'PolicyException')?.reason;
}

function silent(row: Omit<Row, 'actual' | 'outcome' | 'reason'>, subject: Subject, setup: TestSetup): Row {
  const isThere = [...setup.triggers, ...setup.targets].some((resource) => subject.names(resource));
  const reason = isThere ? 'the rule has no result for this resource' : 'there is no such resource';
  if (row.expected === 'skip') return { ...row, actual: 'none', outcome: 'passed', reason: '' };
  return { ...row, actual: 'none', outcome: 'failed', reason };
}

interface Found {
  readonly response: RuleResponse;
  /** What the rule changed or generated, to compare with the expectation. */
  readonly object: KubeObject | undefined;
}

function findResponses(expected: ExpectedResult, policy: string, subject: Subject, setup: TestSetup): readonly Found[] {
  const { rule = '', operation } = expected;
  const responses = setup.responses(operation);
  const isMeant = ({ result }: RuleResponse) =>
    result.policy.policy.metadata.name === policy &&
    // Policies of expressions have no rules to name.
    (rule === '' || result.policy.form === 'cel' || isRuleNamed(result.rule.name, rule));
  const ofTriggers = responses
    .filter(({ resource }) => subject.names(resource))
    .flatMap(({ rules }: EngineResponse) => rules.filter(isMeant).flatMap(triggerResponses));
  const ofTargets = responses.flatMap(({ rules }) =>
    rules
      .filter(isMeant)
      .flatMap((response) =>
        (response.result.targets ?? [])
          .filter((target) => subject.names(target) && setup.targets.some((known) => isSame(known, target)))
          .map((object) => ({ response, object })),
      ),
  );
  return ofTargets.length > 0 && subject !== everything ? ofTargets : [...ofTriggers, ...ofTargets];
}

function triggerResponses(response: RuleResponse): readonly Found[] {
  const { generated } = response.result;
  if (generated?.length) return generated.map((object) => ({ response, object }));
  return [{ response, object: response.object }];
}

function isSame(a: KubeObject, b: KubeObject): boolean {
  return (
    a.apiVersion === b.apiVersion &&
    a.kind === b.kind &&
    a.metadata.name === b.metadata.name &&
    (a.metadata.namespace ?? '') === (b.metadata.namespace ?? '')
  );
}

/** An empty reason means that the expectation is met. */
function checkResponse(expected: ExpectedResult, found: Found, setup: TestSetup): { actual: string; reason: string } {
  const actual = reportedStatus(found.response);
  const { message } = found.response.result;
  if (actual === 'pass' && expected.result === 'fail' && isRefuted(expected, found, setup))
    return { actual: 'fail', reason: '' };
  if (actual !== expected.result) {
    return { actual, reason: message === '' ? 'the rule has no message' : message };
  }
  const reason = compareObjects(expected, found, setup) ?? '';
  return { actual: reason === '' ? actual : 'different', reason };
}

/** A mutation or generation is expected to fail if the named file shows what must not be the result. */
function isRefuted(expected: ExpectedResult, found: Found, setup: TestSetup): boolean {
  const isNamed = expected.patchedResources ?? expected.generatedResource ?? expected.generatedResources?.length;
  return Boolean(isNamed) && compareObjects({ ...expected, failOnMissingResources: true }, found, setup) !== undefined;
}

/** A failure of an unscored policy is a warning. */
function reportedStatus({ result: { status, policy } }: RuleResponse): string {
  const isScored = policy.policy.metadata.annotations?.['policies.kyverno.io/scored'] !== 'false';
  return status === 'fail' && !isScored ? 'warn' : status;
}

function compareObjects(expected: ExpectedResult, { response, object }: Found, setup: TestSetup): string | undefined {
  const { patchedResources, generatedResource, failOnMissingResources } = expected;
  const isGenerate = response.result.rule.phase === 'generate';
  if (patchedResources && !isGenerate && object) {
    const wanted = setup.objects(patchedResources).find((candidate) => isSame(candidate, object));
    if (!wanted) {
      return failOnMissingResources ? `${resourceName(object)} is not in ${patchedResources}` : undefined;
    }
    const diff = difference(wanted, object);
    return diff && `${resourceName(object)} is not what ${patchedResources} says:\n${diff}`;
  }
  const files = expected.generatedResources?.length
    ? expected.generatedResources
    : generatedResource
      ? [generatedResource]
      : [];
  if (!isGenerate || files.length === 0) return undefined;
  if (!response.result.generated?.length)
    return response.result.status === 'pass' ? 'nothing was generated' : undefined;
  const wanted = files.flatMap((file) => setup.objects(file)).filter((candidate) => isSame(candidate, object!));
  if (wanted.length === 0) return `${resourceName(object!)} was generated, but is not in ${files.join(', ')}`;
  const diffs = wanted.map((candidate) => difference(candidate, object!));
  return diffs.includes(undefined)
    ? undefined
    : `${resourceName(object!)} is not what ${files.join(', ')} says:\n${diffs[0]}`;
}
