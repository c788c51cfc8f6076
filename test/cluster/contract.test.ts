import { describe, it } from 'vitest';
import { defineContract } from '../contract/contract.ts';
import { startRealCluster, whyNoCluster } from '../support/real-cluster.ts';

const missing = await whyNoCluster('kube-controller-manager');

if (missing === undefined)
  defineContract({ name: 'a real cluster', start: () => startRealCluster({ controllerManager: true }) });
else {
  describe.skip(`a real cluster (${missing})`, () => it('keeps the contract', () => {}));
}
