import { imagesOf, type MirrorWorld } from './mirror-world.ts';

export const annotation = 'supercargo.dev/source-images';
export const patience = { timeoutMs: 60_000 };

/** The world of a story, and how it speaks of images. */
export type MirrorSession = ReturnType<typeof createMirrorSession>;

export function createMirrorSession(getWorld: () => MirrorWorld) {
  const session = {
    get world() {
      return getWorld();
    },
    hostPart: () => getWorld().source.host.replace(':', '_'),
    at: (image: string) => `${getWorld().source.host}/${image}`,
    copyOf: (image: string) => `${getWorld().backup.host}/copies/${session.hostPart()}/${image}`,
    imagesNow: async (kind: string, namespace: string, name: string) =>
      imagesOf(await getWorld().get(kind, namespace, name)),
    recordOf: async (source: string) => (await getWorld().copies()).find(({ spec }) => spec.source === source),
    /** What the programs before saw is nothing to the one that runs now. */
    group: (name: string) => ({ matchLabels: { group: name } }),
  };
  return session;
}
