import { describe, expect, it } from 'vitest';
import type { ImageDetected, ResourceTemplate } from '../api/index.ts';
import { parseYamlDocuments } from '../base/index.ts';
import { planBatch } from './batch-plan.ts';
import type { DuplicateCheck } from './duplicate.ts';
import type { PublishItem } from './publish-item.ts';

interface ItemOptions {
  readonly image: string;
  readonly tag?: string;
  readonly tagPrefix?: string;
  readonly check?: DuplicateCheck;
  /** The content that the template renders for an image. */
  readonly content: (image: string, tag: string) => string;
}

const path = 'names-a-b-c.yaml';

/** `names/a-b/c` and `names/a/b-c` share the file `names-a-b-c.yaml`. */
function itemOf({ image, tag = 'v2', tagPrefix, check = 'repository', content }: ItemOptions): PublishItem {
  const detection: ImageDetected = {
    apiVersion: 'automation.gitops.io/v1beta1',
    kind: 'ImageDetected',
    metadata: { name: 'd', namespace: 'n', uid: image },
    spec: {
      imageName: 'names-a-b-c',
      imageTag: tag,
      imageDigest: `sha256:${'0'.repeat(64)}`,
      fullImageName: `${image}:${tag}`,
      ...(tagPrefix === undefined ? {} : { tagPrefix }),
      sourcePolicy: { name: 'p' },
      detectedAt: '2026-01-01T00:00:00Z',
    },
  };
  const text = content(image, tag);
  return {
    detection,
    files: [{ path, content: text, documents: parseYamlDocuments(text) }],
    message: '',
    keepsFiles: check !== 'exact',
    precedents: [],
    mayBePushed: false,
    template: { spec: { duplicateCheck: check } } as unknown as ResourceTemplate,
  };
}

const outcome = async (options: ItemOptions, present: string) => {
  const item = itemOf(options);
  const { results } = await planBatch([item], { read: async () => present }, new Map());
  const result = results.get(item);
  return result?.kind === 'failed' ? (result.thrown as Error).message : (result?.kind ?? 'written');
};

const container = (image: string, tag: string) => `spec: { containers: [{ name: c, image: "${image}:${tag}" }] }\n`;
const chart = (image: string, tag: string) => {
  const slash = image.indexOf('/');
  return `values:
  image: { registry: ${image.slice(0, slash)}, repository: ${image.slice(slash + 1)}, tag: ${tag} }
  sidecar: { image: "busybox:1" }
`;
};
const joined = (image: string, tag: string) => `values: { image: { repository: ${image}, tag: ${tag} } }\n`;
const source = (image: string, tag: string) => `spec: { url: "oci://${image}", ref: { tag: ${tag} } }\n`;
const argument = (image: string, tag: string) => `args: ["--image=${image}:${tag}", x]\n`;

describe('a file that exists in the branch', () => {
  it('is rejected with both images if it was made for another one, also of another registry', async () => {
    for (const image of ['r.example/names/a/b-c', 'other.example/names/a-b/c'])
      expect(await outcome({ image, content: container }, container('r.example/names/a-b/c', 'v1'))).toBe(
        `names-a-b-c.yaml of ${image}:v2 is in the branch already for r.example/names/a-b/c:v1: put {{ .RepositoryName }}, {{ .Registry }} or {{ .TagPrefix }} into the path`,
      );
  });

  it.each(Object.entries({ container, chart, joined, source, argument }))(
    'is recognised as that of another image wherever the template names it: %s',
    async (_, content) => {
      const of = (image: string) => outcome({ image, content }, content('r.example/names/a-b/c', 'v1'));
      expect(await of('r.example/names/a/b-c')).toContain('names/a-b/c');
      expect(await of('other.example/names/a-b/c')).toContain('is in the branch already for r.example');
      expect(await of('r.example/names/a-b/c')).toBe('present');
    },
  );

  it('does not count as ours because of a longer name or a comment', async () => {
    const options = { image: 'r.example/names/a/b-c', content: container };
    for (const other of ['r.example/names/a/b-c/d', 'r.example/names/a/b-c-d', 'xr.example/names/a/b-c'])
      expect(await outcome(options, `# r.example/names/a/b-c:v1\n${container(other, 'v1')}`)).toContain(
        `for ${other}:v1`,
      );
  });

  it('of another prefix of the same image counts as another', async () => {
    const options = { image: 'r.example/names/a', tag: 'prod-2', tagPrefix: 'prod', content: container };
    expect(await outcome(options, container('r.example/names/a', 'dev-1'))).toContain('for r.example/names/a:dev-1');
    expect(await outcome(options, container('r.example/names/a', 'prod-1'))).toBe('present');
  });

  it('is left to GitOps if it names the same image, no image, or is not YAML', async () => {
    const options = { image: 'r.example/names/a-b/c', content: container };
    for (const present of [
      'image: "r.example/names/a-b/c:v1"\n',
      'image: mirror.example/r.example/names/a-b/c@sha256:1\n',
      'spec: { containers: [{ name: proxy, image: "envoy:1" }, { name: c, image: "r.example/names/a-b/c:v1" }] }\n',
      'kind: Kustomization\n',
      'spec: [',
    ])
      expect(await outcome(options, present)).toBe('present');
  });

  it('is not replaced if it belongs to another image', async () => {
    const options = { image: 'r.example/names/a/b-c', check: 'exact', content: container } as const;
    expect(await outcome(options, container('r.example/names/a-b/c', 'v1'))).toContain('is in the branch already');
    expect(await outcome(options, container('r.example/names/a/b-c', 'v1'))).toBe('written');
  });

  it('of the same base name is ours if base names decide', async () => {
    const options = { image: 'r.example/names/app', check: 'baseName', content: container } as const;
    expect(await outcome(options, container('other.example/team/app', 'v1'))).toBe('present');
    expect(await outcome(options, container('other.example/team/web', 'v1'))).toContain(
      'for other.example/team/web:v1',
    );
  });
});
