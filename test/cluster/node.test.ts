import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubectlPath, runTool } from '../support/kubectl.ts';
import { type RealNode, startRealNode, whyNoNode } from '../support/real-node.ts';

const tool = await kubectlPath();
const reason = await whyNoNode({ kubectl: tool });

describe.skipIf(reason !== undefined)('a real node', () => {
  let node: RealNode;
  beforeAll(async () => {
    node = await startRealNode();
  });
  afterAll(() => node?.stop());

  const kubectl = async (args: readonly string[], input?: object) => {
    const run = await runTool(
      tool ?? 'kubectl',
      ['--kubeconfig', node.cluster.kubeconfigPath, ...args],
      input && JSON.stringify(input),
    );
    if (run.exitCode !== 0) throw new Error(`kubectl ${args.join(' ')}: ${run.stderr}\n${node.logs()}`);
    return run.stdout;
  };

  it('runs a pod, whose logs and programs kubectl reaches', async () => {
    const container = { name: 'main', image: node.busybox, command: ['sh', '-c', 'echo hello; sleep 3600'] };
    await kubectl(['create', '-f', '-'], {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'hello' },
      spec: { containers: [container], terminationGracePeriodSeconds: 0 },
    });
    await kubectl(['wait', '--for=condition=Ready', 'pod/hello', '--timeout=90s']);
    expect(await kubectl(['logs', 'hello'])).toBe('hello\n');
    expect(await kubectl(['exec', 'hello', '--', 'echo', 'from inside'])).toBe('from inside\n');
    await kubectl(['delete', 'pod', 'hello', '--wait']);
  });

  it('runs a Job to its end', async () => {
    const container = { name: 'main', image: node.busybox, command: ['true'] };
    await kubectl(['create', '-f', '-'], {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'once' },
      spec: { template: { spec: { containers: [container], restartPolicy: 'Never' } } },
    });
    await kubectl(['wait', '--for=condition=Complete', 'job/once', '--timeout=90s']);
  });

  it('leaves nothing behind', async () => {
    await node.stop();
    const here = [
      readFileSync('/proc/self/mountinfo', 'utf8'),
      readFileSync('/proc/net/dev', 'utf8'),
      ...readdirSync('/sys/fs/cgroup', { recursive: true, encoding: 'utf8' }),
      ...readdirSync(tmpdir()),
      ...readdirSync('/proc')
        .filter((pid) => /^\d+$/.test(pid))
        .map(commandLineOf),
    ];
    for (const trace of [node.folder, path.basename(node.folder), node.namespace.link, node.namespace.podCidr])
      expect(here.filter((text) => text.includes(trace))).toEqual([]);
  });
});

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // It ended in the meantime.
    return '';
  }
}
