import type { Registry } from 'prom-client';
import type { Readiness } from '../controller/index.ts';

/** An HTTP response as plain data: it may come from another thread. */
export interface StatusResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

export type StatusResponder = (url: string) => Promise<StatusResponse>;

interface StatusResponderOptions {
  readonly registry: Registry;
  readonly readiness: () => Readiness;
  /** One line per group of controllers with its leader. */
  readonly leaders: () => readonly string[];
  /** One line per kind that the program runs without. */
  readonly unreadable: () => readonly string[];
}

/** `/readyz` and `/metrics`, which only the main event loop can serve. */
export function createStatusResponder({
  registry,
  readiness,
  leaders,
  unreadable,
}: StatusResponderOptions): StatusResponder {
  return async (url) => {
    const [path, query] = url.split('?');
    if (path === '/readyz') {
      const { ready, reasons } = readiness();
      // As in Kubernetes, details only with `verbose`.
      const details = new URLSearchParams(query).has('verbose') ? [...leaders(), ...unreadable()] : [];
      return plain(ready ? 200 : 503, [...(ready ? ['ok'] : reasons), ...details].join('\n'));
    }
    if (path === '/metrics') return { status: 200, type: registry.contentType, body: await registry.metrics() };
    return plain(404, 'not found');
  };
}

export const plain = (status: number, text: string): StatusResponse => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: `${text}\n`,
});
