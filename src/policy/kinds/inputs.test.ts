import { expect, it } from 'vitest';
import { compilePolicy, createEvaluation, type PolicyRequest } from '../index.ts';

/** Evaluates a policy, and tells how often its request was asked for the user and the labels of the namespace. */
function judge(validations: readonly string[], variables: readonly string[] = []) {
  const { program, issues } = compilePolicy({
    apiVersion: 'policies.kyverno.io/v1',
    kind: 'ValidatingPolicy',
    metadata: { name: 'p' },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
      },
      variables: variables.map((expression, i) => ({ name: `v${i}`, expression })),
      validations: validations.map((expression) => ({ expression })),
    },
  });
  if (!program) throw new Error(JSON.stringify(issues));
  const asked = { info: 0, labels: 0 };
  const request: PolicyRequest = {
    operation: 'CREATE',
    kind: { group: '', version: 'v1', kind: 'Pod' },
    subresource: '',
    object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'shop' } },
    get namespaceLabels() {
      asked.labels++;
      return { team: 'a' };
    },
    get info() {
      asked.info++;
      return { userInfo: { username: 'ann', groups: [] }, roles: [], clusterRoles: [] };
    },
    uid: 'u',
    now: 0,
  };
  const programs = [program, program];
  const evaluation = createEvaluation(programs, request, { phase: 'validate' });
  // What the engine itself reads of a request is not counted.
  asked.info = asked.labels = 0;
  evaluation.advance(new Map());
  return { results: evaluation.results.map(({ status, message }) => `${status}: ${message}`), ...asked };
}

const passed = ['pass: success', 'pass: success'];

it('makes no request and no namespace for expressions that read none', () => {
  expect(judge(["object.metadata.name == 'web' && oldObject == null"])).toEqual({
    results: passed,
    info: 0,
    labels: 0,
  });
});

it('makes each once for all policies on a request', () => {
  const user = "request.userInfo.username == 'ann'";
  expect(judge([user, user])).toEqual({ results: passed, info: 1, labels: 0 });
  const team = "namespaceObject.metadata.labels.team == 'a'";
  expect(judge([team, team])).toEqual({ results: passed, info: 0, labels: 1 });
});

it('gives variables what they read, whatever the expression that selects them reads', () => {
  const variables = ['request.userInfo.username', "variables.v0 + '!'"];
  expect(judge(["variables.v1 == 'ann!'"], variables)).toMatchObject({ results: passed, info: 1 });
  expect(judge(['true'], variables)).toMatchObject({ results: passed, info: 0 });
});

it('gives libraries and what exceptions allow, in loops and branches too', () => {
  expect(judge(["['{}'].all(text, json.unmarshal(text) == {})"]).results).toEqual(passed);
  expect(judge(["object.metadata.name == 'web' ? size(exceptions.allowedImages) == 0 : false"]).results).toEqual(
    passed,
  );
});
