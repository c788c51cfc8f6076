import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOf } from '../../src/image/index.ts';
import { type AptRoot, fetchDebianPackage, openAptRoot, openDebianPackage } from './debian.ts';
import type { BuiltImage } from './layout.ts';
import type { Architecture, ImageLock } from './lock.ts';
import { nodeFiles } from './node-package.ts';
import { makeImage, makeIndex, makeLayer, makeReferrer } from './oci.ts';
import { entryPoint, programFiles } from './program-files.ts';
import { rootFiles, userId } from './root-files.ts';
import { renderSbom, sbomMediaType } from './sbom.ts';

export interface BuildOptions {
  /** The project, with its dist. */
  readonly root: string;
  /** Holds the packages, by SHA-256. */
  readonly cache: string;
  /** Holds the compressed layers of the packages, for the next build. */
  readonly layerCache?: string | undefined;
  readonly lock: ImageLock;
  readonly architectures: readonly Architecture[];
  readonly source: Source;
  readonly log: (line: string) => void;
}

/** The commit that the program was built from. */
export interface Source {
  readonly revision: string;
  /** RFC 3339; the time of the commit, so that a build does not depend on when it ran. */
  readonly created: string;
}

/** The image from the lock and dist. It depends on nothing else: the same commit gives the same digest. */
export async function buildImage(options: BuildOptions): Promise<BuiltImage> {
  const { root, lock, source, architectures, log } = options;
  const { version, description } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Package;
  const labels = labelsOf(version, description, source);
  const program = await makeLayer(await programFiles(root));
  const packageLock = await readFile(join(root, 'package-lock.json'), 'utf8');
  const images = [];
  for (const architecture of architectures) {
    log(`linux/${architecture}: Node ${lock.node.version} and ${lock.debian[architecture].length} Debian packages`);
    const layers = await Promise.all([
      debianFiles(options, architecture).then((files) => makeLayer(files, options.layerCache)),
      nodeFiles(options.cache, lock, architecture).then((files) => makeLayer(files, options.layerCache)),
    ]);
    images.push(
      makeImage({
        architecture,
        layers: [...layers, program],
        process: imageProcess,
        created: source.created,
        labels,
      }),
    );
  }
  const referrers = images.map(({ architecture, manifest }) => {
    const digest = digestOf(manifest.bytes);
    const text = renderSbom({ lock, architecture, version, created: source.created, digest, packageLock });
    return makeReferrer(manifest, { mediaType: sbomMediaType, bytes: Buffer.from(text) }, source.created);
  });
  return { images, index: makeIndex(images, labels), referrers };
}

/** What runs in a container, and as whom; the Dockerfile says the same. */
export const imageProcess = {
  user: `${userId}:${userId}`,
  entrypoint: [`/${entryPoint}`],
  workingDir: '/tmp',
  env: ['PATH=/usr/bin', 'HOME=/tmp', 'NODE_ENV=production'],
};

interface Package {
  readonly version: string;
  readonly description: string;
}

const labelsOf = (version: string, description: string, { revision, created }: Source) => ({
  'org.opencontainers.image.title': 'supercargo',
  'org.opencontainers.image.description': description,
  'org.opencontainers.image.version': version,
  'org.opencontainers.image.revision': revision,
  'org.opencontainers.image.created': created,
  'org.opencontainers.image.licenses': 'Apache-2.0',
});

async function debianFiles({ cache, lock }: BuildOptions, architecture: Architecture) {
  let root: Promise<AptRoot> | undefined;
  const openRoot = () => {
    root ??= openAptRoot(join(cache, 'apt'), architecture);
    return root;
  };
  const packages = [];
  for (const one of lock.debian[architecture]) {
    const file = await fetchDebianPackage(cache, one, openRoot);
    packages.push({ name: one.name, ...(await openDebianPackage(file)) });
  }
  return rootFiles(packages);
}
