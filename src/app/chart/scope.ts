import type { FeatureName } from '../config.ts';
import type { Part } from '../install-parts.ts';
import { type Expression, isTruthy, Node, type Template } from './template.ts';
import type { ChartValues } from './values.ts';

/** What the objects of an installation depend on. */
export interface InstallScope {
  readonly values: ChartValues;
  readonly installation: string;
  readonly namespace: string;
  /** The image with tag or digest. */
  readonly image: string;
  readonly parts: readonly Part[];
  /** The part whose objects are made; undefined for those of the whole installation. */
  readonly part?: Part;
  /** The configuration file of that part, and its checksum. */
  readonly config?: string;
  readonly configChecksum?: string;
  /** The item of the innermost `each`. */
  readonly item?: unknown;
}

export type InstallTemplate = Template<InstallScope>;
export type InstallExpression<Value = unknown> = Expression<InstallScope, Value>;

export const installation: InstallExpression<string> = { helm: '$installation', read: (scope) => scope.installation };
export const namespace: InstallExpression<string> = { helm: '$.Release.Namespace', read: (scope) => scope.namespace };
export const image: InstallExpression<string> = {
  helm: '(include "supercargo.image" $)',
  read: (scope) => scope.image,
};
export const partName: InstallExpression<string> = { helm: '$part.name', read: ({ part }) => part!.name };
export const partFeatures: InstallExpression<readonly string[]> = {
  helm: '$part.features',
  read: ({ part }) => part!.features,
};
export const controlPlane: InstallExpression<string> = {
  helm: '($part.controlPlane | default $part.name)',
  read: ({ part }) => part!.controlPlane ?? part!.name,
};
export const config: InstallExpression<string> = {
  helm: 'include "supercargo.config" (dict "root" $ "part" $part)',
  read: (scope) => scope.config!,
};
export const configChecksum: InstallExpression<string> = {
  helm: '(include "supercargo.config" (dict "root" $ "part" $part) | sha256sum)',
  read: (scope) => scope.configChecksum!,
};
export const item: InstallExpression = { helm: '$item', read: (scope) => scope.item };

/** The item is one of these. */
export const isItem = (...names: readonly string[]): InstallExpression<boolean> => ({
  helm: `(has $item (list ${names.map((name) => JSON.stringify(name)).join(' ')}))`,
  read: (scope) => names.includes(scope.item as string),
});

/** Text that is the same in all installations. */
export const constant = (given: string): InstallExpression<string> => ({
  helm: JSON.stringify(given),
  read: () => given,
});

/** A value by its path: `mirror.registry`. */
export function value<Value = unknown>(path: string): InstallExpression<Value> {
  const read = ({ values }: InstallScope) =>
    path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], values) as Value;
  return { helm: `$.Values.${path}`, read };
}

/** The Secret with the certificate of the webhooks that a user names in the settings of the program. */
export const givenSecret: InstallExpression<string | undefined> = {
  helm: '(dig "webhook" "tls" "secretName" "" $.Values.config)',
  read: (scope) => value<string | undefined>('config.webhook.tls.secretName').read(scope),
};

/** What a part sets, else the value of that name. */
export const partOr = (key: 'replicas' | 'resources'): InstallExpression => ({
  helm: `(hasKey $part "${key}" | ternary $part.${key} $.Values.${key})`,
  read: ({ part, values }) => part![key] ?? values[key],
});

/** The part runs one of these features. */
export const runs = (...names: readonly FeatureName[]): InstallExpression<boolean> => ({
  helm: any(names.map((name) => `(has "${name}" $part.features)`)),
  read: ({ part }) => names.some((name) => part!.features.includes(name)),
});

/** Some part of the installation runs this feature. */
export const isInstalled = (name: FeatureName): InstallExpression<boolean> => ({
  helm: `(has "${name}" (include "supercargo.features" $ | fromJson).names)`,
  read: ({ parts }) => parts.some(({ features }) => features.includes(name)),
});

/** The part runs the second feature, and not the first. */
export const runsWithout = (absent: FeatureName, present: FeatureName): InstallExpression<boolean> => ({
  helm: `(and (has "${present}" $part.features) (not (has "${absent}" $part.features)))`,
  read: ({ part }) => part!.features.includes(present) && !part!.features.includes(absent),
});

/** The part runs all of these features. */
export const runsAll = (...names: readonly FeatureName[]): InstallExpression<boolean> => ({
  helm: `(and ${names.map((name) => `(has "${name}" $part.features)`).join(' ')})`,
  read: ({ part }) => names.every((name) => part!.features.includes(name)),
});

const any = (terms: readonly string[]) => (terms.length === 1 ? terms[0]! : `(or ${terms.join(' ')})`);

export const and = (...all: readonly InstallExpression[]): InstallExpression<boolean> => ({
  helm: `(and ${all.map(({ helm }) => helm).join(' ')})`,
  read: (scope) => all.every((one) => isTruthy(one.read(scope))),
});
export const or = (...some: readonly InstallExpression[]): InstallExpression<boolean> => ({
  helm: `(or ${some.map(({ helm }) => helm).join(' ')})`,
  read: (scope) => some.some((one) => isTruthy(one.read(scope))),
});
export const not = (one: InstallExpression): InstallExpression<boolean> => ({
  helm: `(not ${one.helm})`,
  read: (scope) => !isTruthy(one.read(scope)),
});

export const scalar = (expression: InstallExpression) =>
  new Node<InstallScope>({ type: 'value', value: expression, isStructure: false });
export const structure = (expression: InstallExpression) =>
  new Node<InstallScope>({ type: 'value', value: expression, isStructure: true });
export const block = (expression: InstallExpression<string>) =>
  new Node<InstallScope>({ type: 'block', value: expression });
export const when = (condition: InstallExpression, then: InstallTemplate, otherwise?: InstallTemplate) =>
  new Node<InstallScope>({ type: 'choice', condition, then, ...(otherwise === undefined ? {} : { otherwise }) });
/** Left out if it is empty. */
export const ifAny = (expression: InstallExpression) => when(expression, structure(expression));
export const each = (list: InstallExpression<readonly unknown[]>, body: InstallTemplate) =>
  new Node<InstallScope>({ type: 'each', list, enter: (scope, one) => ({ ...scope, item: one }), body });
export const entries = (own: InstallTemplate, more: InstallExpression) =>
  new Node<InstallScope>({ type: 'entries', own, more });
export const chartOnly = (body: InstallTemplate) => new Node<InstallScope>({ type: 'chart-only', body });

/** Text with expressions: `` text`${installation}-${partName}` ``. */
export const text = (texts: TemplateStringsArray, ...values: readonly InstallExpression[]) =>
  new Node<InstallScope>({ type: 'text', texts: [...texts], values });

/** The same text as an expression, for names that occur in others. */
export const joined = (
  texts: TemplateStringsArray,
  ...values: readonly InstallExpression[]
): InstallExpression<string> => ({
  helm: `(printf ${JSON.stringify(texts.map((one) => one.replaceAll('%', '%%')).join('%s'))} ${values.map(({ helm }) => helm).join(' ')})`,
  read: (scope) => texts.map((one, index) => one + (values[index]?.read(scope) ?? '')).join(''),
});
