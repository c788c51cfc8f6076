import { expect, it } from 'vitest';
import type { ImageRow, Overview } from '../app/index.ts';
import { renderImages, renderStatus } from './images-text.ts';

const row: ImageRow = {
  id: 'docker.io/library/nginx:1.25',
  repository: 'docker.io/library/nginx',
  registry: 'docker.io',
  namespaces: 1,
  workloads: 2,
  pods: 3,
  copy: 'none',
};
const cellsOf = (of: ImageRow) => renderImages([of], false).split('\n')[1]!.split(/ +/);

it('an image has no count of what may not be listed', () => {
  const jobs = { pending: 0, running: 0, succeeded: 1, failed: 1 };
  const counted = { ...row, jobs, results: { fail: 1, warn: 0, error: 1 } };
  expect(cellsOf(counted)).toEqual([row.id, '2', '3', 'none', '2', '2', '0', '<none>']);
  expect(cellsOf(row)).toEqual([row.id, '2', '3', 'none', '<none>', '<none>', '<none>', '<none>']);
});

it('the status says what may not be read, and what there is none of', () => {
  const overview: Overview = {
    images: { total: 1, running: 1, registries: [] },
    jobs: { pending: 0, running: 0, succeeded: 0, failed: 0 },
    attention: { items: [], total: 0 },
    activity: { items: [], total: 0 },
  };
  const lines = renderStatus(overview, false).split('\n');
  expect(lines.find((line) => line.startsWith('copies'))).toMatch(/^copies +not readable$/);
  expect(lines.find((line) => line.startsWith('jobs'))).toMatch(/^jobs +none$/);
});
