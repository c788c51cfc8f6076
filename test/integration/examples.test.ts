import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { ImageResourcePolicy } from '../../src/api/index.ts';
import { renderTemplate } from '../../src/app/render-template.ts';
import { parseYamlDocuments } from '../../src/base/index.ts';
import { compileImagePattern, compileSelection } from '../../src/detect/index.ts';
import { nodeFiles } from '../../src/manifests/files.ts';
import { gvkOf, type KubeObject } from '../../src/object/index.ts';
import { useInstalledCluster } from './installed-cluster.ts';

const folder = fileURLToPath(new URL('../../examples/detection', import.meta.url));
const examples = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

describe('the examples of detection', () => {
  const installed = useInstalledCluster();

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
      const type = await installed.connection.discovery.byKind(gvkOf(object));
      await installed.connection.client.create(type!, object, { dryRun: true, fieldValidation: 'Strict' });
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
