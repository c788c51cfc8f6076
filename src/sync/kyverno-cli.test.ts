import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { locateKyverno } from '../../test/support/kyverno.ts';
import type { KubeObject } from '../object/index.ts';
import { createKyvernoCliValidator, problemIn } from './kyverno-cli.ts';

const summary = '\npass: 0, fail: 0, warn: 0, error: 0, skip: 0 \n';

test.each([
  ['a policy that fits', `\nApplying 3 policy rule(s) to 1 resource(s)...\n${summary}`, undefined],
  [
    'a policy that the resource violates',
    '\nApplying 1 policy rule(s) to 1 resource(s)...\npolicy x -> resource default/ConfigMap/y failed:\n1 - r m\n\npass: 0, fail: 1, warn: 0, error: 0, skip: 0 \n',
    undefined,
  ],
  ['a policy that was not loaded', `\nApplying 0 policy rule(s) to 1 resource(s)...\n${summary}`, /no rule in it/],
  [
    'a policy that is skipped',
    `\nApplying 3 policy rule(s) to 1 resource(s)...\n----\nPolicies Skipped:\n1. both: only one of\n----\n${summary}`,
    /^1\. both: only one of$/,
  ],
  [
    'an error',
    '\nApplying 1 policy rule(s) to 1 resource(s)...\nError: failed to compile\n',
    /Error: failed to compile/,
  ],
  ['nothing', '', /^$/],
])('what the Kyverno CLI prints about %s is understood', (_, output, problem) => {
  if (problem === undefined) expect(problemIn(output)).toBeUndefined();
  else expect(problemIn(output)).toMatch(problem);
});

const located = await locateKyverno({ ...process.env, SUPERCARGO_KYVERNO: '' }, ['command']);
if (!located.kyverno) console.info(`not asked: the real Kyverno CLI; ${located.reason}`);

describe.skipIf(!located.kyverno)('the real Kyverno CLI', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'supercargo-kyverno-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const policy = (rule: object, kinds = ['Pod']): KubeObject => ({
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: { name: 'p' },
    spec: { rules: [{ name: 'r', match: { any: [{ resources: { kinds } }] }, ...rule }] },
  });
  const celPolicy = (validation: object): KubeObject => ({
    apiVersion: 'policies.kyverno.io/v1',
    kind: 'ValidatingPolicy',
    metadata: { name: 'p' },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      },
      validations: [validation],
    },
  });
  const validate = { message: 'm', pattern: { metadata: { labels: { team: '?*' } } } };
  const right: readonly [string, KubeObject][] = [
    ['a rule', policy({ validate })],
    ['a rule that the resource violates', policy({ validate }, ['ConfigMap'])],
    ['a CEL policy', celPolicy({ expression: "object.metadata.name != 'x'" })],
  ];
  const wrong: readonly [string, KubeObject][] = [
    ['a misspelt rule', policy({ validat: validate })],
    ['two kinds of validation in one rule', policy({ validate: { ...validate, deny: {} } })],
    ['an expression that does not compile', celPolicy({ expression: 'object.metadata.(' })],
    ['a misspelt field of a CEL policy', celPolicy({ expresion: 'true' })],
  ];
  const problemsOf = (object: KubeObject) =>
    createKyvernoCliValidator({
      program: located.kyverno!.command,
      env: { PATH: process.env['PATH'] ?? '', HOME: folder },
      temporaryDir: folder,
    })(object, new AbortController().signal);

  test.each(right)('accepts %s', async (_, object) => expect(await problemsOf(object)).toEqual([]), 60_000);
  test.each(wrong)(
    'refuses %s',
    async (_, object) =>
      expect(await problemsOf(object)).toEqual([expect.stringContaining('the Kyverno CLI refuses it')]),
    60_000,
  );
});
