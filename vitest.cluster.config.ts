import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    alias: { 'fast-check': fileURLToPath(new URL('./test/support/fast-check.ts', import.meta.url)) },
  },
  test: {
    include: ['test/cluster/**/*.test.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    pool: 'forks',
    maxConcurrency: 8,
    // Each file starts a control plane of its own, which keeps a core busy.
    fileParallelism: false,
  },
});
