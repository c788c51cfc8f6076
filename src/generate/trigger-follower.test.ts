import { describe, expect, it } from 'vitest';
import { History } from './testing/history.ts';

describe('following pods', () => {
  it('starts from now without a checkpoint', async () => {
    const history = new History();
    history.create('older', 'nginx');
    history.pass(60);
    await history.start();
    history.create('newer', 'nginx');
    await history.crash();
    expect(history.transcript).toEqual(['start', 'CREATE newer', 'stop']);
  });

  it('distinguishes writes from the work of kubelet and scheduler', async () => {
    const history = new History();
    await history.start();
    history.create('a', 'nginx');
    history.pass(1);
    history.status('a', 'Running');
    history.pass(1);
    history.write('a', { tier: 'web' });
    history.status('a', 'Succeeded');
    history.remove('a');
    await history.crash();
    expect(history.transcript).toEqual(['start', 'CREATE a', 'UPDATE a', 'gone uid-a', 'stop']);
  });

  it('goes on when an object has an integer beyond 2^53', async () => {
    const history = new History();
    history.create('older', 'nginx', {}, { terminationGracePeriodSeconds: 9_007_199_254_740_993n });
    history.pass(60);
    await history.start();
    history.create('newer', 'nginx', {}, { terminationGracePeriodSeconds: 9_007_199_254_740_993n });
    history.create('usual', 'nginx');
    await history.crash();
    expect(history.transcript).toEqual(['start', 'CREATE newer', 'CREATE usual', 'stop']);
  });

  it('continues after a restart with what happened in between, and only that', async () => {
    const history = new History();
    await history.start();
    history.create('before', 'nginx');
    history.create('touched', 'nginx');
    await history.save();
    await history.crash();
    history.pass(30);
    history.create('during', 'nginx');
    history.create('brief', 'nginx');
    history.remove('brief');
    history.status('before', 'Running');
    history.write('touched', { tier: 'web' });
    await history.start();
    await history.crash();
    expect(history.transcript).toEqual([
      'start',
      'CREATE before',
      'CREATE touched',
      'stop',
      'start',
      'CREATE during',
      'CREATE brief',
      'gone uid-brief',
      'unclear uid-before',
      'UPDATE touched',
      'stop',
    ]);
  });

  it('uses a list when the watch history is gone, and repeats nothing', async () => {
    const history = new History();
    await history.start();
    history.create('quiet', 'nginx');
    history.create('same-second', 'nginx');
    history.create('busy', 'nginx');
    await history.save();
    // Neither the pod whose status changes in that second nor the untouched one was created again.
    history.status('same-second', 'Running');
    await history.crash();
    history.create('late-in-that-second', 'nginx');
    history.pass(600);
    history.status('busy', 'Running');
    history.write('quiet', { tier: 'web' });
    history.create('new', 'nginx');
    history.forget();
    await history.start();
    await history.crash();
    expect(history.transcript.slice(history.transcript.indexOf('stop') + 2)).toEqual([
      'UPDATE quiet',
      'CREATE late-in-that-second',
      'CREATE new',
      'stop',
    ]);
  });

  it('never repeats a pod that is older than the checkpoint, however often it starts', async () => {
    const history = new History();
    await history.start();
    history.create('old', 'nginx');
    for (let i = 0; i < 3; i++) {
      history.pass(400);
      history.status('old', `phase-${i}`);
      if (i === 1) {
        await history.save();
        history.forget();
      }
      await history.restart();
    }
    await history.crash();
    expect(history.transcript.filter((line) => line.endsWith(' old'))).toEqual(['CREATE old']);
  });

  it('repeats work that was not finished at a crash', async () => {
    const history = new History();
    history.finishesAtOnce = false;
    await history.start();
    await history.save();
    history.create('a', 'nginx');
    await history.settle();
    await history.save();
    history.create('b', 'nginx');
    await history.crash();
    history.finishesAtOnce = true;
    await history.start();
    await history.restart();
    expect(history.transcript).toEqual([
      'start',
      'CREATE a',
      'CREATE b',
      'stop',
      'start',
      'CREATE a',
      'CREATE b',
      'stop',
      'start',
    ]);
    await history.crash();
  });

  it('does not treat its own writes as triggers', async () => {
    const history = new History();
    await history.start();
    history.create('ours', 'nginx', {
      labels: { 'supercargo.dev/owner': 'ours' },
      annotations: { 'supercargo.dev/origin': '{}' },
      managedFields: [{ manager: 'supercargo-generate', operation: 'Update', time: '2030-01-01T12:00:00Z' }],
    });
    history.create('theirs', 'nginx');
    history.pass(5);
    history.write('theirs', { by: 'us' }, 'supercargo-generate');
    await history.restart();
    history.pass(5);
    history.write('ours', { 'supercargo.dev/owner': 'ours', by: 'them' });
    await history.crash();
    expect(history.transcript).toEqual(['start', 'CREATE theirs', 'stop', 'start', 'UPDATE ours', 'stop']);
  });
});
