import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startApiServer } from '../apiserver/index.ts';
import { errorCode, errorMessage, type Logger, renderYaml, UsageError } from '../base/index.ts';
import { openLocalFolder } from './local-folder.ts';
import { ownKubeconfig, removeIfEmpty, removeLeftOvers } from './running-clusters.ts';

export interface LocalOptions {
  /** The data folder; without it the cluster ends with the process. */
  readonly dir?: string | undefined;
  readonly port?: number | undefined;
  readonly jobDurationMs?: number | undefined;
  /** False disables the simulation: nothing runs, nothing completes. */
  readonly simulation?: boolean | undefined;
  /** The imageID that simulated pods report; they make one up where this is undefined. */
  readonly imageId?: ((image: string) => string | undefined) | undefined;
  /** The kubeconfig is needed even without `dir`: it is in the user's runtime folder or below this one. */
  readonly temporaryDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
}

export interface LocalCluster {
  readonly url: string;
  readonly kubeconfig: string;
  readonly version: string;
  stop(): Promise<void>;
}

/** Starts the embedded cluster and writes a kubeconfig for it. */
export async function startLocal(options: LocalOptions): Promise<LocalCluster> {
  const folder = openLocalFolder(options);
  if (options.dir !== undefined) {
    makeFolder(options.dir);
    makeFolder(join(options.dir, 'state'));
  }
  const server = await startApiServer({
    dir: options.dir,
    port: options.port ?? 0,
    log: options.log,
    simulation:
      options.simulation === false
        ? false
        : {
            ...(options.jobDurationMs === undefined ? {} : { jobDurationMs: options.jobDurationMs }),
            ...(options.imageId === undefined ? {} : { imageId: options.imageId }),
          },
  }).catch((thrown) => {
    if (errorCode(thrown) !== 'EADDRINUSE') throw thrown;
    throw new UsageError('local-port-taken', `port ${options.port} is taken; choose another with --port`);
  });
  removeLeftOvers(folder);
  const text = renderKubeconfig(server.url, server.caPem, server.token);
  // Other commands find the running cluster by this file.
  const own = ownKubeconfig(folder);
  const kubeconfig = options.dir === undefined ? own : join(options.dir, 'kubeconfig');
  for (const file of new Set([kubeconfig, own])) writePrivate(file, text);
  const stop = async () => {
    await server.stop();
    rmSync(own, { force: true });
    removeIfEmpty(folder);
  };
  return { url: server.url, kubeconfig, version: server.version, stop };
}

/** Through a new file: an existing one may be a link, or readable by others. */
function writePrivate(file: string, text: string): void {
  const partial = `${file}.${process.pid}.partial`;
  rmSync(partial, { force: true });
  writeFileSync(partial, text, { mode: 0o600, flag: 'wx' });
  renameSync(partial, file);
}

function makeFolder(folder: string): void {
  try {
    makeParents(folder);
  } catch (thrown) {
    throw new UsageError('local-dir', `cannot use ${folder}: ${errorMessage(thrown)}; name another with --dir`);
  }
}

/** Without mkdirSync's recursion: it never returns if a parent exists and still rejects, as /proc does. */
function makeParents(folder: string): void {
  if (!existsSync(dirname(folder))) makeParents(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (thrown) {
    if (errorCode(thrown) !== 'EEXIST' || !statSync(folder).isDirectory()) throw thrown;
  }
}

function renderKubeconfig(server: string, caPem: string, token: string): string {
  const name = 'supercargo';
  return renderYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}
