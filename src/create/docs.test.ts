import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { gitErrors } from '../git/index.ts';
import { createErrors } from './errors.ts';
import { failureOf, pauseMs } from './failure.ts';
import { templateData } from './template-data.ts';

const manual = readFileSync(new URL('../../docs/detection.md', import.meta.url), 'utf8');

it('the manual names every built-in of templates', () => {
  const data = templateData(
    { imageName: 'a', imageTag: '1', imageDigest: 'sha256:1', fullImageName: 'r.example/a:1' },
    { gitRepository: { url: 'https://x.example' } },
  );
  for (const name of Object.keys(data)) expect(manual).toContain(`\`.${name}${name === 'Variables' ? '.x' : ''}\``);
});

it('the manual names every failure reason, with its retry', () => {
  const words = { change: 'when it changes', slow: 'up to 30 min', quick: 'up to 5 min' };
  for (const code of [...Object.keys(createErrors), ...Object.keys(gitErrors)]) {
    const failure = failureOf(Object.assign(new Error('x'), { code }))!;
    // Paths through a symbolic link and similar cases are described in prose.
    if (code === 'git-path-refused' || code === 'git-output-too-large') continue;
    const row = manual.split('\n').find((line) => line.startsWith('| `') && line.includes(`\`${failure.reason}\``));
    expect(row, code).toContain(words[failure.pace]);
  }
});

it('delays grow to a limit, and there is none if only a change helps', () => {
  const all = (pace: 'slow' | 'quick') => [1, 2, 20].map((attempts) => pauseMs(pace, attempts, () => 0));
  expect(all('quick')).toEqual([1_000, 2_000, 300_000]);
  expect(all('slow')).toEqual([30_000, 60_000, 1_800_000]);
  expect(pauseMs('change', 3, () => 0)).toBeUndefined();
});

it('an error that is not about a detection is not its failure', () => {
  expect(failureOf(Object.assign(new Error('x'), { code: 'kube-unreachable' }))).toBeUndefined();
  expect(failureOf(new Error('x'))).toBeUndefined();
});
