import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { longStories } from './test/long-stories.ts';

export default defineConfig({
  resolve: {
    alias: { 'fast-check': fileURLToPath(new URL('./test/support/fast-check.ts', import.meta.url)) },
  },
  test: {
    include: ['src/**/*.test.ts', 'bench/**/*.test.ts', 'scripts/**/*.test.ts', 'ui/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/cluster/**', 'test/prove/**', 'test/servers/**', '**/node_modules/**', ...longStories],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: 'forks',
    // Nothing here changes a module's state, and loading the program anew for each file takes longer than its tests.
    isolate: false,
    // Half of the tests wait for servers of their own: twice as many as there are cores keep all of them busy.
    maxWorkers: availableParallelism() * 2,
  },
});
