import { renderJson, renderYaml } from '../base/index.ts';
import type { CliContext, CliStream } from './context.ts';

/** One value for other programs. */
export function renderValue(value: unknown, format: 'json' | 'yaml'): string {
  return format === 'json' ? `${renderJson(value, 2)}\n` : renderYaml(value);
}

/** Columns in the manner of kubectl, readable for awk too. A cell is one line, without terminal control characters. */
export function renderColumns(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, ...rows.map((row) => row.map(cleanText))];
  const widths = heads.map((_, column) => lines.reduce((width, row) => Math.max(width, row[column]!.length), 0));
  const render = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('   ');
  return lines.map((row) => `${render(row).trimEnd()}\n`).join('');
}

/** Text that may come from a tenant, as one line. */
export const cleanText = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();

/** Buffers small writes: a write to a pipe costs more than its text. */
export function bufferedWriter(stream: CliStream): { write(text: string): void; flush(): void } {
  let waiting: string[] = [];
  let length = 0;
  const flush = () => {
    if (length > 0) stream.write(waiting.join(''));
    waiting = [];
    length = 0;
  };
  return {
    write(text) {
      waiting.push(text);
      length += text.length;
      if (length >= 64 * 1024) flush();
    },
    flush,
  };
}

/** Progress of a long run on a terminal. */
export interface ProgressBar {
  update(resources: number, bytes: number, totalBytes: number | undefined): void;
  stop(): void;
}

const silent: ProgressBar = { update: () => undefined, stop: () => undefined };

/** Shorter runs show no progress. */
const worthShowing = 1024 * 1024;

/** A progress bar on standard error; nothing without a terminal, or for small inputs. */
export async function openProgress({ stderr, stdout }: CliContext, flush: () => void): Promise<ProgressBar> {
  if (stderr.isTTY !== true || stdout.isTTY === true) return silent;
  const { SingleBar } = (await import('cli-progress')).default;
  let bar: InstanceType<typeof SingleBar> | undefined;
  return {
    update(resources, bytes, totalBytes) {
      if (totalBytes !== undefined && totalBytes < worthShowing) return;
      if (!bar) {
        const format =
          totalBytes === undefined
            ? '{resources} resources'
            : '{bar} {percentage}% | {resources} resources | {eta_formatted} left';
        bar = new SingleBar({
          format,
          hideCursor: true,
          clearOnComplete: true,
          stream: stderr as unknown as NodeJS.WritableStream,
        });
        bar.start(totalBytes ?? 0, 0, { resources: 0 });
      }
      bar.update(bytes, { resources: resources.toLocaleString('en') });
    },
    stop() {
      bar?.stop();
      flush();
    },
  };
}
