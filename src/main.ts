import { tmpdir } from 'node:os';
import { runCli } from './cli/index.ts';

declare const SUPERCARGO_VERSION: string | undefined;

// The AWS SDK is pinned to a version that runs here: its advice about later ones is nothing a user can follow.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

/** Threads run files; only the bundle has some that Node can run as they are. */
const workerFile = (name: string) =>
  typeof SUPERCARGO_VERSION === 'string' ? new URL(`../${name}.cjs`, import.meta.url) : undefined;

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // A second signal does not wait for an orderly end.
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort();
  });
}
// A reader that went away (`supercargo … | head`) is not an error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

// No await: the built program is scripts, which have none at the top.
void runCli(
  process.argv.slice(2),
  {
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    temporaryDir: tmpdir(),
    signal: stopping.signal,
    uptimeMs: () => performance.now(),
    judgeWorker: workerFile('judge-worker'),
    reportWorker: workerFile('report-worker'),
  },
  typeof SUPERCARGO_VERSION === 'string' ? SUPERCARGO_VERSION : 'development',
).then((exitCode) => {
  process.exitCode = exitCode;
});
