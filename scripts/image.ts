// Builds the container image into an OCI layout, and pushes it if asked. `--lock` renews the lock file instead.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { credentialsFor } from '../src/app/mirror-images.ts';
import { digestOf, parseReference } from '../src/image/index.ts';
import { createRegistryClient, proxyFromEnvironment } from '../src/registry/index.ts';
import { buildImage } from './image/build.ts';
import { runCommand } from './image/command.ts';
import { writeLayout } from './image/layout.ts';
import { type Architecture, architectures, readLock } from './image/lock.ts';
import { imageCache } from './image/package-cache.ts';
import { pushBuilt } from './image/push.ts';
import { refreshLock } from './image/refresh.ts';
import { readSource } from './image/source.ts';
import { build, install, root } from './prepare.mjs';

const help = `npm run image -- [options]
  --output DIR      the OCI layout to write (default: image)
  --platform NAME   linux/amd64 or linux/arm64; repeatable (default: both)
  --push REF        push to a registry, with the credentials of docker, podman or skopeo; repeatable
  --insecure        allow plain HTTP and any certificate for --push
  --no-cache        compress every layer again
  --lock            renew scripts/image/packages.lock.json instead of building
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      output: { type: 'string', default: join(root, 'image') },
      platform: { type: 'string', multiple: true, default: architectures.map((one) => `linux/${one}`) },
      push: { type: 'string', multiple: true, default: [] },
      insecure: { type: 'boolean', default: false },
      lock: { type: 'boolean', default: false },
      'no-cache': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  if (values.help) return void process.stdout.write(help);
  if (values.lock) {
    const { node, debian } = await refreshLock(imageCache(), 22);
    return log(`Node ${node.version}, ${debian.amd64.length} Debian packages`);
  }
  const targets = values.push.map(parseReference);
  install();
  build();
  const image = await buildImage({
    root,
    cache: imageCache(),
    layerCache: values['no-cache'] ? undefined : imageCache(),
    lock: readLock(),
    architectures: values.platform.map(parseArchitecture),
    source: await readSource(git, process.env['SOURCE_DATE_EPOCH']),
    log,
  });
  await writeLayout(values.output, image, targets[0]?.tag ?? 'latest');
  for (const { architecture, layers } of image.images) {
    const megabytes = layers.reduce((total, { bytes }) => total + bytes.length, 0) / 1e6;
    log(`linux/${architecture}: ${megabytes.toFixed(1)} MB compressed`);
  }
  for (const target of targets) {
    const client = createRegistryClient({
      credentials: credentialsFor(target.registry, process.env),
      settings: () => ({ isInsecure: values.insecure }),
      proxy: proxyFromEnvironment(process.env),
    });
    await pushBuilt(client, target, image).finally(() => client.close());
  }
  process.stdout.write(`${digestOf(image.index.bytes)}\n`);
}

const git = async (...args: readonly string[]) => `${await runCommand('git', args, { cwd: root })}`.trim();

function parseArchitecture(platform: string): Architecture {
  const found = architectures.find((one) => platform === `linux/${one}`);
  if (found === undefined) throw new Error(`--platform must be linux/amd64 or linux/arm64, not ${platform}`);
  return found;
}

main().catch((thrown: unknown) => {
  for (let error = thrown; error instanceof Error; error = error.cause)
    process.stderr.write(`${error === thrown ? '' : '  because '}${error.message}\n`);
  process.exitCode = 1;
});
