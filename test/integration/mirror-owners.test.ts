import { describe } from 'vitest';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { defineMirrorOwners } from './mirror-owners.ts';

describe('the owners of fields on the embedded cluster', () => {
  defineMirrorOwners(() => startEmbedded());
});
