import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connection, connect } from '../../src/app/connect.ts';
import { silentLogger } from '../../src/base/index.ts';
import { keyOf } from '../../src/object/index.ts';
import { type CreateFixture, createCreateFixture } from '../integration/create-fixture.ts';
import { installKinds } from '../integration/run-features.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { hasGit } from '../support/git-server.ts';
import { committedDetections, filesOf, type GitTarget, localTarget } from '../support/git-targets.ts';
import { launch } from '../support/program.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';

const count = 12;

describe.skipIf(!hasGit())('the program, killed while it commits', () => {
  let cluster: Cluster;
  let connection: Connection;
  let target: GitTarget;
  let fixture: CreateFixture;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'supercargo-create-crash-'));
    [cluster, target] = await Promise.all([startEmbedded(), localTarget()]);
    connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
    await installKinds(connection);
    fixture = createCreateFixture(connection, 'crash');
    await fixture.openNamespace();
    // Three branches: several pushes, and so several moments to die in.
    for (let i = 0; i < count; i++) {
      await fixture.template(`t${i}`, {
        template: 'image: {{ .FullImageName }}',
        gitRepository: { url: target.url, branch: `b${i % 3}` },
      });
      await fixture.policy(`t${i}`, {});
    }
    writeFileSync(
      path.join(folder, 'config.yaml'),
      JSON.stringify({
        namespace: 'crash',
        features: ['create'],
        server: { port: 0 },
        leaderElection: { enabled: false },
        create: { allowLocalRepositories: true, batchWindow: '10ms' },
      }),
    );
  }, 60_000);
  afterAll(async () => {
    await connection?.client.close();
    await cluster?.stop();
    await target?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = () =>
    launch(['run', '--config', path.join(folder, 'config.yaml'), '--kubeconfig', cluster.kubeconfigPath]);
  const inPhase = async (phase: string) =>
    (await fixture.detections()).filter(({ status }) => status?.phase === phase).length;

  it('commits each detection once', async () => {
    for (let i = 0; i < count; i++) await fixture.detection(`r.example/crash/app-${i}:v1`, { policy: `t${i}` });
    // Once when work has been taken, and once when some of it is done: before and after pushes.
    const moments = [() => inPhase('Processing'), () => inPhase('Completed'), () => inPhase('Processing')];
    for (const moment of moments) {
      const program = start();
      await eventually(
        async () => {
          const isOver = (await inPhase('Completed')) === count;
          if (!isOver && (await moment()) === 0) throw new Error('not yet');
        },
        { timeoutMs: 40_000, intervalMs: 5 },
      );
      await program.kill9();
    }
    const last = start();
    try {
      await eventually(async () => expect(await inPhase('Completed')).toBe(count), { timeoutMs: 60_000 });
    } finally {
      await last.stop();
    }
    const branches = ['b0', 'b1', 'b2'];
    const committed = branches.flatMap((branch) => committedDetections(target.repository, branch));
    const detections = await fixture.detections();
    expect([...new Set(committed)].sort()).toEqual(detections.map(keyOf).sort());
    // A branch that began at another carries its commits too; none has one twice.
    for (const branch of branches) {
      const own = committedDetections(target.repository, branch);
      expect(new Set(own).size).toBe(own.length);
    }
    for (const { spec, status } of detections) {
      const branch = `b${Number(/app-(\d+)/.exec(spec.imageName)?.[1]) % 3}`;
      expect(status).toMatchObject({ resourceCreated: true, files: [`${spec.imageName}.yaml`] });
      expect(filesOf(target.repository, branch)[`${spec.imageName}.yaml`]).toBe(`image: ${spec.fullImageName}`);
    }
  }, 180_000);
});
