import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { Readiness, Runnable } from '../controller/index.ts';
import { startOrder } from '../controller/index.ts';

export interface StatusServerOptions {
  readonly host: string;
  readonly port: number;
  readonly registry: Registry;
  readonly readiness: () => Readiness;
  /** One line for each group of controllers: who leads it. */
  readonly leaders: () => readonly string[];
  readonly onListening?: (address: string) => void;
}

/** `/healthz`, `/readyz` and `/metrics` over plain HTTP, for kubelets and Prometheus. */
export function createStatusServer({
  host,
  port,
  registry,
  readiness,
  leaders,
  onListening,
}: StatusServerOptions): Runnable {
  const server = createServer((request, response) => {
    const answer = (code: number, text: string, type = 'text/plain; charset=utf-8') =>
      response.writeHead(code, { 'content-type': type }).end(text);
    const [path, query] = (request.url ?? '').split('?');
    switch (path) {
      case '/healthz':
        return answer(200, 'ok\n');
      case '/readyz': {
        const { ready, reasons } = readiness();
        // As in Kubernetes: who wants to know more asks for it.
        const details = new URLSearchParams(query).has('verbose') ? leaders() : [];
        return answer(ready ? 200 : 503, `${[...(ready ? ['ok'] : reasons), ...details].join('\n')}\n`);
      }
      case '/metrics':
        registry.metrics().then(
          (text) => answer(200, text, registry.contentType),
          (thrown) => answer(500, `${String(thrown)}\n`),
        );
        return undefined;
      default:
        return answer(404, 'not found\n');
    }
  });
  return {
    name: 'status-server',
    order: startOrder.setup,
    run: (signal) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => onListening?.(`${host}:${(server.address() as AddressInfo).port}`));
        signal.addEventListener('abort', () => {
          server.close(() => resolve());
          server.closeAllConnections();
        });
      }),
  };
}
