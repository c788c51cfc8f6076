import { createCipheriv, createHash } from 'node:crypto';
import { type Digest, digestOf, mediaTypes, parseReference } from '../../src/image/index.ts';
import { createRegistryClient } from '../../src/registry/index.ts';

/** Bytes that no compression makes smaller, the same for the same seed; they begin as gzip does. */
function* layerPieces(seed: number, size: number): Generator<Buffer> {
  const key = createHash('sha256').update(`layer ${seed}`).digest();
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  const zeros = Buffer.alloc(1024 * 1024);
  // The head of a gzip member: clients look at it to see that the layer is compressed already.
  const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
  yield head;
  for (let left = size - head.length; left > 0; left -= zeros.length) {
    yield cipher.update(zeros.subarray(0, Math.min(left, zeros.length)));
  }
}

/** Pushes an image of this many layers, together `bytes` large, and answers its digest. */
export async function pushImage(reference: string, bytes: number, layers: number): Promise<Digest> {
  const repository = parseReference(reference);
  const client = createRegistryClient();
  try {
    const size = Math.floor(bytes / layers);
    const descriptors = [];
    for (let seed = 0; seed < layers; seed++) {
      const hash = createHash('sha256');
      for (const piece of layerPieces(seed, size)) hash.update(piece);
      const digest = `sha256:${hash.digest('hex')}` as Digest;
      await client.uploadBlob({ repository, digest, size, read: () => toAsync(layerPieces(seed, size)) });
      descriptors.push({ mediaType: 'application/vnd.docker.image.rootfs.diff.tar.gzip', digest, size });
    }
    const rootfs = { type: 'layers', diff_ids: descriptors.map(({ digest }) => digest) };
    const config = Buffer.from(JSON.stringify({ os: 'linux', architecture: 'amd64', config: {}, rootfs }));
    const configDigest = digestOf(config);
    await client.uploadBlob({ repository, digest: configDigest, size: config.length, read: () => toAsync([config]) });
    const manifest = Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: mediaTypes.dockerManifest,
        config: {
          mediaType: 'application/vnd.docker.container.image.v1+json',
          digest: configDigest,
          size: config.length,
        },
        layers: descriptors,
      }),
    );
    const digest = digestOf(manifest);
    await client.putManifest(repository, repository.tag!, {
      bytes: manifest,
      mediaType: mediaTypes.dockerManifest,
      digest,
    });
    return digest;
  } finally {
    await client.close();
  }
}

async function* toAsync(pieces: Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield* pieces;
}
