import { type ResourceTemplate, resourceTemplates } from '../api/index.ts';
import { type Clock, errorMessage } from '../base/index.ts';
import type { Reconcile } from '../controller/index.ts';
import { confinePath } from '../git/index.ts';
import { compileTemplate } from '../gotemplate/index.ts';
import { isKubeError, type KubeClient } from '../kube/index.ts';
import { type NextCondition, semanticEqual, setCondition } from '../object/index.ts';
import { defaultCommitMessage } from './commit-message.ts';
import { checkLocal, type RemoteSettings } from './git-credentials.ts';

interface TemplateCheckOptions {
  readonly client: Pick<KubeClient, 'patch'>;
  readonly templateOf: (key: string) => ResourceTemplate | undefined;
  readonly remotes: RemoteSettings;
  readonly clock: Clock;
}

/** Writes to a template's status whether it is usable, before an image needs it. */
export function createTemplateCheck({ client, templateOf, remotes, clock }: TemplateCheckOptions): Reconcile {
  return async (key, signal) => {
    const template = templateOf(key);
    if (!template || template.metadata.deletionTimestamp !== undefined) return {};
    const status = nextTemplateStatus(template, findMistakes(template.spec, remotes), clock.now());
    if (semanticEqual(status, template.status ?? {})) return {};
    const { name = '', namespace, resourceVersion } = template.metadata;
    try {
      await client.patch(
        resourceTemplates,
        { name, namespace },
        { type: 'merge', body: { metadata: { resourceVersion }, status } },
        { subresource: 'status', fieldManager: 'supercargo-create', signal },
      );
    } catch (thrown) {
      // Conflict or deleted: the watch event queues the key again.
      if (!isKubeError(thrown, 'kube-conflict') && !isKubeError(thrown, 'kube-not-found')) throw thrown;
    }
    return {};
  };
}

/** Every error that can be found without an image. Each begins with its field. Pure. */
export function findMistakes(spec: ResourceTemplate['spec'], remotes: RemoteSettings): readonly string[] {
  const { gitRepository, multiFiles = [] } = spec;
  const templates: readonly (readonly [string, string])[] = [
    ...(spec.template === undefined ? [] : [['spec.template', spec.template] as const]),
    ...multiFiles.flatMap(({ relativePath, template }, i) => [
      [`spec.multiFiles[${i}].relativePath`, relativePath] as const,
      [`spec.multiFiles[${i}].template`, template] as const,
    ]),
    ['spec.gitRepository.commitMessage', gitRepository.commitMessage || defaultCommitMessage],
  ];
  return [
    ...templates.flatMap(([name, text]) => mistakeOf(() => compileTemplate(text, { name }))),
    ...mistakeOf(() => confinePath(gitRepository.path ?? '.', 'x')).map((why) => `spec.gitRepository.path: ${why}`),
    ...mistakeOf(() => checkLocal(gitRepository.url, remotes)),
  ];
}

function mistakeOf(attempt: () => unknown): readonly string[] {
  try {
    attempt();
    return [];
  } catch (thrown) {
    return [errorMessage(thrown)];
  }
}

export function nextTemplateStatus(
  { metadata, status }: ResourceTemplate,
  mistakes: readonly string[],
  nowMs: number,
): NonNullable<ResourceTemplate['status']> {
  const isValid = mistakes.length === 0;
  const observed = metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };
  const conditions: readonly NextCondition[] = [
    {
      type: 'Ready',
      status: isValid ? 'True' : 'False',
      reason: isValid ? 'Valid' : 'InvalidTemplate',
      message: isValid ? 'the template can be used' : mistakes.join('; '),
    },
    {
      type: 'Stalled',
      status: isValid ? 'False' : 'True',
      reason: isValid ? 'Progressing' : 'InvalidTemplate',
      message: isValid ? 'no problem found' : mistakes.join('; '),
    },
  ];
  return {
    ...status,
    ...observed,
    conditions: conditions.reduce(
      (before, condition) => setCondition(before, { ...condition, ...observed }, nowMs),
      status?.conditions ?? [],
    ),
  };
}
