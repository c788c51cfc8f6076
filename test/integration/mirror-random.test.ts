import { describe } from 'vitest';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { defineMirrorRandom } from './mirror-random.ts';

describe('rewritten references on the embedded cluster', () => {
  const seed = Number(process.env['SEED'] ?? 20_260);
  defineMirrorRandom(() => startEmbedded({ simulation: false }), { seed, actions: 40 });
});
