import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseJson, renderJson } from '../../src/base/index.ts';
import { compile, dynType } from '../../src/cel/index.ts';
import { type Answer, answerCel, locateCelOracle } from '../../test/support/cel-oracle.ts';
import { celExpressions } from '../support/cel-expressions.ts';
import type { Comparison, Side, Turn } from './comparison.ts';
import { measureHere, measureThere } from './in-process.ts';

const count = 20_000;
const text = readFileSync(resolve('bench/data/pod-review.json'), 'utf8');
const { object } = (JSON.parse(text) as { readonly request: { readonly object: unknown } }).request;

/** Expressions as policies have them, compiled once, against cel-go with Kubernetes' options. */
export const cel: Comparison = {
  name: 'cel',
  grows: false,
  async open({ progress }) {
    progress('cel-go: a first build takes minutes');
    const oracle = await locateCelOracle({ ...process.env, CEL_FUZZ: 'build' });
    if (oracle.path === undefined) return oracle;
    const { path } = oracle;
    const version = /google\/cel-go v(\S+)/.exec(readFileSync('test/oracle/cel/go.mod', 'utf8'))?.[1];
    return {
      works: [
        {
          title: `${celExpressions.length} CEL expressions on a pod, each once`,
          peer: `cel-go ${version}`,
          turn: (side: Side) => (side === 'ours' ? evaluateHere() : evaluateThere(path)),
        },
      ],
    };
  },
};

async function evaluateHere(): Promise<Turn> {
  const variables = new Map([['object', dynType]]);
  const programs = celExpressions.map((expression) => compile(expression, { variables }));
  const inputs = [object];
  const turns = programs.map((program) => measureHere(count, () => void program.evaluate(inputs)));
  const outcome = outcomeOf(celExpressions.map((expression) => answerCel({ expression, object })));
  return { wallMs: sum(turns.map(({ wallMs }) => wallMs)), cpuMs: sum(turns.map(({ cpuMs }) => cpuMs)), outcome };
}

async function evaluateThere(path: string): Promise<Turn> {
  const { cpuMs, stdout } = await measureThere(count, (bench) => ({
    file: path,
    args: [],
    env: { TZ: 'UTC' },
    input: celExpressions.map((expression) => `${renderJson({ expression, object, bench, runs: 1 })}\n`).join(''),
  }));
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => parseJson(line) as unknown as Answer);
  return { cpuMs, wallMs: sum(answers.map(({ nanos = 0 }) => nanos)) / 1e6, outcome: outcomeOf(answers) };
}

const outcomeOf = (answers: readonly Answer[]) =>
  answers.map(({ value, error }) => JSON.stringify(value ?? error)).join('\n');
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
