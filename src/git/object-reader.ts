import { BatchResponseParser, type GitObject } from './batch-responses.ts';
import {
  failed,
  type GitCommand,
  type ProcessOptions,
  type RunningGit,
  startGit,
  timedOut,
  tooLarge,
} from './process.ts';

interface PendingRead {
  readonly resolve: (object: GitObject | undefined) => void;
  readonly reject: (reason: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Reads objects through one long-running `git cat-file --batch`. That is much faster than a process per object, and
 * shortens the window in which others push. It sees objects of later fetches.
 */
export class ObjectReader {
  private running: RunningGit | undefined;
  private readonly pendingReads: PendingRead[] = [];
  private isClosed = false;

  constructor(
    private readonly command: GitCommand,
    private readonly options: ProcessOptions,
  ) {}

  /** The object of a name without line breaks; undefined when it does not exist. */
  read(name: string): Promise<GitObject | undefined> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) throw new Error('the repository is no longer open');
      const running = (this.running ??= this.start());
      const timer = setTimeout(() => running.stop(timedOut(this.command, this.options)), this.options.timeoutMs);
      this.pendingReads.push({ resolve, reject, timer });
      running.stdin.write(`${name}\n`);
    });
  }

  async close(): Promise<void> {
    const { running } = this;
    this.isClosed = true;
    running?.stdin.end();
    await running?.ended.catch(() => {});
  }

  private start(): RunningGit {
    const running = startGit({ ...this.command, args: ['cat-file', '--batch'] }, this.options);
    const parser = new BatchResponseParser(this.options.maxOutputBytes);
    running.stdout.on('data', (chunk: Buffer) => {
      for (const response of parser.take(chunk)) {
        if (response === 'too-large') running.stop(tooLarge(this.command, this.options));
        else this.nextPending()?.resolve(response);
      }
    });
    const giveUp = (reason: unknown) => {
      if (this.running === running) this.running = undefined;
      for (let pending = this.nextPending(); pending; pending = this.nextPending()) pending.reject(reason);
    };
    // git fetches a missing object itself and ends with the transport's error when that fails.
    running.ended.then((end) => giveUp(failed(this.command, end)), giveUp);
    return running;
  }

  private nextPending(): PendingRead | undefined {
    const pending = this.pendingReads.shift();
    clearTimeout(pending?.timer);
    return pending;
  }
}
