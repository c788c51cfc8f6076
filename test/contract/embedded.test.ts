import { startEmbedded } from '../support/embedded-cluster.ts';
import { defineContract } from './contract.ts';

defineContract({ name: 'the embedded cluster', start: () => startEmbedded({ simulation: { nodes: 0 } }) });
