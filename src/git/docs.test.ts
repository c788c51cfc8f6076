import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gitErrors } from './errors.ts';

test('the manual has a row for every error code, and says whether it is retried', () => {
  const manual = readFileSync(new URL('../../docs/git.md', import.meta.url), 'utf8');
  const rows = Array.from(manual.matchAll(/^\| `(git-[a-z-]+)` \| .* \| (no|later) \|$/gm), ([, code, again]) => [
    code,
    again,
  ]);
  expect(Object.fromEntries(rows)).toEqual(
    Object.fromEntries(Object.entries(gitErrors).map(([code, retry]) => [code, retry === 'never' ? 'no' : 'later'])),
  );
});
