import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    alias: { 'fast-check': fileURLToPath(new URL('./test/support/fast-check.ts', import.meta.url)) },
  },
  test: {
    include: ['test/prove/**/*.test.ts'],
    testTimeout: 30 * 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // One after the other: each measures times.
    fileParallelism: false,
  },
});
