import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorMessage, onAbort } from '../base/index.ts';
import type { Runnable } from '../controller/index.ts';
import { startOrder } from '../controller/index.ts';
import { plain, type StatusResponder, type StatusResponse } from './status-responses.ts';

interface StatusServerOptions {
  readonly host: string;
  readonly port: number;
  readonly health: () => StatusResponse;
  readonly respond: StatusResponder;
  readonly onListening?: ((address: string) => void) | undefined;
}

/** `/healthz`, `/readyz` and `/metrics` over plain HTTP, for kubelets and Prometheus. */
export function createStatusServer({ host, port, health, respond, onListening }: StatusServerOptions): Runnable {
  const server = createServer(async (request, response) => {
    const url = request.url ?? '';
    const { status, type, body } =
      url.split('?')[0] === '/healthz'
        ? health()
        : await respond(url).catch((thrown: unknown) => plain(500, errorMessage(thrown)));
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  return {
    name: 'status-server',
    order: startOrder.setup,
    run: (signal) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => onListening?.(`${host}:${(server.address() as AddressInfo).port}`));
        onAbort(signal, () => {
          server.close(() => resolve());
          server.closeAllConnections();
        });
      }),
  };
}
