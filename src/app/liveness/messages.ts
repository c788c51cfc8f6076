import type { LogLevel } from '../../base/index.ts';
import type { FromLeadershipHost, ToLeadershipHost } from '../../controller/index.ts';
import type { ConnectionOrigin } from '../connect.ts';
import type { StatusResponse } from '../status-responses.ts';

/** What the thread is told at its start. */
export interface LivenessSetup {
  readonly origin: ConnectionOrigin;
  readonly logLevel: LogLevel;
  /** Where it serves `/healthz`, `/readyz` and `/metrics`; nowhere when absent. */
  readonly server?: { readonly host: string; readonly port: number } | undefined;
  /** When the event loop of the work turned last. */
  readonly heartbeat: SharedArrayBuffer;
  /** So long may the event loop of the work stand still. */
  readonly stillMs: number;
}

export type ToLiveness =
  | { readonly kind: 'leadership'; readonly message: ToLeadershipHost }
  | { readonly kind: 'response'; readonly id: number; readonly response: StatusResponse }
  | { readonly kind: 'stop' };

export type FromLiveness =
  | { readonly kind: 'leadership'; readonly message: FromLeadershipHost }
  | { readonly kind: 'request'; readonly id: number; readonly url: string }
  | { readonly kind: 'listening'; readonly address: string }
  | { readonly kind: 'ended'; readonly failure?: { readonly code: string | undefined; readonly message: string } };
