import {
  createLogger,
  errorMessage,
  type Fields,
  type Logger,
  type LogLevel,
  logLevels,
  renderJson,
  UsageError,
} from '../base/index.ts';

/** Where a command writes; `isTTY` when a person looks at it. */
export interface CliStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** What a command may touch of the process: passed in, so that tests run commands in their own. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: CliStream;
  readonly stderr: CliStream;
  readonly version: string;
  /** How this program is called in a shell. */
  readonly program?: string | undefined;
  readonly temporaryDir: string;
  /** Aborts when a person or the system asks the program to stop. */
  readonly signal: AbortSignal;
  /** Aborts when nobody reads standard output any more: `supercargo … | head`. */
  readonly outputClosed?: AbortSignal | undefined;
  /** Milliseconds since the process was started. */
  readonly uptimeMs: () => number;
  /** The program of the threads that judge; only the built program has it. */
  readonly evaluationWorker?: URL | undefined;
  /** The program of the thread that writes reports, likewise. */
  readonly reportWorker?: URL | undefined;
  /** The program of the thread that has leases and health, likewise. */
  readonly livenessWorker?: URL | undefined;
}

/** How a command ended: the process's exit code. Each number has one meaning in all commands. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, incomplete: 3, locked: 4, unreachable: 5 } as const;

/** Colours are for people, and not for those who asked for none (no-color.org). */
export function hasColours(stream: CliStream, env: CliContext['env']): boolean {
  return stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** What `LOG_LEVEL` says; it is for who cannot change the command or its configuration file. */
export function logLevelOf({ env }: Pick<CliContext, 'env'>, otherwise: LogLevel): LogLevel {
  const given = env['LOG_LEVEL'];
  if (given === undefined || given === '') return otherwise;
  const level = logLevels.find((one) => one === given.toLowerCase());
  if (level !== undefined) return level;
  throw new UsageError('log-level', `LOG_LEVEL must be one of ${logLevels.join(', ')}, not ${JSON.stringify(given)}`);
}

/** JSON lines, for programs that run until a signal and for those that other programs start. */
export function loggerOf(level: LogLevel): Logger {
  return createLogger({ level });
}

/** Lines as every message of a command is written, for a person who waits for its end. */
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
