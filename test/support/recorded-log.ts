import { createLogger, type Logger } from '../../src/base/index.ts';

/** The log of a program, line by line. */
export interface RecordedLog {
  /** The lines with this message. */
  lines(message: string): readonly Readonly<Record<string, unknown>>[];
  text(): string;
}

export function recordedLogOf(text: () => string): RecordedLog {
  return {
    text,
    lines: (message) =>
      text()
        .split('\n')
        // The last line may be incomplete.
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
        .filter(({ msg }) => msg === message),
  };
}

/** For a program that runs in this process. */
export function createRecordedLog(): RecordedLog & { readonly log: Logger } {
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', destination: { write: (line) => void lines.push(line) } });
  return { log, ...recordedLogOf(() => lines.join('')) };
}
