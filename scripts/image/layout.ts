import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestHex } from '../../src/image/index.ts';
import { describePart, type Part, type PlatformImage, type Referrer } from './oci.ts';

/** An image for several platforms, with its referrers. */
export interface BuiltImage {
  readonly images: readonly PlatformImage[];
  readonly index: Part;
  readonly referrers: readonly Referrer[];
}

/** Everything that is stored by digest, what is referred to first. */
export const blobsOf = ({ images, referrers }: BuiltImage): readonly Part[] => [
  ...images.flatMap(({ config, layers }) => [config, ...layers]),
  ...referrers.flatMap(({ blobs }) => blobs),
];
export const manifestsOf = ({ images, index, referrers }: BuiltImage): readonly Part[] => [
  ...images.map(({ manifest }) => manifest),
  index,
  ...referrers.map(({ manifest }) => manifest),
];

/** Writes an OCI image layout in place of what is in the folder. */
export async function writeLayout(folder: string, image: BuiltImage, tag: string): Promise<void> {
  const blobs = join(folder, 'blobs', 'sha256');
  await rm(folder, { recursive: true, force: true });
  await mkdir(blobs, { recursive: true });
  for (const part of [...blobsOf(image), ...manifestsOf(image)])
    await writeFile(join(blobs, digestHex(describePart(part).digest)), part.bytes);
  await writeFile(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  const manifests = [
    { ...describePart(image.index), annotations: { 'org.opencontainers.image.ref.name': tag } },
    ...image.referrers.map(({ manifest, artifactType }) => ({ ...describePart(manifest), artifactType })),
  ];
  await writeFile(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }));
}
