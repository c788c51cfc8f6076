/** Worker thread for leases and health: its own client, elections, and the server for probes, until it is stopped. */
import { parentPort, workerData } from 'node:worker_threads';
import { createLogger, errorCode, errorMessage, whenAborted } from '../../base/index.ts';
import { createLeadershipHost } from '../../controller/index.ts';
import { createKubeClient, loadClusterConfig } from '../../kube/index.ts';
import { plain } from '../status-responses.ts';
import { createStatusServer } from '../status-server.ts';
import { sinceBeatMs } from './heartbeat.ts';
import type { FromLiveness, LivenessSetup, ToLiveness } from './messages.ts';
import { createPendingRequests } from './pending-requests.ts';

const { origin, logFormat, server, heartbeat, stillMs } = workerData as LivenessSetup;
let { logLevel } = workerData as LivenessSetup;
const port = parentPort!;
const post = (message: FromLiveness) => port.postMessage(message);
const stopping = new AbortController();
const stillForMs = () => sinceBeatMs(heartbeat);
const requests = createPendingRequests((id, url) => post({ kind: 'request', id, url }));

const early: ToLiveness[] = [];
let receive = (message: ToLiveness): void => void early.push(message);
port.on('message', (message: ToLiveness) => {
  if (message.kind === 'stop') stopping.abort();
  else if (message.kind === 'logLevel') logLevel = message.level;
  else if (message.kind === 'response') requests.onResponse(message.id, message.response);
  else receive(message);
});

async function run(signal: AbortSignal): Promise<void> {
  const log = createLogger({ level: () => logLevel, format: logFormat });
  const { env, kubeconfig, context } = origin;
  const serving = server
    ? createStatusServer({
        ...server,
        health: () => {
          const forMs = stillForMs();
          if (forMs < stillMs) return plain(200, 'ok');
          return plain(503, `the event loop has not turned for ${Math.round(forMs / 1000)} s`);
        },
        respond: requests.send,
        onListening: (address) => post({ kind: 'listening', address }),
      }).run(signal)
    : whenAborted(signal);
  // Awaited below: a port that is in use must not end the thread without its reason.
  serving.catch(() => {});
  const client = createKubeClient(await loadClusterConfig({ env, path: kubeconfig, context }), { log });
  try {
    const host = createLeadershipHost({
      client,
      mayRenew: () => stillForMs() < stillMs,
      post: (message) => post({ kind: 'leadership', message }),
      log,
    });
    receive = (message) => {
      if (message.kind === 'leadership') host.receive(message.message);
    };
    for (const message of early.splice(0)) receive(message);
    await serving;
  } finally {
    await client.close();
  }
}

run(stopping.signal).then(
  () => post({ kind: 'ended' }),
  (thrown: unknown) => post({ kind: 'ended', failure: { code: errorCode(thrown), message: errorMessage(thrown) } }),
);
