import { fork } from 'node:child_process';
import type { Question } from './review-server.ts';

export interface Usage {
  readonly cpu: NodeJS.CpuUsage;
  readonly rss: number;
}

/** A server that is measured, in a process of its own. */
export interface ReviewProcess {
  readonly pid: number;
  readonly port: number;
  readonly ca: string;
  ask<T>(question: Question): Promise<T>;
  stop(): Promise<void>;
}

export async function startReviewProcess(file: string, mode: 'serve' | 'nothing' | 'parse'): Promise<ReviewProcess> {
  const profile = process.env['BENCH_PROFILE'];
  const child = fork(file, [mode], {
    execArgv: [...process.execArgv, ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [])],
  });
  const { port, ca } = await new Promise<{ readonly port: number; readonly ca: string }>((resolve, reject) => {
    child.once('message', (message) => resolve(message as { readonly port: number; readonly ca: string }));
    child.once('exit', () => reject(new Error('the server ended before it served')));
  });
  const waiting = new Map<number, (answer: never) => void>();
  child.on('message', (message) => {
    const { id, answer } = message as { readonly id: number; readonly answer: never };
    waiting.get(id)?.(answer);
    waiting.delete(id);
  });
  let questions = 0;
  return {
    pid: child.pid!,
    port,
    ca,
    ask: (question) =>
      new Promise((resolve, reject) => {
        const id = ++questions;
        waiting.set(id, resolve);
        child.send({ id, question }, (error) => error && reject(error));
      }),
    async stop() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.disconnect();
      await exited;
    },
  };
}
