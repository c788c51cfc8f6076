import { afterAll, beforeAll } from 'vitest';
import type { Cluster } from '../support/real-cluster.ts';
import { defineDefaults } from './mirror-defaults.ts';
import { createMirrorSession } from './mirror-session.ts';
import { defineSettings } from './mirror-settings.ts';
import { defineTogether } from './mirror-together.ts';
import { type ConnectProgram, createMirrorWorld, type MirrorWorld } from './mirror-world.ts';

/** The clone of images, told once and run on every cluster. */
export function defineMirrorStory(start: () => Promise<Cluster>, connectProgram?: ConnectProgram): void {
  let world: MirrorWorld;
  beforeAll(async () => {
    world = await createMirrorWorld(start, connectProgram);
  }, 120_000);
  afterAll(() => world?.stop());
  const session = createMirrorSession(() => world);
  defineDefaults(session);
  defineSettings(session);
  defineTogether(session);
}
