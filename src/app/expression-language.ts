/** What the commands that try an expression need to know of its language. */

/** What an expression gives for one document: a value as JSON, or an error. */
export interface ExpressionAnswer {
  readonly value?: unknown;
  readonly error?: string;
  /** Units of work, where the language counts them. */
  readonly cost?: number;
}

interface CompiledExpression {
  /** Its static type, where the language has types. */
  readonly type?: string;
  /** Never throws. Without a document the expression sees null. */
  evaluate(document: unknown): ExpressionAnswer;
}

interface LanguageFunction {
  readonly name: string;
  readonly isMember: boolean;
  readonly isGlobal: boolean;
  /** The types that a member can be called on; `dyn` for any. */
  readonly receivers: readonly string[];
  readonly signatures: readonly string[];
}

export interface ExpressionLanguage {
  readonly name: 'cel' | 'jp';
  /** Throws SupercargoError for an expression that is wrong. */
  compile(expression: string): CompiledExpression;
  readonly functions: readonly LanguageFunction[];
  /** Names that an expression may start with, given the document. */
  variables(document: unknown): readonly string[];
}
