/**
 * Stories on the embedded cluster that take more than half a minute each. They need only Node; `npm run test:servers` runs
 * them, so that `npm test` stays short. Those of the mirror and of generation run on a real API server, too.
 */
export const longStories = [
  'test/integration/mirror.test.ts',
  'test/integration/mirror-random.test.ts',
  'test/integration/generate/generate.test.ts',
  'test/integration/chart-webhooks.test.ts',
  'test/integration/chart-release.test.ts',
  'test/integration/unreachable-webhook.test.ts',
];
