import type { LogLevel } from '../../base/index.ts';
import type { FromLeadershipHost, ToLeadershipHost } from '../../controller/index.ts';
import type { ConnectionOrigin } from '../connect.ts';
import type { StatusAnswer } from '../status-answers.ts';

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
  | { readonly kind: 'answer'; readonly id: number; readonly answer: StatusAnswer }
  | { readonly kind: 'stop' };

export type FromLiveness =
  | { readonly kind: 'leadership'; readonly message: FromLeadershipHost }
  | { readonly kind: 'ask'; readonly id: number; readonly url: string }
  | { readonly kind: 'listening'; readonly address: string }
  | { readonly kind: 'ended'; readonly failure?: { readonly code: string | undefined; readonly message: string } };
