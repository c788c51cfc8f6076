/** From ECR to Git through the built program: keys of a Secret, a role, the identity of the machine. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imageResourcePolicies, imagesDetected, type ImageResourcePolicy as Policy } from '../../src/api/index.ts';
import { type Connection, connect } from '../../src/app/connect.ts';
import { silentLogger } from '../../src/base/index.ts';
import { createCreateFixture } from '../integration/create-fixture.ts';
import { runEnvironmentsScenario } from '../integration/environments-scenario.ts';
import { installKinds } from '../integration/run-features.ts';
import { launchRun } from '../integration/run-program.ts';
import { type EcrImages, ecrImages } from '../support/ecr-images.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { hasGit } from '../support/git-server.ts';
import { type GitTarget, httpTarget, sshTarget } from '../support/git-targets.ts';
import { findMoto, type Moto, startMoto } from '../support/moto.ts';
import { type Cluster, startRealCluster } from '../support/real-cluster.ts';
import { recordedLogOf } from '../support/recorded-log.ts';
import { missingOf } from '../support/skip.ts';
import { findSshd, hasSsh } from '../support/ssh-server.ts';
import { eventually } from '../support/wait.ts';

const program = findMoto();
const missing = missingOf('from ECR to Git', { moto_server: program, git: hasGit() });
const sshd = hasSsh() ? findSshd() : undefined;

const region = 'eu-central-1';
const keys = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'a-secret-access-key' };
const elsewhere = 'arn:aws:iam::111122223333:role/ECRReadRole';
const nobody = 'http://127.0.0.1:1';
const config = {
  namespace: 'default',
  features: ['detect', 'create'],
  create: { allowLoopback: true, batchWindow: '200ms' },
  network: { allowLoopback: true },
};

interface Way {
  readonly title: string;
  readonly account: string;
  readonly roleArn?: string;
  readonly hasSecret: boolean;
  /** The address of AWS stands in the policy, or in AWS_ENDPOINT_URL. */
  readonly namesEndpoint: boolean;
  readonly target: () => Promise<GitTarget>;
}

const ways: readonly Way[] = [
  {
    title: 'keys of a Secret, to Git over http with a token',
    account: '123456789012',
    hasSecret: true,
    namesEndpoint: true,
    target: () => httpTarget('token'),
  },
  {
    title: "a role of another account, assumed with a Secret's keys, to Git over http with a password",
    account: '111122223333',
    roleArn: elsewhere,
    hasSecret: true,
    namesEndpoint: false,
    target: () => httpTarget('basic'),
  },
  {
    title: `a role assumed with what the machine has, to Git over ${sshd === undefined ? 'http' : 'ssh'}`,
    account: '111122223333',
    roleArn: elsewhere,
    hasSecret: false,
    namesEndpoint: false,
    target: () => (sshd === undefined ? httpTarget('token') : sshTarget(sshd)),
  },
];

const clusters: Readonly<Record<string, () => Promise<Cluster>>> = {
  'the embedded cluster': () => startEmbedded(),
  'a real cluster': () => startRealCluster(),
};

describe.skipIf(missing !== undefined)('from ECR to Git', () => {
  let moto: Moto;
  beforeAll(async () => {
    moto = await startMoto(program!);
  }, 90_000);
  afterAll(() => moto?.stop());

  describe.each(Object.keys(clusters))('on %s', (name) => {
    let cluster: Cluster;
    let connection: Connection;

    beforeAll(async () => {
      cluster = await clusters[name]!();
      connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
      await installKinds(connection);
    }, 120_000);
    afterAll(async () => {
      await connection?.client.close();
      await cluster?.stop();
    });

    it.each(ways.map((way, i) => [way.title, way, i] as const))(
      'with %s',
      async (_, { account, roleArn, hasSecret, namesEndpoint, target: start }, i) => {
        const namespace = `ecr-${i}`;
        const path = `${name.split(' ')[1]}-${namespace}/myapp`;
        const fixture = createCreateFixture(connection, namespace);
        await fixture.openNamespace();
        const owner: EcrImages = ecrImages({
          endpoint: moto.endpoint,
          region,
          keys,
          ...(roleArn === undefined ? {} : { roleArn }),
        });
        const target = await start();
        // As the SDK finds them; what a policy names comes first.
        const program = launchRun(cluster, config, {
          AWS_ENDPOINT_URL: namesEndpoint ? nobody : moto.endpoint,
          ...(hasSecret ? {} : { AWS_ACCESS_KEY_ID: keys.accessKeyId, AWS_SECRET_ACCESS_KEY: keys.secretAccessKey }),
        });
        const logs = recordedLogOf(program.stderr);
        try {
          await owner.createRepository(path);
          await fixture.secret('git', target.secret!);
          if (hasSecret) await fixture.secret('aws', keys);
          await runEnvironmentsScenario({
            connection,
            namespace,
            fixture,
            target,
            logs,
            source: {
              repository: `${account}.dkr.ecr.${region}.amazonaws.com/${path}`,
              push: (tag) => owner.put(path, tag),
              spec: {
                ecrRepository: {
                  region,
                  repositoryPattern: path.replace('myapp', '*'),
                  maxRepositories: 10,
                  scanTimeout: '1m',
                  ...(namesEndpoint ? { endpoint: moto.endpoint } : {}),
                },
                aws: { ...(roleArn ? { roleArn } : {}), ...(hasSecret ? { secretRef: { name: 'aws' } } : {}) },
              },
            },
          });
          for (const secret of [keys.secretAccessKey, ...Object.values(target.secret!)])
            expect(logs.text()).not.toContain(secret);
          // The next program looks with another identity, and has nothing to do with this one's policy.
          await connection.client.delete(imageResourcePolicies, { name: 'myapp', namespace });
        } finally {
          await program.stop();
          owner.close();
          await target.stop();
        }
      },
      120_000,
    );

    it('says what is missing in a Secret, and detects once it is there', async () => {
      const namespace = 'ecr-secret';
      const path = `${name.split(' ')[1]}-secret`;
      const owner = ecrImages({ endpoint: moto.endpoint, region, keys });
      await owner.createRepository(path);
      await owner.put(path, '1.0.0');
      owner.close();
      const fixture = createCreateFixture(connection, namespace);
      await fixture.openNamespace();
      const program = launchRun(cluster, config);
      try {
        await fixture.secret('aws', { accessKeyId: keys.accessKeyId });
        await fixture.policy('secret', {
          suspend: false,
          ecrRepository: { region, repositoryPattern: path, endpoint: moto.endpoint },
          aws: { secretRef: { name: 'aws' } },
        });
        const ready = async () => {
          const { status } = await connection.client.get<Policy>(imageResourcePolicies, { name: 'secret', namespace });
          return status?.conditions?.find(({ type }) => type === 'Ready');
        };
        await eventually(async () =>
          expect(await ready()).toMatchObject({
            reason: 'ScanFailed',
            message: 'Secret ecr-secret/aws has no secretAccessKey',
          }),
        );
        await fixture.replaceSecret('aws', keys);
        await eventually(async () => expect(await ready()).toMatchObject({ reason: 'Scanned' }), { timeoutMs: 30_000 });
        expect((await connection.client.list(imagesDetected, { namespace })).items).toHaveLength(1);
      } finally {
        await program.stop();
      }
    }, 60_000);
  });
});
