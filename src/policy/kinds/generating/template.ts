import { errorMessage, isJsonObject, parseYamlDocuments, setOwn } from '../../../base/index.ts';
import { CelError, toDocument } from '../../../cel/index.ts';
import type { Expression } from '../../cel/index.ts';
import { compileKindExpression, type KindScope } from '../scope.ts';
import { hasPlaceholder, parsePlaceholders, type Segment } from './placeholders.ts';

type Evaluate = (expression: Expression) => unknown;
/** A value of a document, or a CelError. */
type Render = (evaluate: Evaluate) => unknown;

export interface Template {
  readonly documents: readonly Render[];
  /** The expressions in it, with their mistakes. */
  readonly expressions: readonly Expression[];
}

/** YAML documents of objects; with interpolation, `(( … ))` in their texts are expressions. */
export function compileTemplate(
  { value, interpolate = 'none' }: { readonly value: string; readonly interpolate?: 'none' | 'cel' },
  scope: KindScope,
): Template | { readonly error: string } {
  const compiler = new TemplateCompiler(scope, interpolate === 'cel');
  try {
    const roots = parseYamlDocuments(value).map((document): unknown => document.value);
    const documents = roots.filter((root) => root !== null).map((root) => compiler.compileRoot(root));
    if (documents.length === 0) return { error: 'template must contain at least one YAML document' };
    return compiler.error === undefined ? { documents, expressions: compiler.expressions } : { error: compiler.error };
  } catch (thrown) {
    return { error: `failed to parse YAML: ${errorMessage(thrown)}` };
  }
}

class TemplateCompiler {
  readonly expressions: Expression[] = [];
  error: string | undefined;

  constructor(
    private readonly scope: KindScope,
    private readonly interpolates: boolean,
  ) {}

  compileRoot(root: unknown): Render {
    const isWhole = this.interpolates && typeof root === 'string' && hasPlaceholder(root);
    if (!isJsonObject(root) && !isWhole) this.error ??= 'a document must be a mapping that describes a resource';
    return this.compile(root);
  }

  private compile(value: unknown): Render {
    if (!this.interpolates) return () => value;
    if (typeof value === 'string') return hasPlaceholder(value) ? this.compileText(value) : () => value;
    if (Array.isArray(value)) {
      const items = value.map((item) => this.compile(item));
      return (evaluate) => {
        const list: unknown[] = [];
        for (const item of items) {
          const rendered = item(evaluate);
          if (rendered instanceof CelError) return rendered;
          list.push(rendered);
        }
        return list;
      };
    }
    return isJsonObject(value) ? this.compileMap(value) : () => value;
  }

  private compileMap(map: Readonly<Record<string, unknown>>): Render {
    const entries = Object.entries(map).map(([key, value]) => {
      if (hasPlaceholder(key)) this.error ??= `placeholders are not supported in mapping keys: ${key}`;
      return [key, this.compile(value)] as const;
    });
    return (evaluate) => {
      const object: Record<string, unknown> = {};
      for (const [key, render] of entries) {
        const rendered = render(evaluate);
        if (rendered instanceof CelError) return new CelError(`field "${key}": ${rendered.message}`);
        setOwn(object, key, rendered);
      }
      return object;
    };
  }

  private compileText(text: string): Render {
    const segments = parsePlaceholders(text);
    if ('error' in segments) {
      this.error ??= segments.error;
      return () => text;
    }
    const parts = segments.map((segment) => this.compilePart(segment));
    const [only] = parts;
    // Alone, it may be of any type.
    if (parts.length === 1 && only && typeof only !== 'string') return (evaluate) => toDocument(evaluate(only));
    return (evaluate) => {
      let result = '';
      for (const part of parts) {
        const value = typeof part === 'string' ? part : toDocument(evaluate(part));
        if (value instanceof CelError) return value;
        if (typeof value === 'object') {
          return new CelError('a placeholder inside of a text must evaluate to a scalar');
        }
        result += String(value);
      }
      return result;
    };
  }

  private compilePart(segment: Segment): string | Expression {
    if ('text' in segment) return segment.text;
    const expression = compileKindExpression(segment.expression, this.scope);
    this.expressions.push(expression);
    return expression;
  }
}
