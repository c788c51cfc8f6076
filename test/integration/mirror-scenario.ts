import { afterAll, beforeAll } from 'vitest';
import type { Cluster } from '../support/real-cluster.ts';
import { defineDefaults } from './mirror-defaults.ts';
import { type ConnectProgram, createMirrorFixture, type MirrorFixture } from './mirror-fixture.ts';
import { createMirrorSession } from './mirror-session.ts';
import { defineSettings } from './mirror-settings.ts';
import { defineMirrorWithPolicies } from './mirror-with-policies.ts';

/** Mirroring of images; runs on every cluster. */
export function defineMirrorScenario(start: () => Promise<Cluster>, connectProgram?: ConnectProgram): void {
  let fixture: MirrorFixture;
  beforeAll(async () => {
    fixture = await createMirrorFixture(start, connectProgram);
  }, 120_000);
  afterAll(() => fixture?.stop());
  const session = createMirrorSession(() => fixture);
  defineDefaults(session);
  defineSettings(session);
  defineMirrorWithPolicies(session);
}
