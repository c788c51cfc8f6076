import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseReference } from '../../src/image/index.ts';
import { createRegistryClient } from '../../src/registry/index.ts';
import { findProgram, startDockerRegistry } from '../../test/support/docker-registry.ts';
import { type CopyTool, findCrane, findSkopeo, ourCopy } from '../support/copy-tools.ts';
import { pushImage } from '../support/image.ts';
import { runMeasured } from '../support/process-usage.ts';
import type { Comparison, Turn, Work } from './comparison.ts';

const layers = 6;

/** An image between two registries on this machine; the target forgets the copy between two turns. */
export const copy: Comparison = {
  name: 'copy',
  grows: true,
  async open({ growth, progress }) {
    if (findProgram('docker-registry') === undefined) return { reason: 'docker-registry is not installed' };
    const crane = await findCrane(true);
    const skopeo = findSkopeo();
    if (!crane) progress('crane is neither installed nor can it be built');
    if (!skopeo) progress('skopeo is not installed');
    const tools = [crane, skopeo].filter((tool) => tool !== undefined);
    if (tools.length === 0) return { reason: 'there is neither crane nor skopeo' };
    const home = mkdtempSync(join(tmpdir(), 'supercargo-peers-'));
    const source = await startDockerRegistry();
    const ours = ourCopy(resolve('bin/supercargo'));
    const works = async (megabytes: number): Promise<readonly Work[]> => {
      progress(`pushing an image of ${megabytes} MB`);
      const image = `${source.host}/bench-${megabytes}/image:v1`;
      await pushImage(image, megabytes * 1_000_000, layers);
      return tools.map((tool) => ({
        title: `copy of an image of ${megabytes} MB in ${layers} layers`,
        peer: `${tool.name} ${tool.version}`,
        turn: (side) => copyOnce(side === 'ours' ? ours : tool, image, home),
      }));
    };
    const all: Work[] = [];
    for (const megabytes of growth ? [20, 200, 2000] : [200])
      for (const work of await works(megabytes))
        all.push(growth ? { ...work, growth: { of: `copy of ${layers} layers`, size: `${megabytes} MB` } } : work);
    return {
      works: all,
      async stop() {
        await source.stop();
        rmSync(home, { recursive: true, force: true });
      },
    };
  },
};

async function copyOnce(tool: CopyTool, image: string, home: string): Promise<Turn> {
  const target = await startDockerRegistry();
  try {
    const env = { PATH: process.env['PATH'], HOME: home, TMPDIR: home };
    const { file, args } = tool.command(image, target.host);
    const usage = await runMeasured({ file, args, env });
    return { ...usage, outcome: await digestOf(`${target.host}/image:v1`) };
  } finally {
    await target.stop();
  }
}

async function digestOf(reference: string): Promise<string> {
  const client = createRegistryClient();
  try {
    const parsed = parseReference(reference);
    return (await client.getManifest(parsed, parsed.tag!)).digest;
  } finally {
    await client.close();
  }
}
