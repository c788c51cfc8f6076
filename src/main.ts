import { tmpdir } from 'node:os';
import { programName, runCli } from './cli/index.ts';

declare const SUPERCARGO_VERSION: string | undefined;

// The AWS SDK is pinned to a version that runs here: its advice about later ones is nothing a user can follow.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

/** Threads run files; only the bundle has some that Node can run as they are. */
const workerFile = (name: string) =>
  typeof SUPERCARGO_VERSION === 'string' ? new URL(`../${name}.cjs`, import.meta.url) : undefined;

const stopping = new AbortController();
/** One Ctrl-C comes several times where a parent passes on what the terminal has sent to the whole process group. */
const oneSignalMs = 1000;
let stoppedAtMs = 0;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (!stopping.signal.aborted) {
      stoppedAtMs = performance.now();
      stopping.abort();
      // A second signal does not wait for an orderly end.
    } else if (performance.now() - stoppedAtMs > oneSignalMs) process.exit(130);
  });
}
// The reader has closed the pipe (`supercargo … | head`): the work goes on, and the exit code says how it ended.
const outputClosed = new AbortController();
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (stream === process.stdout) outputClosed.abort();
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
    outputClosed: outputClosed.signal,
    program: programName(process.argv[1] ?? 'supercargo', process.cwd(), process.env['PATH'] ?? ''),
    uptimeMs: () => performance.now(),
    evaluationWorker: workerFile('evaluation-worker'),
    reportWorker: workerFile('report-worker'),
    livenessWorker: workerFile('liveness-worker'),
  },
  typeof SUPERCARGO_VERSION === 'string' ? SUPERCARGO_VERSION : 'development',
).then((exitCode) => {
  process.exitCode = exitCode;
});
