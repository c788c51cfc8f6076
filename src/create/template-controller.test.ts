import { expect, it } from 'vitest';
import type { ResourceTemplate } from '../api/index.ts';
import { findMistakes, nextTemplateStatus } from './template-controller.ts';

const gitRepository = { url: 'https://git.example/r.git' };
const mistakes = (spec: Partial<ResourceTemplate['spec']>) =>
  findMistakes({ gitRepository, ...spec }, { allowsLocal: false });

it('every error that can be found without an image is reported', () => {
  expect(mistakes({ template: 'a: {{ .ImageTag }}' })).toEqual([]);
  const found = mistakes({
    multiFiles: [
      { relativePath: '{{ .X', template: 'ok' },
      { relativePath: 'x', template: '{{ nope }}' },
    ],
    gitRepository: { url: '/srv/r.git', path: '../up', commitMessage: '{{ end }}' },
  });
  expect(found.map((one) => /spec\.[\w.[\]]+/.exec(one)?.[0])).toEqual([
    'spec.multiFiles[0].relativePath',
    'spec.multiFiles[1].template',
    'spec.gitRepository.commitMessage',
    'spec.gitRepository.path',
    'spec.gitRepository.url',
  ]);
});

it('the status has the errors, and is stable while nothing changes', () => {
  const template = {
    apiVersion: 'automation.gitops.io/v1beta1',
    kind: 'ResourceTemplate',
    metadata: { name: 't', generation: 2 },
    spec: { gitRepository },
  };
  const status = nextTemplateStatus(template, ['why'], 0);
  expect(status.conditions).toMatchObject([
    { type: 'Ready', status: 'False', reason: 'InvalidTemplate', message: 'why', observedGeneration: 2 },
    { type: 'Stalled', status: 'True' },
  ]);
  expect(nextTemplateStatus({ ...template, status }, ['why'], 99_000)).toEqual(status);
  expect(nextTemplateStatus({ ...template, status }, [], 99_000).conditions).toMatchObject([
    { type: 'Ready', status: 'True', reason: 'Valid' },
    { type: 'Stalled', status: 'False' },
  ]);
});
