import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImageResourcePolicy } from '../../src/api/index.ts';
import { type Connection, connect } from '../../src/app/connect.ts';
import { nodeFiles } from '../../src/app/offline/files.ts';
import { renderTemplate } from '../../src/app/render-template.ts';
import { parseYamlDocuments, silentLogger } from '../../src/base/index.ts';
import { compileImagePattern, compileSelection } from '../../src/detect/index.ts';
import { gvkOf, type KubeObject } from '../../src/object/index.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { installKinds } from './run-features.ts';

const folder = fileURLToPath(new URL('../../examples/detection', import.meta.url));
const examples = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

describe('the examples of detection', () => {
  let cluster: Cluster;
  let connection: Connection;
  beforeAll(async () => {
    cluster = await startEmbedded();
    connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
    await installKinds(connection);
  });
  afterAll(async () => {
    await connection?.client.close();
    await cluster?.stop();
  });

  it('are all named in their table', () => {
    const readme = readFileSync(join(folder, 'README.md'), 'utf8');
    expect([...readme.matchAll(/^\| `(.+?\.yaml)` \|/gm)].map(([, name]) => name).sort()).toEqual(examples.sort());
  });

  it.each(examples)('%s is taken by a server, and makes sense', async (name) => {
    const objects = parseYamlDocuments(readFileSync(join(folder, name), 'utf8'), { file: name }).map(
      ({ value }) => value as unknown as KubeObject,
    );
    expect(objects.map(({ kind }) => kind)).toEqual(['ImageResourcePolicy', 'ResourceTemplate']);
    for (const object of objects) {
      const type = await connection.discovery.byKind(gvkOf(object));
      await connection.client.create(type!, object, { dryRun: true, fieldValidation: 'Strict' });
    }
    const { spec } = objects[0] as ImageResourcePolicy;
    expect(() => compileImagePattern(spec.ecrRepository ?? spec.ociRepository!)).not.toThrow();
    expect(() => compileSelection(spec.policy)).not.toThrow();
    expect(spec.templateRef.name).toBe(objects[1]?.metadata.name);
    const { files } = renderTemplate({
      files: nodeFiles(),
      template: join(folder, name),
      image: '123456789012.dkr.ecr.us-east-1.amazonaws.com/webapp/frontend:1.10',
      prefix: 'dev',
      variables: {},
      nowMs: 0,
    });
    expect(files.length).toBeGreaterThan(0);
  });
});
