import { imagesOf, type MirrorFixture } from './mirror-fixture.ts';

export const annotation = 'supercargo.dev/source-images';
export const patience = { timeoutMs: 60_000 };

/** The fixture of a scenario, with helpers for image references. */
export type MirrorSession = ReturnType<typeof createMirrorSession>;

export function createMirrorSession(getFixture: () => MirrorFixture) {
  const session = {
    get fixture() {
      return getFixture();
    },
    hostPart: () => getFixture().source.host.replace(':', '_'),
    at: (image: string) => `${getFixture().source.host}/${image}`,
    copyOf: (image: string) => `${getFixture().backup.host}/copies/${session.hostPart()}/${image}`,
    imagesNow: async (kind: string, namespace: string, name: string) =>
      imagesOf(await getFixture().get(kind, namespace, name)),
    recordOf: async (source: string) => (await getFixture().copies()).find(({ spec }) => spec.source === source),
    /** Separates the objects of one program from those of the programs before. */
    group: (name: string) => ({ matchLabels: { group: name } }),
  };
  return session;
}
