import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startApiServer } from '../apiserver/index.ts';
import { errorCode, errorMessage, type Logger, renderYaml, UsageError } from '../base/index.ts';
import { isPrivate, localFolder, ownKubeconfig, removeIfEmpty, removeLeftOvers } from './local-folder.ts';

export interface LocalOptions {
  /** Where everything is kept; without it the cluster ends with the process. */
  readonly dir?: string | undefined;
  readonly port?: number | undefined;
  readonly jobDurationMs?: number | undefined;
  /** False leaves objects alone: nothing runs, nothing completes. */
  readonly simulation?: boolean | undefined;
  /** The folder for what must be somewhere even without `dir`: the kubeconfig. */
  readonly temporaryDir: string;
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
  const folder = localFolder(options.temporaryDir);
  makeFolder(folder);
  if (!isPrivate(statSync(folder)))
    throw new UsageError('local-folder', `${folder} belongs to another user, or others may write to it; set TMPDIR`);
  if (options.dir !== undefined) makeFolder(join(options.dir, 'state'));
  const server = await startApiServer({
    dir: options.dir,
    port: options.port ?? 0,
    log: options.log,
    simulation:
      options.simulation === false
        ? false
        : options.jobDurationMs === undefined
          ? {}
          : { jobDurationMs: options.jobDurationMs },
  }).catch((thrown) => {
    if (errorCode(thrown) !== 'EADDRINUSE') throw thrown;
    throw new UsageError('local-port-taken', `port ${options.port} is taken; choose another with --port`);
  });
  removeLeftOvers(folder);
  const text = renderKubeconfig(server.url, server.caPem, server.token);
  // By this one other commands find the cluster while it runs.
  const own = ownKubeconfig(folder);
  const kubeconfig = options.dir === undefined ? own : join(options.dir, 'kubeconfig');
  for (const file of new Set([kubeconfig, own])) writeFileSync(file, text, { mode: 0o600 });
  const stop = async () => {
    await server.stop();
    rmSync(own, { force: true });
    removeIfEmpty(folder);
  };
  return { url: server.url, kubeconfig, version: server.version, stop };
}

function makeFolder(folder: string): void {
  try {
    makeParents(folder);
  } catch (thrown) {
    throw new UsageError('local-dir', `cannot use ${folder}: ${errorMessage(thrown)}; name another with --dir`);
  }
}

/** Not by mkdirSync's own recursion: where a parent exists and still refuses, as /proc does, that never ends. */
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
