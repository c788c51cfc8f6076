import { errorMessage, type Json, type JsonObject, renderJson } from '../../../src/base/index.ts';
import { loadSetup, memoryFiles, openApplication } from '../../../src/offline/index.ts';
import type { CaseAnswer, PolicyCase, RuleAnswer } from './case.ts';

const documents = (objects: readonly Json[] = []) => objects.map((object) => `---\n${renderJson(object)}\n`).join('');

/** What this engine says of a case. */
export function evaluateCase(asked: PolicyCase, now: number): CaseAnswer {
  const around = [...(asked.targets ?? []), ...(asked.sources ?? []), ...(asked.cluster ?? [])];
  const files = memoryFiles({
    'policies.yaml': documents(asked.policies),
    'exceptions.yaml': documents(asked.exceptions),
    'values.yaml': renderJson(asked.values ?? {}),
    'user.yaml': renderJson(asked.userInfo ?? {}),
    'cluster.yaml': documents(around),
  });
  try {
    const application = openApplication(
      loadSetup({
        files,
        policies: ['policies.yaml'],
        exceptions: asked.exceptions ? ['exceptions.yaml'] : [],
        valuesFile: 'values.yaml',
        userInfoFile: asked.userInfo ? 'user.yaml' : undefined,
        cluster: around.length > 0 ? ['cluster.yaml'] : undefined,
        now,
      }),
    );
    const judged = application.evaluateBatch({ file: 'resources.yaml', line: 1, text: documents(asked.resources) });
    return {
      results: [...judged].flatMap(({ response: verdict }) => verdict.rules.map((answer) => answerOf(verdict, answer))),
    };
  } catch (thrown) {
    return { error: errorMessage(thrown) };
  }
}

type BatchResponse =
  ReturnType<ReturnType<typeof openApplication>['evaluateBatch']> extends Generator<infer J> ? J : never;

function answerOf(
  { resource }: BatchResponse['response'],
  { result, object }: BatchResponse['response']['rules'][number],
): RuleAnswer {
  const { policy, rule, status, message } = result;
  return {
    policy: policy.policy.metadata.name ?? '',
    rule: rule.name,
    resource: `${resource.kind}/${resource.metadata.name}`,
    status,
    message,
    ...(rule.phase === 'mutate' && !result.targets && object ? { patched: object as unknown as JsonObject } : {}),
    ...(result.targets?.length ? { target: result.targets[0] as unknown as JsonObject } : {}),
    ...(result.generated?.length ? { generated: result.generated as unknown as readonly Json[] } : {}),
  };
}
