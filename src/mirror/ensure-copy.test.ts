import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { ensureCopy } from './ensure-copy.ts';
import type { CopyState, MirroredImageStore } from './mirrored-image-store.ts';
import { log, mirrorRequestOf, settings, signal } from './testing/fakes.ts';

const mirrorRequest = mirrorRequestOf('busybox:1');
const copied: CopyState = { phase: 'Copied', digest: 'sha256:a', attempts: 1 };

interface Scene {
  readonly state?: CopyState;
  readonly mode?: 'auto' | 'sync' | 'async';
  readonly exists?: () => Promise<boolean>;
  readonly isAccepted?: boolean;
  readonly conflicting?: string;
  readonly isDryRun?: boolean;
}

function play(scene: Scene) {
  const clock = createFakeClock();
  let state: CopyState = scene.state ?? { phase: 'Unknown', attempts: 0 };
  const requested: string[] = [];
  let check = () => {};
  const store: MirroredImageStore = {
    stateOf: () => state,
    conflictingSource: () => scene.conflicting,
    async request() {
      requested.push('requested');
      return scene.isAccepted ?? true;
    },
    waitFor: (_, isEnough, until) =>
      new Promise((resolve) => {
        check = () => isEnough(state) && resolve(state);
        until.addEventListener('abort', () => resolve(state));
        check();
      }),
  };
  const presence = { exists: scene.exists ?? (async () => true) };
  const options = { store, presence, settings: { ...settings, mode: scene.mode ?? 'auto' }, clock, log };
  const outcome = ensureCopy(mirrorRequest, options, { isDryRun: scene.isDryRun ?? false, mayRequest: true, signal });
  return {
    outcome,
    requested,
    clock,
    become(next: CopyState) {
      state = next;
      check();
    },
  };
}

describe('the copy of an image', () => {
  it('is available when the registry has the recorded digest', async () => {
    const { outcome, requested } = play({ state: copied });
    expect(await outcome).toEqual({ ok: true, digest: 'sha256:a' });
    expect(requested).toEqual([]);
  });

  it('is waited for, and checked before it is used', async () => {
    const scene = play({});
    await scene.clock.advance(0);
    scene.become({ phase: 'Copying', bytesTotal: 10, attempts: 1 });
    scene.become(copied);
    expect(await scene.outcome).toEqual({ ok: true, digest: 'sha256:a' });
    expect(scene.requested).toEqual(['requested']);
    const lies = play({ exists: async () => false });
    await lies.clock.advance(0);
    lies.become(copied);
    expect(await lies.outcome).toMatchObject({ ok: false, reason: 'the copy is no longer in the registry' });
  });

  it('is not waited for longer than configured, nor when it is large', async () => {
    const slow = play({});
    await slow.clock.advance(2_999);
    slow.become({ phase: 'Copying', bytesTotal: 10, attempts: 1 });
    await slow.clock.advance(1);
    expect(await slow.outcome).toMatchObject({
      ok: false,
      isUnderWay: true,
      reason: expect.stringContaining('longer'),
    });
    const large = play({});
    await large.clock.advance(0);
    large.become({ phase: 'Copying', bytesTotal: 20_000_001, attempts: 1 });
    expect(await large.outcome).toMatchObject({ ok: false, isUnderWay: true });
    const patient = play({ mode: 'sync' });
    await patient.clock.advance(0);
    patient.become({ phase: 'Copying', bytesTotal: 20_000_001, attempts: 1 });
    await patient.clock.advance(9_000);
    patient.become(copied);
    expect(await patient.outcome).toMatchObject({ ok: true });
  });

  it('is only requested in async mode, and not even that by a dry run', async () => {
    const later = play({ mode: 'async' });
    expect(await later.outcome).toMatchObject({
      ok: false,
      isUnderWay: true,
      reason: 'it is copied in the background',
    });
    expect(later.requested).toEqual(['requested']);
    const dry = play({ isDryRun: true });
    expect(await dry.outcome).toMatchObject({ ok: false, isUnderWay: true });
    const lost = play({ isDryRun: true, state: copied, exists: async () => false });
    expect(await lost.outcome).toMatchObject({ ok: false });
    expect([...dry.requested, ...lost.requested]).toEqual([]);
    expect(await play({ isDryRun: true, state: copied }).outcome).toEqual({ ok: true, digest: 'sha256:a' });
  });

  it('is requested again when it is lost, and the old end state is ignored', async () => {
    let exists = false;
    const scene = play({ state: copied, exists: async () => exists });
    await scene.clock.advance(0);
    expect(scene.requested).toEqual(['requested']);
    exists = true;
    scene.become({ ...copied, phase: 'Pending' });
    scene.become({ ...copied, attempts: 2 });
    expect(await scene.outcome).toEqual({ ok: true, digest: 'sha256:a' });
  });

  it('fails with the reason of the attempt that was waited for', async () => {
    const failed: CopyState = { phase: 'Failed', message: 'it is not there', attempts: 3 };
    const scene = play({ state: failed });
    await scene.clock.advance(0);
    scene.become({ ...failed, message: 'it may not be read', attempts: 4 });
    expect(await scene.outcome).toMatchObject({ ok: false, reason: 'it may not be read' });
    expect(await play({ state: failed, isAccepted: false }).outcome).toMatchObject({ reason: 'it is not there' });
  });

  it('is not requested again because the registry is down, nor where another source owns its name', async () => {
    const down = play({ state: copied, exists: () => Promise.reject(new Error('connection refused')) });
    expect(await down.outcome).toMatchObject({
      ok: false,
      isUnderWay: false,
      reason: 'the backup registry does not answer: connection refused',
    });
    const taken = play({ conflicting: 'quay.io/x/busybox:1' });
    expect(await taken.outcome).toMatchObject({
      reason: expect.stringContaining('is the copy of quay.io/x/busybox:1'),
    });
    expect([...down.requested, ...taken.requested]).toEqual([]);
  });

  it('is unavailable, without failing the request, when the API server refuses', async () => {
    const clock = createFakeClock();
    const store = {
      stateOf: () => ({ phase: 'Unknown', attempts: 0 }) as const,
      conflictingSource: () => undefined,
      request: () => Promise.reject(new Error('forbidden')),
      waitFor: () => Promise.reject(new Error('never')),
    };
    const presence = { exists: async () => true };
    expect(
      await ensureCopy(
        mirrorRequest,
        { store, presence, settings, clock, log },
        { isDryRun: false, mayRequest: true, signal },
      ),
    ).toEqual({
      ok: false,
      isUnderWay: false,
      reason: 'forbidden',
    });
  });
});
