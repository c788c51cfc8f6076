import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import type { ImageDetected, ResourceTemplate } from '../../src/api/index.ts';
import { rfc3339, systemClock } from '../../src/base/index.ts';
import {
  createCreateMetrics,
  createPublisher,
  type Publish,
  type PublisherOptions,
  type PublishItem,
  renderDetection,
} from '../../src/create/index.ts';
import { createGit } from '../../src/git/index.ts';

/** A template that writes to a repository on this machine. */
export function localTemplate(url: string, spec: Partial<ResourceTemplate['spec']> = {}): ResourceTemplate {
  return {
    apiVersion: 'automation.gitops.io/v1beta1',
    kind: 'ResourceTemplate',
    metadata: { name: 'template', namespace: 'n' },
    spec: { template: 'image: {{ .FullImageName }}', gitRepository: { url, path: 'apps' }, ...spec },
  };
}

export function detectionOf(image: string, tag: string, detectedAtMs = Date.now()): ImageDetected {
  return {
    apiVersion: 'automation.gitops.io/v1beta1',
    kind: 'ImageDetected',
    metadata: { name: `${image}-${tag}`, namespace: 'n', uid: `uid-${image}-${tag}` },
    spec: {
      imageName: image,
      imageTag: tag,
      imageDigest: `sha256:${'0'.repeat(64)}`,
      fullImageName: `r.example/${image}:${tag}`,
      sourcePolicy: { name: 'policy' },
      detectedAt: rfc3339(detectedAtMs),
    },
  };
}

export function itemOf(
  detection: ImageDetected,
  template: ResourceTemplate,
  more: Partial<PublishItem> = {},
): PublishItem {
  return {
    ...renderDetection(detection, template, () => undefined),
    detection,
    template,
    precedents: [],
    mayBePushed: false,
    keepsFiles: true,
    ...more,
  };
}

export interface Publisher {
  readonly publish: Publish;
  remove(): void;
}

/** A publisher with a cache of its own, as a process would have it. */
export function localPublisher(options: Partial<PublisherOptions> = {}): Publisher {
  const dir = mkdtempSync(join(tmpdir(), 'supercargo-publisher-'));
  const git = createGit({ cacheDir: join(dir, 'cache'), temporaryDir: dir, path: process.env['PATH'] ?? '' });
  return {
    publish: createPublisher({
      git,
      remoteOf: async ({ template }) => {
        const { url, branch = 'main' } = template.spec.gitRepository;
        return { url, branch };
      },
      clock: systemClock,
      metrics: createCreateMetrics(new Registry()),
      windowMs: 50,
      ...options,
    }),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
