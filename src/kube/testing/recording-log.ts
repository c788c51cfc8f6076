import type { Fields, Logger } from '../../base/index.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Fields;
}

/** A logger that records its lines; children write to the same lines. */
export function recordingLog(): Logger & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at =
    (level: LogLine['level']) =>
    (message: string, fields: Fields = {}) => {
      lines.push({ level, message, fields });
    };
  const log = { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  return { ...log, child: () => ({ ...log, child: () => recordingLog() }) };
}
