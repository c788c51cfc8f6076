import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { freePorts, startChild } from './child.ts';
import { findProgram } from './docker-registry.ts';
import { eventually } from './wait.ts';

/** A stand-in for the AWS API: ECR and STS on loopback. */
export interface Moto {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** On the PATH, or in the virtual environment that the continuous integration makes in the user's cache. */
export function findMoto(): string | undefined {
  const cache = process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache');
  return findProgram('moto_server', [path.join(cache, 'supercargo', 'moto', 'bin')]);
}

export async function startMoto(program: string): Promise<Moto> {
  const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-moto-'));
  const [port] = (await freePorts(1)) as [number];
  const child = startChild('moto', program, ['-H', '127.0.0.1', '-p', String(port)], path.join(folder, 'log'));
  const stop = async () => {
    await child.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    await eventually(
      async () => {
        child.assertRunning();
        const answer = await fetch(`${endpoint}/moto-api/data.json`);
        await answer.arrayBuffer();
        if (!answer.ok) throw new Error(`moto answers ${answer.status}`);
      },
      { timeoutMs: 60_000, intervalMs: 100 },
    );
  } catch (thrown) {
    await stop();
    throw thrown;
  }
  return { endpoint, stop };
}
