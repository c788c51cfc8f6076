// Runs the tests of test/cluster against a real control plane, which it finds or builds first.
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { AssetsUnavailable, resolveAssets } from './assets.mjs';
import { build, install } from './prepare.mjs';

const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));

install();
build();
try {
  const assets = await resolveAssets({ log: (line) => console.error(line) });
  const args = ['run', '--config', 'vitest.cluster.config.ts', ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, [vitest, ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, KUBEBUILDER_ASSETS: assets },
  });
  process.exitCode = status ?? 1;
} catch (error) {
  if (!(error instanceof AssetsUnavailable)) throw error;
  console.error(`not run: ${error.message}`);
  process.exitCode = 3;
}
