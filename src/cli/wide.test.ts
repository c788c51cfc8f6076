import { expect, it } from 'vitest';
import type { Overview } from '../app/index.ts';
import { renderLines } from './check.ts';
import { renderStatus } from './images-text.ts';

it('has a column of its own for what to do about a check', () => {
  const lines = [
    { check: 'leases', result: 'fail', found: 'nobody leads', remedy: 'look at the pods' },
    { check: 'api-server', result: 'pass', found: 'v1.36' },
  ] as const;
  expect(renderLines(lines, false)).toContain('nobody leads; remedy: look at the pods');
  const [head, failed, passed] = renderLines(lines, true).split('\n');
  expect(head).toMatch(/^RESULT +CHECK +FOUND +REMEDY$/);
  expect(failed).toMatch(/^fail +leases +nobody leads +look at the pods$/);
  expect(passed).toMatch(/<none>$/);
});

it('says since when something needs attention, and for which image', () => {
  const overview: Pick<Overview, 'images' | 'attention'> = {
    images: { total: 1, running: 1 } as Overview['images'],
    attention: {
      total: 1,
      items: [
        {
          ...{ kind: 'copy-failed', level: 'error', subject: 'a.example/web:1', message: 'no space', count: 1 },
          ...{ at: '2026-01-01T00:00:00Z', image: 'a.example/web:1' as never },
        },
      ],
    },
  };
  expect(renderStatus(overview as Overview, false)).toMatch(/^LEVEL +KIND +ABOUT +MESSAGE$/m);
  const wide = renderStatus(overview as Overview, true);
  expect(wide).toMatch(/^LEVEL +KIND +ABOUT +MESSAGE +SINCE +IMAGE$/m);
  expect(wide).toMatch(/^error +copy-failed .* no space +2026-01-01T00:00:00Z +a\.example\/web:1$/m);
});
