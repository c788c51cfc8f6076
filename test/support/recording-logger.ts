import type { Fields, Logger } from '../../src/base/index.ts';

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Fields;
}

/** A logger that records its lines for a test. */
export function createRecordingLogger(lines: LogLine[] = [], inherited: Fields = {}): Logger & { lines: LogLine[] } {
  const at =
    (level: string) =>
    (message: string, fields: Fields = {}) =>
      void lines.push({ level, message, fields: { ...inherited, ...fields } });
  return {
    lines,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => createRecordingLogger(lines, { ...inherited, ...fields }),
  };
}
