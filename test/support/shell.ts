import { type ChildProcess, spawn } from 'node:child_process';

export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

interface Started {
  /** Resolves when its output matches, rejects when it ends before. */
  shown(pattern: RegExp): Promise<void>;
  /** What Ctrl-C does. */
  interrupt(): Promise<Ended>;
  readonly ended: Promise<Ended>;
}

export interface Shell {
  run(command: string): Promise<Ended>;
  start(command: string): Started;
  /** Kills what is left. */
  close(): void;
}

export interface ShellOptions {
  readonly bash: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs lines of a page as a user's shell does, each in a process group of its own. */
export function createShell({ bash, cwd, env }: ShellOptions): Shell {
  const running = new Set<ChildProcess>();
  const kill = ({ pid }: ChildProcess, signal: NodeJS.Signals) => {
    try {
      process.kill(-pid!, signal);
    } catch {
      // It has ended.
    }
  };
  const start = (command: string): Started => {
    const child = spawn(bash, ['-euo', 'pipefail', '-c', command], {
      ...{ cwd, env, detached: true },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    let output = '';
    const watchers = new Set<() => void>();
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        for (const look of [...watchers]) look();
      });
    const ended = new Promise<Ended>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        running.delete(child);
        resolve({ code, output });
      });
    });
    return {
      ended,
      shown: (pattern) =>
        new Promise<void>((resolve, reject) => {
          const look = () => pattern.test(output) && resolve();
          watchers.add(look);
          look();
          ended.then(({ code }) => reject(new Error(`${command}: ended with ${code}: ${output}`)), reject);
        }),
      interrupt() {
        kill(child, 'SIGINT');
        return ended;
      },
    };
  };
  return {
    start,
    run: (command) => start(command).ended,
    close() {
      for (const child of running) kill(child, 'SIGKILL');
    },
  };
}
