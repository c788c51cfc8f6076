import { fstatSync, writeSync } from 'node:fs';
import type { CliStream } from './context.ts';

interface OutputOptions {
  readonly fd: 1 | 2;
  /** The stream that Node opens for it. */
  readonly open: () => NodeJS.WriteStream;
  /** Called once when the reader has closed it: what is written then is lost, and the work goes on. */
  readonly onClosed: () => void;
}

/**
 * Standard output or standard error. Both are written synchronously, as by Node: a terminal by Node's stream, a pipe or a
 * file by system calls, because the modules of that stream take longer to load than many commands take to run.
 */
export function openOutput(options: OutputOptions): CliStream {
  const { fd, open, onClosed } = options;
  if (fstatSync(fd).isCharacterDevice()) return openStream(options);
  let stream: NodeJS.WriteStream | undefined;
  let isClosed = false;
  return {
    write(text) {
      if (isClosed) return;
      if (stream) return void stream.write(text);
      const bytes = Buffer.from(text);
      let written = 0;
      try {
        while (written < bytes.length) written += writeSync(fd, bytes, written);
      } catch (thrown) {
        const { code } = thrown as NodeJS.ErrnoException;
        if (code === 'EPIPE') {
          isClosed = true;
          process.nextTick(onClosed);
        } else if (code === 'EAGAIN') {
          // Another process made the pipe non-blocking, and it is full.
          stream = openStream({ fd, open, onClosed });
          stream.write(bytes.subarray(written));
        } else throw thrown;
      }
    },
  };
}

/** Node's stream; that the reader has closed it is no error. */
export function openStream({ open, onClosed }: OutputOptions): NodeJS.WriteStream {
  return open().on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    onClosed();
  });
}
