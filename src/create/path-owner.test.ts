import { expect, it } from 'vitest';
import type { ImageDetected } from '../api/index.ts';
import { planBatch } from './batch-plan.ts';
import type { PublishItem } from './publish-item.ts';

/** `names/a-b/c` and `names/a/b-c` share the file `names-a-b-c.yaml`. */
function itemOf(image: string): PublishItem {
  const detection: ImageDetected = {
    apiVersion: 'automation.gitops.io/v1beta1',
    kind: 'ImageDetected',
    metadata: { name: 'd', namespace: 'n', uid: image },
    spec: {
      imageName: 'names-a-b-c',
      imageTag: 'v2',
      imageDigest: `sha256:${'0'.repeat(64)}`,
      fullImageName: `${image}:v2`,
      sourcePolicy: { name: 'p' },
      detectedAt: '2026-01-01T00:00:00Z',
    },
  };
  const files = [{ path: 'names-a-b-c.yaml', content: `image: ${image}:v2\n`, documents: [] }];
  return {
    detection,
    files,
    message: '',
    keepsFiles: true,
    precedents: [],
    mayBePushed: false,
    template: undefined as never,
  };
}

const outcome = async (image: string, present: string) => {
  const item = itemOf(image);
  const { results } = await planBatch([item], { read: async () => present }, new Map());
  const result = results.get(item);
  return result?.kind === 'failed' ? (result.thrown as Error).message : result?.kind;
};

it('names both images when the file of one is held by another, also of another registry', async () => {
  for (const image of ['r.example/names/a/b-c', 'other.example/names/a-b/c'])
    expect(await outcome(image, 'image: r.example/names/a-b/c:v1\n')).toBe(
      `names-a-b-c.yaml of ${image}:v2 is in the branch already for r.example/names/a-b/c:v1: put {{ .RepositoryName }} or {{ .Registry }} into the path`,
    );
});

it('leaves a file of the same image, or of no image, to GitOps', async () => {
  expect(await outcome('r.example/names/a-b/c', 'image: "r.example/names/a-b/c:v1"\n')).toBe('present');
  expect(await outcome('r.example/names/a-b/c', 'kind: Kustomization\n')).toBe('present');
});
