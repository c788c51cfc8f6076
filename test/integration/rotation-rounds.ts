import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { Journal, Store } from '../../src/apiserver/store/index.ts';
import { bundleScript } from './bundle.ts';
import { startNode } from './program.ts';
import { seeded } from './random.ts';

export interface RotationReport {
  readonly kills: number;
  /** Kills that came while a snapshot was being written. */
  readonly killedRotating: number;
  readonly rotations: number;
  readonly acknowledged: number;
}

type State = Map<string, { readonly value: string; readonly revision: number }>;

/** Kills a process that writes and rotates its journal all the time, and reads the directory after each kill. */
export async function runRotationRounds(kills: number, seed: number): Promise<RotationReport> {
  const dir = mkdtempSync(path.join(tmpdir(), 'supercargo-rotation-'));
  const script = await bundleScript('journal-writer.ts');
  const pick = seeded(seed);
  const report = { kills, killedRotating: 0, rotations: 0, acknowledged: 0 };
  let state: State = new Map();
  let revision = 1;
  try {
    for (let kill = 0; kill < kills; kill++) {
      const writer = startNode([script.file, dir, String(pick(1 << 30)), '3000']);
      await writer.until((output) => output.includes('open\n') || undefined);
      await sleep(pick(120));
      await writer.end('SIGKILL');
      // The last line may be truncated: its write was acknowledged, but the test did not read the acknowledgement.
      const lines = writer.output.slice(0, writer.output.lastIndexOf('\n')).split('\n');
      for (const line of lines) {
        const [word, name = '', value = '', at] = line.split(' ');
        if (word === 'rotated') report.rotations++;
        if (word !== 'state') continue;
        report.acknowledged++;
        expect(Number(at)).toBe(++revision);
        if (value === '-') state.delete(name);
        else state.set(name, { value, revision });
      }
      if (lines.at(-1) === 'rotating') report.killedRotating++;
      const found = readDirectory(dir);
      // At most one change, written but not yet acknowledged, is newer than the acknowledged ones.
      expect([revision, revision + 1]).toContain(found.revision);
      expect(differences(state, found.state), `kill ${kill}`).toHaveLength(found.revision - revision);
      ({ state, revision } = found);
    }
    return report;
  } finally {
    rmSync(dir, { recursive: true, force: true });
    script.remove();
  }
}

function readDirectory(dir: string): { readonly state: State; readonly revision: number } {
  let journal: Journal | undefined;
  const store = Journal.open(dir, (opened) => {
    journal = opened;
    return new Store(opened);
  });
  journal?.close();
  const state: State = new Map();
  for (const { object, revision } of store.collection('/configmaps').entries(''))
    state.set(object.metadata.name ?? '', { value: (object['data'] as { value: string }).value, revision });
  return { state, revision: store.revision };
}

function differences(a: State, b: State): readonly string[] {
  const names = new Set([...a.keys(), ...b.keys()]);
  return [...names].filter((name) => {
    const [left, right] = [a.get(name), b.get(name)];
    return left?.value !== right?.value || left?.revision !== right?.revision;
  });
}
