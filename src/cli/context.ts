import { errorMessage, type Fields, type Logger, renderJson } from '../base/index.ts';

/** An output stream; `isTTY` if it is a terminal. */
export interface CliStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The parts of the process that a command may use: injected, so that tests run commands in their own process. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A function, because most commands do not read it and opening it takes time. */
  readonly openStdin?: (() => NodeJS.ReadableStream & { readonly isTTY?: boolean }) | undefined;
  readonly stdout: CliStream;
  readonly stderr: CliStream;
  readonly version: string;
  /** The version of Node, for `supercargo version`. */
  readonly nodeVersion?: string | undefined;
  /** How this program is called in a shell. */
  readonly program?: string | undefined;
  readonly temporaryDir: string;
  /** Aborts on SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  /** Aborts when the reader closes standard output: `supercargo … | head`. */
  readonly outputClosed?: AbortSignal | undefined;
  /** Milliseconds since the process was started. */
  readonly uptimeMs: () => number;
  /** The worker program that evaluates; only in the built program. */
  readonly evaluationWorker?: URL | undefined;
  /** The worker program that writes reports; likewise. */
  readonly reportWorker?: URL | undefined;
  /** The worker program for leases and health; likewise. */
  readonly livenessWorker?: URL | undefined;
  /** The worker program of the dashboard, and the files of its page; likewise. */
  readonly dashboardWorker?: URL | undefined;
  readonly dashboardPage?: URL | undefined;
}

/** The exit code of a command. Each number has one meaning in all commands. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, incomplete: 3, locked: 4, unreachable: 5 } as const;

/** Colours only on a terminal, and not if NO_COLOR is set (no-color.org). */
export function hasColours(stream: CliStream, env: CliContext['env']): boolean {
  return stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** Plain lines in the format of all messages of a command, for a command in a terminal. */
export function messagesOf({ stderr }: Pick<CliContext, 'stderr'>, level: 'warn' | 'error' = 'warn'): Logger {
  const line = (kind: string) => (message: string, fields?: Fields) => {
    const details = Object.values(fields ?? {}).map((value) => (value instanceof Error ? errorMessage(value) : value));
    const shown = details.map((value) => (typeof value === 'string' ? value : renderJson(value)));
    stderr.write(`supercargo: ${kind}${[message, ...shown].join(': ').replaceAll('\n', ' ')}\n`);
  };
  const logger: Logger = {
    debug() {},
    info() {},
    warn: level === 'warn' ? line('warning: ') : () => {},
    error: line(''),
    child: () => logger,
  };
  return logger;
}

/** What the page of a command needs of this process. */
export const dashboardPlace = ({ dashboardWorker, dashboardPage, version }: CliContext) => ({
  worker: dashboardWorker,
  page: dashboardPage,
  version,
});
