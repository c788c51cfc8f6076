import { readFileSync } from 'node:fs';

/** What every expression of `answers.json` is asked of. */
export const document = {
  a: { b: 1, c: [2, 3], d: 'text', e: null, f: 1.5, t: true, m: { x: 1, y: 'z' } },
  l: [{ n: 'x', v: 1 }, { n: 'y' }],
  s: 'héllo😀',
  big: 9007199254740993n,
  empty: {},
  none: [],
  q: '1Gi',
};

interface RecordedAnswer {
  readonly expression: string;
  readonly value?: unknown;
  readonly error?: string;
  readonly compile?: string;
  readonly cost: number;
}

/** What cel-go answers in the environment of Kubernetes 1.36: value, error, mistakes and cost. */
export const answers = JSON.parse(
  readFileSync(new URL('answers.json', import.meta.url), 'utf8'),
) as readonly RecordedAnswer[];
