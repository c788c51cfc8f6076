import type { SingleBar } from 'cli-progress';
import type { MirrorEvent } from '../app/index.ts';

/** Shows the progress of a copy. */
interface ProgressDisplay {
  event(image: string, event: MirrorEvent): void;
  stop(): void;
}

export const noDisplay: ProgressDisplay = { event() {}, stop() {} };

/** On a terminal, one bar per layer in transfer; finished layers are removed to keep the list short. */
export async function terminalDisplay(stream: NodeJS.WritableStream): Promise<ProgressDisplay> {
  // Loaded only on a terminal, so that other commands do not pay for it.
  const { default: progress } = await import('cli-progress');
  const { MultiBar, Presets } = progress;
  const bars = new MultiBar(
    {
      stream,
      format: '{layer} {bar} {percentage}%  {done} of {size}  {image}',
      barsize: 24,
      hideCursor: true,
      clearOnComplete: true,
      fps: 10,
      gracefulExit: false,
    },
    Presets.shades_classic,
  );
  const open = new Map<string, SingleBar>();
  const close = (digest: string) => {
    const bar = open.get(digest);
    if (bar === undefined) return;
    bars.remove(bar);
    open.delete(digest);
  };
  return {
    event(image, event) {
      if (event.kind === 'blob-progress') {
        const { digest, size, doneBytes } = event;
        const payload = { image, layer: digest.slice(7, 19), done: renderBytes(doneBytes), size: renderBytes(size) };
        const known = open.get(digest);
        if (known) known.update(doneBytes, payload);
        else open.set(digest, bars.create(size, doneBytes, payload));
      } else if (event.kind === 'blob-copied' || event.kind === 'blob-skipped') close(event.digest);
      else if (event.kind === 'blob-resumed')
        bars.log(`${event.digest.slice(7, 19)} goes on at ${renderBytes(event.offset)}: ${event.why}\n`);
    },
    stop: () => bars.stop(),
  };
}

/** `12.3 MB`: powers of ten, as registries count. */
export function renderBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = -1;
  do {
    value /= 1000;
    unit++;
  } while (value >= 999.95 && unit < units.length - 1);
  return `${value.toFixed(1)} ${units[unit]}`;
}
