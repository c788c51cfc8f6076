import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { corpusFolder, isClassic, readCatalogue } from '../../../test/conformance/corpus.ts';
import { isJsonObject, parseYaml, parseYamlDocuments } from '../../base/index.ts';
import { checkPolicy, policyIssueCodes } from './index.ts';

interface InvalidCase {
  readonly title: string;
  readonly policy?: Readonly<Record<string, unknown>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly rule?: Readonly<Record<string, unknown>>;
  readonly code: string;
  readonly path: string;
}

const folder = path.join(import.meta.dirname, 'cases');
const cases = readdirSync(folder).flatMap((file) =>
  (parseYaml(readFileSync(path.join(folder, file), 'utf8')) as unknown as InvalidCase[]).map((each) => ({
    ...each,
    file,
  })),
);

/** Fields laid over others; null takes one away. */
function laidOver(under: object, over: Readonly<Record<string, unknown>> = {}): object {
  const merged = Object.entries({ ...under, ...over });
  return Object.fromEntries(merged.filter(([key, value]) => !(value === null && key in over)));
}

function policyOf({ policy, spec, rule }: Pick<InvalidCase, 'policy' | 'spec' | 'rule'>): object {
  const base = {
    name: 'r',
    match: { any: [{ resources: { kinds: ['Pod'] } }] },
    validate: { message: 'm', pattern: { metadata: { name: '?*' } } },
  };
  const whole = laidOver({ rules: [laidOver(base, rule)] }, spec);
  return laidOver({ apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: { name: 'p' }, spec: whole }, policy);
}

describe('a policy with one mistake', () => {
  it('is built on one that has none', () => expect(checkPolicy(policyOf({}))).toEqual([]));

  it.each(cases)('$title: $code at $path', (each) => {
    const issues = checkPolicy(policyOf(each)).filter(({ severity }) => severity === 'error');
    expect(issues.map(({ code, path: place }) => ({ code, path: place }))).toContainEqual({
      code: each.code,
      path: each.path,
    });
    for (const { code, message } of issues) {
      expect(policyIssueCodes).toContain(code);
      expect(message).not.toBe('');
    }
  });

  it('is one of at least 80, and most codes are among them', () => {
    expect(cases.length).toBeGreaterThanOrEqual(80);
    const elsewhere = ['policy-deprecated', 'policy-limit', 'policy-variable-cycle'];
    const codes = new Set([...elsewhere, ...cases.map(({ code }) => code)]);
    expect(policyIssueCodes.filter((code) => !codes.has(code))).toEqual([]);
  });
});

describe('what is not a policy', () => {
  it.each([null, undefined, 5, 'text', [], {}, { kind: 'ClusterPolicy' }])('%j is refused', (value) => {
    const [issue] = checkPolicy(value);
    expect(issue?.severity).toBe('error');
  });

  it('is told from policies of kinds that are not supported yet', () => {
    const issues = checkPolicy({
      apiVersion: 'policies.kyverno.io/v1',
      kind: 'ValidatingPolicy',
      metadata: { name: 'x' },
    });
    expect(issues).toMatchObject([{ code: 'policy-unsupported', path: 'apiVersion' }]);
  });
});

describe('the deprecated', () => {
  it.each(['In', 'NotIn'])('operator %s is a warning', (operator) => {
    const preconditions = { all: [{ key: 'a', operator, value: ['a'] }] };
    expect(checkPolicy(policyOf({ rule: { preconditions } }))).toMatchObject([
      { code: 'policy-deprecated', severity: 'warning', path: 'spec.rules[0].preconditions.all[0].operator' },
    ]);
  });
});

it('says that a field has no effect yet', () => {
  expect(checkPolicy(policyOf({ spec: { useServerSideApply: true } }))).toMatchObject([
    { code: 'policy-unsupported', severity: 'warning', path: 'spec.useServerSideApply' },
  ]);
});

describe.skipIf(!existsSync(corpusFolder))(
  'the public collection of policies (needs the corpus beside the project)',
  () => {
    it('has no classic policy that is refused, but for what is not supported and what is meant to be wrong', () => {
      const wrong: string[] = [];
      for (const folderOf of new Set(
        readCatalogue()
          .filter(isClassic)
          .map((entry) => path.dirname(path.join(corpusFolder, entry.path))),
      )) {
        for (const file of [...policyFiles(folderOf), ...policyFiles(path.dirname(folderOf))]) {
          for (const { value } of parseYamlDocuments(readFileSync(file, 'utf8'), { file })) {
            if (!isPolicy(value)) continue;
            const errors = checkPolicy(value).filter(
              ({ severity, code }) => severity === 'error' && code !== 'policy-unsupported',
            );
            if (errors.length > 0)
              wrong.push(
                `${path.relative(corpusFolder, file)}: ${errors.map(({ path: place, message }) => `${place} ${message}`).join('; ')}`,
              );
          }
        }
      }
      expect(wrong).toEqual([]);
    });
  },
);

const policyFiles = (dir: string) =>
  existsSync(dir)
    ? readdirSync(dir)
        .filter((name) => /\.ya?ml$/.test(name))
        .map((name) => path.join(dir, name))
    : [];

function isPolicy(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { apiVersion, kind } = value;
  return (
    typeof apiVersion === 'string' &&
    apiVersion.startsWith('kyverno.io/') &&
    (kind === 'ClusterPolicy' || kind === 'Policy')
  );
}
