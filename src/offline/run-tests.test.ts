import { describe, expect, it } from 'vitest';
import { memoryFiles } from '../manifests/index.ts';
import { findTests, listedTests, runTestFile } from './run-tests.ts';

const mutate = `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
    - name: r
      match: {any: [{resources: {kinds: [Pod]}}]}
      mutate: {patchStrategicMerge: {metadata: {labels: {a: b}}}}
`;
const pod = (labels = '') => `apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n${labels}`;
const testOf = (result: string, head = 'apiVersion: cli.kyverno.io/v1alpha1\nkind: Test\n') =>
  `${head}policies: [p.yaml]\nresources: [r.yaml]\nresults: [{policy: p, rule: r, resources: [web], ${result}}]\n`;

function run(test: string, more: Readonly<Record<string, string>> = {}) {
  const texts = {
    'd/p.yaml': mutate,
    'd/r.yaml': pod(),
    'd/good.yaml': pod('  labels: {a: b}\n'),
    'd/bad.yaml': pod(),
    ...more,
  };
  return runTestFile(memoryFiles({ ...texts, 'd/t.yaml': test }), 'd/t.yaml', 0);
}

describe('a row of a test', () => {
  it('passes if the status and the object are as expected', () => {
    expect(run(testOf('result: pass, patchedResources: good.yaml'))).toMatchObject([{ outcome: 'passed', test: 'd' }]);
  });

  it('fails with the difference', () => {
    const [row] = run(testOf('result: pass, patchedResources: bad.yaml'));
    expect(row).toMatchObject({ outcome: 'failed', expected: 'pass', actual: 'different' });
    expect(row?.reason).toMatch(/^Pod\/default\/web is not what bad\.yaml says:\n[\s\S]*\+ {4,}a: b/);
  });

  it('that expects a mutation to fail passes only if the file differs', () => {
    expect(run(testOf('result: fail, patchedResources: bad.yaml'))).toMatchObject([{ outcome: 'passed' }]);
    expect(run(testOf('result: fail, patchedResources: good.yaml'))).toMatchObject([{ outcome: 'failed' }]);
    expect(run(testOf('result: fail'))).toMatchObject([{ outcome: 'failed', actual: 'pass' }]);
  });

  it('fails if the rule has no result, unless a skip is expected', () => {
    const service = { 'd/r.yaml': 'apiVersion: v1\nkind: Service\nmetadata: {name: web}\n' };
    expect(run(testOf('result: pass'), service)).toMatchObject([{ outcome: 'failed', actual: 'none' }]);
    expect(run(testOf('result: skip'), service)).toMatchObject([{ outcome: 'passed' }]);
  });

  it('is skipped if its policy is not supported yet', () => {
    const policy =
      'apiVersion: policies.kyverno.io/v1alpha1\nkind: ImageValidatingPolicy\nmetadata: {name: p}\nspec: {}\n';
    const [row] = run(testOf('result: pass'), { 'd/p.yaml': policy });
    expect(row).toMatchObject({ outcome: 'skipped', reason: expect.stringContaining('not supported yet') });
  });
});

describe('a test file', () => {
  it('may have another apiVersion, or none', () => {
    expect(run(testOf('result: pass', ''))).toMatchObject([{ outcome: 'passed' }]);
    expect(run(testOf('result: pass', 'apiVersion: kyverno.io/v1\nkind: Test\n'))).toMatchObject([
      { outcome: 'passed' },
    ]);
  });

  it('of another kind, or with unknown fields, is rejected', () => {
    expect(() => run(testOf('result: pass', 'kind: Pod\n'))).toThrow(
      'd/t.yaml:1: kind: Test is expected here, not Pod',
    );
    expect(() => run(testOf('result: pass, patched: x'))).toThrow('results[0]: unknown field "patched"');
  });
});

describe('tests are found', () => {
  const files = memoryFiles({
    'd/.kyverno-test/t.yaml': '',
    'd/e/t.yaml': '',
    'd/other.yaml': '',
    list: '# some\nd/e\n\nx/t.yaml\n',
  });

  it('below folders, hidden ones too', () => {
    expect(findTests(files, ['d'], 't.yaml')).toEqual(['d/.kyverno-test/t.yaml', 'd/e/t.yaml']);
    expect(() => findTests(files, ['d'], 'none.yaml')).toThrow('there is no none.yaml in d');
  });

  it('by a list, each folder by itself', () => {
    expect(listedTests(files, 'list', 't.yaml')).toEqual(['d/e/t.yaml', 'x/t.yaml']);
  });
});
