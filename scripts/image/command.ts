import { spawn } from 'node:child_process';

export interface CommandOptions {
  readonly cwd?: string;
  readonly input?: Uint8Array;
}

/** Runs a program to its end and resolves with its output; rejects with its last words. */
export function runCommand(command: string, args: readonly string[], options: CommandOptions = {}): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
    const child = spawn(command, args, { cwd: options.cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    // A program that fails before it has read its input reports that itself.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input);
    child.once('error', (error) => reject(new Error(`cannot run ${command}: ${error.message}`)));
    child.once('close', (code) => {
      if (code === 0) return resolve(Buffer.concat(stdout));
      const words = Buffer.concat(stderr).toString().trim().split('\n').slice(-3).join(' / ');
      reject(new Error(`${command} ${args[0] ?? ''} ended with ${code}: ${words}`));
    });
  });
}
