import type { ServerResponse } from 'node:http';
import {
  type InsightsStandIn,
  type StandInOptions,
  type StandInRequest,
  startInsightsStandIn,
} from '../../src/app/demo/insights-stand-in.ts';

/** What goes wrong with one answer. */
export type Fault =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  /** A success with this content, framed properly. */
  | { readonly text: string; readonly type?: string }
  /** So many bytes, with or without saying so before. */
  | { readonly bytes: number; readonly announced: boolean }
  /** Half of the text and then the end of the connection; unframed it looks like a whole answer. */
  | { readonly cut: string; readonly framed: boolean }
  /** No answer at all, until the caller gives up. */
  | 'silence'
  /** The connection is closed without an answer. */
  | 'hang-up';

export interface InsightsServer extends InsightsStandIn {
  /** The next answers to requests whose path contains `path` go wrong, one fault each; more for all of them with `for ever`. */
  fail(path: string, ...faults: readonly Fault[]): void;
  failForever(path: string, fault: Fault): void;
  /** Ends every fault. */
  heal(): void;
  /** The requests whose path contains this. */
  requestsTo(path: string): readonly StandInRequest[];
}

/** A server of the Insights API with configurable failures. */
export async function startInsightsServer(options: StandInOptions = {}): Promise<InsightsServer> {
  let planned: { path: string; faults: Fault[]; lasting: boolean }[] = [];
  const server = await startInsightsStandIn({
    token: 'very-secret-token-4711',
    ...options,
    intercept(request, response) {
      const plan = planned.find(({ path, faults }) => request.path.includes(path) && faults.length > 0);
      if (plan === undefined) return options.intercept?.(request, response) ?? false;
      const fault = plan.lasting ? plan.faults[0]! : plan.faults.shift()!;
      commit(fault, response);
      return true;
    },
  });
  return Object.assign(Object.create(server) as InsightsStandIn, {
    fail: (path: string, ...faults: readonly Fault[]) =>
      void planned.push({ path, faults: [...faults], lasting: false }),
    failForever: (path: string, fault: Fault) => void planned.push({ path, faults: [fault], lasting: true }),
    heal: () => {
      planned = [];
    },
    requestsTo: (path: string) => server.requests.filter((request) => request.path.includes(path)),
  });
}

function commit(fault: Fault, response: ServerResponse): void {
  if (fault === 'silence') return;
  if (fault === 'hang-up') {
    response.socket?.destroy();
  } else if ('status' in fault) {
    response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers }).end(fault.body ?? '');
  } else if ('text' in fault) {
    response.writeHead(200, { 'content-type': fault.type ?? 'application/x-yaml' }).end(fault.text);
  } else if ('cut' in fault) {
    // Written past the library, which would frame it.
    const length = fault.framed ? `content-length: ${Buffer.byteLength(fault.cut) * 2}\r\n` : '';
    response.socket?.end(
      `HTTP/1.1 200 OK\r\ncontent-type: application/x-yaml\r\n${length}connection: close\r\n\r\n${fault.cut}`,
    );
  } else {
    const headers = { 'content-type': 'application/x-yaml' };
    response.writeHead(200, fault.announced ? { ...headers, 'content-length': fault.bytes } : headers);
    pour(response, fault.bytes);
  }
}

function pour(response: ServerResponse, bytes: number): void {
  const chunk = Buffer.alloc(64 * 1024, '#');
  let left = bytes;
  const more = () => {
    while (left > 0) {
      const part = chunk.subarray(0, Math.min(left, chunk.length));
      left -= part.length;
      if (!response.write(part)) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  };
  more();
}
