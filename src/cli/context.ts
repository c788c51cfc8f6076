import { createLogger, type Logger, type LogLevel } from '../base/index.ts';

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
  readonly temporaryDir: string;
  /** Aborts when a person or the system asks the program to stop. */
  readonly signal: AbortSignal;
  /** Milliseconds since the process was started. */
  readonly uptimeMs: () => number;
  /** The program of the threads that judge; only the built program has it. */
  readonly judgeWorker?: URL | undefined;
  /** The program of the thread that writes reports, likewise. */
  readonly reportWorker?: URL | undefined;
}

/** How a command ended: the process's exit code. */
export const exitCodes = { ok: 0, failed: 1, usage: 2 } as const;

/** Colours are for people, and not for those who asked for none (no-color.org). */
export function hasColours(stream: CliStream, env: CliContext['env']): boolean {
  return stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

export function loggerOf(level: LogLevel): Logger {
  return createLogger({ level });
}
