import { assignOwn, setOwn } from '../../base/index.ts';

/** A value that is known only when the objects are made: how a Helm template writes it, and how we read it. */
export interface Expression<Scope, Value = unknown> {
  readonly helm: string;
  read(scope: Scope): Value;
}

/**
 * Kubernetes objects with gaps. `supercargo install` fills the gaps itself (`evaluate`), and the Helm chart is the same
 * tree written in Helm's language, so that both install the same.
 */
export type Template<Scope> =
  | string
  | number
  | boolean
  | null
  | Node<Scope>
  | readonly Template<Scope>[]
  | { readonly [key: string]: Template<Scope> };

export class Node<Scope> {
  constructor(readonly content: Content<Scope>) {}
}

type Content<Scope> =
  /** A scalar, or a whole structure. */
  | { readonly type: 'value'; readonly value: Expression<Scope>; readonly isStructure: boolean }
  /** A string as a literal block. */
  | { readonly type: 'block'; readonly value: Expression<Scope, string> }
  /** Text with expressions in it. */
  | { readonly type: 'text'; readonly texts: readonly string[]; readonly values: readonly Expression<Scope>[] }
  /** Without `otherwise` the key or the items are left out. A list in a list is spliced into it. */
  | {
      readonly type: 'choice';
      readonly condition: Expression<Scope>;
      readonly then: Template<Scope>;
      readonly otherwise?: Template<Scope>;
    }
  /** Items of a list, spliced into it. The body reads the item from its scope. */
  | {
      readonly type: 'each';
      readonly list: Expression<Scope, readonly unknown[]>;
      readonly enter: (scope: Scope, item: unknown) => Scope;
      readonly body: Template<Scope>;
    }
  /** The entries of a map, then those of an expression. */
  | { readonly type: 'entries'; readonly own: Template<Scope>; readonly more: Expression<Scope> }
  /** Only in the chart. */
  | { readonly type: 'chart-only'; readonly body: Template<Scope> };

/** What Go's templates take for false. */
export function isTruthy(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

class Omitted {}
const omitted = new Omitted();

export function evaluate<Scope>(template: Template<Scope>, scope: Scope): unknown {
  if (template instanceof Node) return evaluateNode(template.content, scope);
  if (Array.isArray(template)) return evaluateItems(template, scope);
  if (typeof template !== 'object' || template === null) return template;
  const result: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(template)) {
    const value = evaluate(child as Template<Scope>, scope);
    if (value !== omitted) setOwn(result, key, value);
  }
  return result;
}

function evaluateItems<Scope>(items: readonly Template<Scope>[], scope: Scope): readonly unknown[] {
  return items.flatMap((item) => {
    const value = evaluate(item, scope);
    return value === omitted ? [] : item instanceof Node && Array.isArray(value) ? value : [value];
  });
}

function evaluateNode<Scope>(content: Content<Scope>, scope: Scope): unknown {
  switch (content.type) {
    case 'value':
    case 'block':
      return content.value.read(scope);
    case 'text':
      return content.texts.map((text, index) => text + (content.values[index]?.read(scope) ?? '')).join('');
    case 'choice':
      if (isTruthy(content.condition.read(scope))) return evaluate(content.then, scope);
      return content.otherwise === undefined ? omitted : evaluate(content.otherwise, scope);
    case 'each':
      return content.list.read(scope).flatMap((item) => {
        const value = evaluate(content.body, content.enter(scope, item));
        return value === omitted ? [] : [value];
      });
    case 'entries': {
      const result: Record<string, unknown> = {};
      assignOwn(result, evaluate(content.own, scope) as Record<string, unknown>);
      assignOwn(result, (content.more.read(scope) ?? {}) as Record<string, unknown>);
      return result;
    }
    case 'chart-only':
      return omitted;
  }
}
