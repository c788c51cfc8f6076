import type { LogFormat, LogLevel } from '../../base/index.ts';
import type { FromLeadershipHost, ToLeadershipHost } from '../../controller/index.ts';
import type { ConnectionOrigin } from '../connect.ts';
import type { StatusResponse } from '../status-responses.ts';

/** The data that the thread gets at start. */
export interface LivenessSetup {
  readonly origin: ConnectionOrigin;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  /** The address for `/healthz`, `/readyz` and `/metrics`; no server if undefined. */
  readonly server?: { readonly host: string; readonly port: number } | undefined;
  /** When the main event loop last turned. */
  readonly heartbeat: SharedArrayBuffer;
  /** How long the main event loop may be blocked. */
  readonly stillMs: number;
}

export type ToLiveness =
  | { readonly kind: 'leadership'; readonly message: ToLeadershipHost }
  | { readonly kind: 'response'; readonly id: number; readonly response: StatusResponse }
  | { readonly kind: 'logLevel'; readonly level: LogLevel }
  | { readonly kind: 'stop' };

export type FromLiveness =
  | { readonly kind: 'leadership'; readonly message: FromLeadershipHost }
  | { readonly kind: 'request'; readonly id: number; readonly url: string }
  | { readonly kind: 'listening'; readonly address: string }
  | { readonly kind: 'ended'; readonly failure?: { readonly code: string | undefined; readonly message: string } };
