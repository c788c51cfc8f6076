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

export interface LoggerOptions {
  readonly level?: LogLevel;
  /** The destination; standard error by default, which Node writes synchronously for files, terminals and pipes. */
  readonly destination?: { write(line: string): unknown };
}

/** One JSON object per line: `level`, `time` (RFC 3339), the fields, then `msg`. */
export function createLogger({ level = 'info', destination = process.stderr }: LoggerOptions = {}): Logger {
  const lowest = logLevels.indexOf(level);
  const withFields = (own: Fields): Logger => {
    const at = (name: Exclude<LogLevel, 'silent'>) => {
      if (logLevels.indexOf(name) < lowest) return () => {};
      return (message: string, fields?: Fields) =>
        void destination.write(renderLine(name, message, { ...own, ...fields }));
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
