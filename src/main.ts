import { tmpdir } from 'node:os';
import { openOutput, openStream, programName, runCli } from './cli/index.ts';

declare const SUPERCARGO_VERSION: string | undefined;

// The AWS SDK is pinned to a version that supports this Node; its warning about later versions does not help a user.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

/** Worker threads need files; only the bundle has files that Node can run. */
const workerFile = (name: string) =>
  typeof SUPERCARGO_VERSION === 'string' ? new URL(`../${name}.cjs`, import.meta.url) : undefined;

const stopping = new AbortController();
/** One Ctrl-C may arrive several times: from the terminal, and passed on by a parent process. */
const oneSignalMs = 1000;
let stoppedAtMs = 0;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (!stopping.signal.aborted) {
      stoppedAtMs = performance.now();
      stopping.abort();
      // A second signal ends the process at once.
    } else if (performance.now() - stoppedAtMs > oneSignalMs) process.exit(130);
  });
}
// Ignore EPIPE: the reader closed the pipe (`supercargo … | head`). The work goes on, and the exit code is its result.
const outputClosed = new AbortController();
const stdout = { fd: 1, open: () => process.stdout, onClosed: () => outputClosed.abort() } as const;
const stderr = { fd: 2, open: () => process.stderr, onClosed: () => {} } as const;
// Node writes what worker threads print to its own streams.
process.once('worker', () => [stdout, stderr].map(openStream));

// No top-level await: the built program consists of CommonJS scripts.
void runCli(
  process.argv.slice(2),
  {
    env: process.env,
    openStdin: () => process.stdin,
    stdout: openOutput(stdout),
    stderr: openOutput(stderr),
    temporaryDir: tmpdir(),
    nodeVersion: process.version,
    signal: stopping.signal,
    outputClosed: outputClosed.signal,
    program: programName(process.argv[1] ?? 'supercargo', process.cwd(), process.env['PATH'] ?? ''),
    uptimeMs: () => performance.now(),
    evaluationWorker: workerFile('evaluation-worker'),
    reportWorker: workerFile('report-worker'),
    livenessWorker: workerFile('liveness-worker'),
    dashboardWorker: workerFile('dashboard-worker'),
    dashboardPage: new URL(typeof SUPERCARGO_VERSION === 'string' ? '../ui/' : '../dist/ui/', import.meta.url),
  },
  typeof SUPERCARGO_VERSION === 'string' ? SUPERCARGO_VERSION : 'development',
).then((exitCode) => {
  process.exitCode = exitCode;
});
