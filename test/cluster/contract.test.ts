import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'vitest';
import { AssetsUnavailable, resolveAssets } from '../../scripts/assets.mjs';
import { defineContract } from '../contract/contract.ts';
import { startRealCluster } from '../support/real-cluster.ts';

const missing = await whatIsMissing();

if (missing === undefined)
  defineContract({ name: 'a real cluster', start: () => startRealCluster({ controllerManager: true }) });
else {
  console.warn(`skipped: ${missing}`);
  describe.skip(`a real cluster (${missing})`, () => it('keeps the contract', () => {}));
}

async function whatIsMissing(): Promise<string | undefined> {
  try {
    const assets = await resolveAssets({ build: false });
    const hasControllers = existsSync(path.join(assets, 'kube-controller-manager'));
    return hasControllers ? undefined : `${assets} has no kube-controller-manager`;
  } catch (error) {
    if (error instanceof AssetsUnavailable) return error.message;
    throw error;
  }
}
