import { renderJson } from './json.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Messages are constant; fields carry what varies. A logger is passed as a parameter, never imported. */
export interface Logger {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  child(fields: Fields): Logger;
}

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** `json`: one object per line, for programs. `text`: time, level, message and fields, for people. */
export const logFormats = ['json', 'text'] as const;
export type LogFormat = (typeof logFormats)[number];

export interface LoggerOptions {
  /** A function where the level can change while the program runs. */
  readonly level?: LogLevel | (() => LogLevel);
  readonly format?: LogFormat;
  /** The destination; standard error by default, which Node writes synchronously for files, terminals and pipes. */
  readonly destination?: { write(line: string): unknown };
}

/** JSON lines have `level`, `time` (RFC 3339), the fields, then `msg`. */
export function createLogger(options: LoggerOptions = {}): Logger {
  const { level = 'info', format = 'json', destination = process.stderr } = options;
  const lowest = typeof level === 'function' ? () => logLevels.indexOf(level()) : constant(logLevels.indexOf(level));
  const render = format === 'json' ? renderLine : renderText;
  const withFields = (own: Fields): Logger => {
    const at = (name: Exclude<LogLevel, 'silent'>) => {
      const rank = logLevels.indexOf(name);
      return (message: string, fields?: Fields) => {
        if (rank >= lowest()) destination.write(render(name, message, { ...own, ...fields }));
      };
    };
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      child: (fields) => withFields({ ...own, ...fields }),
    };
  };
  return withFields({});
}

function renderLine(level: string, message: string, fields: Fields): string {
  const line = { level, time: new Date().toISOString(), ...fields, msg: message };
  try {
    return `${renderJson(readable(line))}\n`;
  } catch {
    // A field that is not JSON, for example a circular value, must not lose the line.
    const texts = Object.fromEntries(Object.entries(line).map(([key, value]) => [key, String(value)]));
    return `${JSON.stringify(texts)}\n`;
  }
}

function constant<T>(value: T): () => T {
  return () => value;
}

/** `2026-01-31T12:00:00.000Z warn  message key=value other="two words"` */
function renderText(level: string, message: string, fields: Fields): string {
  const details = Object.entries(fields).map(([key, value]) => ` ${key}=${fieldText(value)}`);
  return `${oneLine(`${new Date().toISOString()} ${level.padEnd(5)} ${message}${details.join('')}`)}\n`;
}

/** Quoted where a reader could not see where the value ends. */
function fieldText(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(value.message);
  if (typeof value === 'string') return /^[\w./:@+,-]+$/.test(value) ? value : JSON.stringify(value);
  try {
    return renderJson(value);
  } catch {
    return JSON.stringify(String(value));
  }
}

const oneLine = (text: string) => text.replace(/\p{Cc}+/gu, ' ');

/** JSON.stringify omits the message and stack of errors. */
function readable(line: Fields): Fields {
  const entries = Object.entries(line);
  if (!entries.some(([, value]) => value instanceof Error)) return line;
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      value instanceof Error ? { type: value.name, message: value.message, stack: value.stack } : value,
    ]),
  );
}

export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};
