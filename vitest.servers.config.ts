import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { longStories } from './test/long-stories.ts';

export default defineConfig({
  resolve: {
    alias: { 'fast-check': fileURLToPath(new URL('./test/support/fast-check.ts', import.meta.url)) },
  },
  test: {
    include: ['test/servers/**/*.test.ts', ...longStories],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    pool: 'forks',
    isolate: false,
    // Most of the time of these tests is spent in other programs (git, ssh).
    maxWorkers: 3,
  },
});
