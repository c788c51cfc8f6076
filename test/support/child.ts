import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** A server process started by a test; its output goes to a file. */
export interface Child {
  readonly name: string;
  readonly pid: number;
  /** Throws, with the last lines of the log, when the process has ended. */
  assertRunning(): void;
  lastLines(): string;
  /** Asks the process to end, insists after `graceMs`, and resolves once it is gone. */
  stop(graceMs?: number): Promise<void>;
}

export function startChild(name: string, binary: string, args: readonly string[], logFile: string): Child {
  const log = openSync(logFile, 'a');
  const process_ = spawn(binary, args, { stdio: ['ignore', log, log] });
  closeSync(log);
  let ended: string | undefined;
  const end = new Promise<void>((resolve) => {
    process_.once('error', (error) => {
      ended ??= error.message;
      resolve();
    });
    process_.once('exit', (code, signal) => {
      ended ??= `ended with ${signal ?? `code ${code}`}`;
      resolve();
    });
  });
  const killWithParent = () => kill(process_, 'SIGKILL');
  process.once('exit', killWithParent);
  void end.then(() => process.off('exit', killWithParent));

  const lastLines = () => readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
  return {
    name,
    pid: process_.pid ?? 0,
    lastLines,
    assertRunning() {
      if (ended !== undefined) throw new Error(`${name} ${ended}; its last lines:\n${lastLines()}`);
    },
    async stop(graceMs = 30_000) {
      if (ended !== undefined) return;
      kill(process_, 'SIGTERM');
      const insist = setTimeout(() => kill(process_, 'SIGKILL'), graceMs);
      await end;
      clearTimeout(insist);
    },
  };
}

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal);
}

/** Ports that were free a moment ago, all different. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve, reject) => {
          const server = createServer();
          server.once('error', reject);
          server.listen(0, '127.0.0.1', () => resolve(server));
        }),
    ),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the listener has no port');
    return address.port;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
