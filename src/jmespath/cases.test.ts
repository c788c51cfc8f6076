import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseYaml } from '../base/index.ts';
import {
  bind,
  communityFunctions,
  compile,
  type Dialect,
  type Environment,
  JmespathError,
  jmespathErrorCodes,
  jmespathFunctions,
} from './index.ts';

interface CaseFile {
  readonly given?: unknown;
  readonly cases: readonly Case[];
}
interface Case {
  readonly expression: string;
  readonly result?: unknown;
  readonly error?: string;
  readonly key?: string;
  readonly offset?: number;
}

const folders: Record<Dialect, string> = {
  kyverno: join(import.meta.dirname, 'cases'),
  community: join(import.meta.dirname, 'cases-community'),
};
const files = (Object.keys(folders) as Dialect[]).flatMap((dialect) =>
  readdirSync(folders[dialect]).map((file) => ({
    dialect,
    file,
    text: readFileSync(join(folders[dialect], file), 'utf8'),
  })),
);
const env: Environment = {
  clock: { now: () => Date.UTC(2024, 4, 6, 7, 8, 9) },
  random: () => 0.5,
  bindings: bind('given', 'outer', undefined),
  resolveHost: (host) => (host === 'internal.example' ? ['10.0.0.8'] : ['203.0.113.9']),
};

describe.each(files)('$dialect: $file', ({ dialect, text }) => {
  const { given = null, cases } = parseYaml(text) as unknown as CaseFile;
  it.each(cases.map((c) => [c.expression, c] as const))('%s', (expression, expected) => {
    const outcome = outcomeOf(expression, given, dialect);
    if (expected.error === undefined) expect(outcome).toEqual({ result: expected.result });
    else expect(outcome).toMatchObject({ ...expected });
  });
});

function outcomeOf(expression: string, given: unknown, dialect: Dialect): unknown {
  try {
    return { result: compile(expression, { checkCalls: 'evaluate', dialect }).evaluate(given, env) };
  } catch (thrown) {
    if (!(thrown instanceof JmespathError)) throw thrown;
    return { expression, error: thrown.code, key: thrown.key, offset: thrown.offset };
  }
}

describe('the case files', () => {
  it('have a file for every function', () => {
    const named = new Set(files.map(({ file }) => file.replace('.yaml', '').replaceAll('-', '_')));
    expect([...jmespathFunctions.keys()].filter((name) => !named.has(name))).toEqual([]);
  });

  it('call every function of the community', () => {
    const called = files
      .filter(({ dialect }) => dialect === 'community')
      .map(({ text }) => text)
      .join();
    const others = [...communityFunctions.keys()].filter((name) => !jmespathFunctions.has(name));
    expect(others.length).toBeGreaterThan(12);
    expect(others.filter((name) => !called.includes(`${name}(`))).toEqual([]);
  });

  it('name only error codes that exist', () => {
    const all = files.map(({ text }) => text).join('\n');
    const used = [...all.matchAll(/^\s+error: (\S+)$/gm)].map((found) => found[1]);
    expect(used.length).toBeGreaterThan(150);
    expect(used.filter((code) => !(jmespathErrorCodes as readonly (string | undefined)[]).includes(code))).toEqual([]);
  });
});
