/** docs/install.md on a real node: its image is built, pushed and pulled, and its pods answer. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInstalled, followInstallPage, samples } from '../integration/install-page.ts';
import { helmPath, kubectlPath } from '../support/kubectl.ts';
import { type RealNode, startRealNode, whyNoNode } from '../support/real-node.ts';
import { findOnPath } from '../support/search-path.ts';

const [helm, kubectl, bash] = await Promise.all([helmPath(), kubectlPath(), findOnPath('bash')]);
const reason = await whyNoNode({ helm, kubectl, bash });

describe.skipIf(reason !== undefined)('the commands of docs/install.md on a real node', () => {
  let node: RealNode;
  beforeAll(async () => {
    node = await startRealNode();
  });
  afterAll(() => node?.stop());

  it('work in the order of the page', { timeout: 600_000 }, async () => {
    const outputs = await followInstallPage({
      tools: { helm: helm!, kubectl: kubectl!, bash: bash! },
      kubeconfigPath: node.cluster.kubeconfigPath,
      registry: node.registry.host,
      prepare: (commands) =>
        commands
          // Both are done, and this test runs from what they made.
          .replace(/^npm ci\nnpm run build\n/m, '')
          // The registry of the node has no certificate, and the layout is not to be left in the clone.
          .replace(/^(npm run image .*)$/m, '$1 --insecure --output "$HOME/image"'),
    });
    expectInstalled(outputs);
    const after = (start: string) => [...outputs].find(([line]) => line.startsWith(start))?.[1];
    expect(after('npm run image')).toMatch(/^linux\/amd64: .* MB compressed\nlinux\/arm64: .*\nsha256:[0-9a-f]{64}$/m);
    const checked = after('kubectl exec');
    expect(checked).toMatch(/^pass +webhook-call/m);
    expect(checked).not.toMatch(/^fail/m);
    expect(checked!.split('\n')).toEqual(expect.arrayContaining(samples[0]!));
  });
});
