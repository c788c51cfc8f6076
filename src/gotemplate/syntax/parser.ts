import { TemplateError } from '../errors.ts';
import { quote } from '../format/quote.ts';
import { maxTemplateLength } from '../limits.ts';
import type { Definition, ListNode, Statement } from './ast.ts';
import { ExpressionParser, type ParseOptions } from './expression-parser.ts';
import type { Token } from './token.ts';

/** All templates of a text: the one it is itself, and those it defines. Throws TemplateError worded as Go words it. */
export function parse(text: string, options: ParseOptions): ReadonlyMap<string, Definition> {
  if (text.length > maxTemplateLength) {
    const message = `template: ${options.name}: longer than ${maxTemplateLength} characters`;
    throw new TemplateError('template-too-long', message, { template: options.name, line: 1 });
  }
  return new Parser(text, options).run();
}

interface Ending {
  readonly kind: 'end' | 'else';
}

/** Reads texts and actions, and collects the templates they define. */
class Parser extends ExpressionParser {
  private readonly definitions = new Map<string, Definition>();
  private rangeDepth = 0;

  run(): ReadonlyMap<string, Definition> {
    const pos = this.peek().pos;
    const nodes: Statement[] = [];
    while (this.peek().type !== 'eof') {
      if (this.peek().type === 'leftDelim') {
        const delimiter = this.next();
        const token = this.nextNonSpace();
        if (token.type === 'define') {
          this.define();
          continue;
        }
        this.pending.push(token, delimiter);
      }
      const node = this.textOrAction();
      if (node.kind === 'end' || node.kind === 'else') this.fail(`unexpected {{${node.kind}}}`);
      nodes.push(node as Statement);
    }
    this.add(this.options.name, { kind: 'list', pos, nodes });
    return this.definitions;
  }

  private add(name: string, root: ListNode): void {
    const existing = this.definitions.get(name);
    if (!existing || isEmpty(existing.root)) this.definitions.set(name, { name, root });
    else if (!isEmpty(root)) this.fail(`template: multiple definition of template ${quote(name)}`);
  }

  /** Runs with fresh variables and loops, as the body of a definition has them. */
  private inDefinition<T>(work: () => T): T {
    const { variables, rangeDepth } = this;
    this.variables = ['$'];
    this.rangeDepth = 0;
    const result = work();
    this.variables = variables;
    this.rangeDepth = rangeDepth;
    return result;
  }

  private define(): void {
    const context = 'define clause';
    const token = this.nextNonSpace();
    if (token.type !== 'string' && token.type !== 'rawString') this.unexpected(token, context);
    const name = this.unquote(token);
    this.expect('rightDelim', context);
    this.inDefinition(() => {
      const { list, ending } = this.itemList();
      if (ending.kind !== 'end') this.fail(`unexpected {{${ending.kind}}} in ${context}`);
      this.add(name, list);
    });
  }

  private itemList(): { readonly list: ListNode; readonly ending: Ending } {
    const pos = this.peekNonSpace().pos;
    const nodes: Statement[] = [];
    while (this.peekNonSpace().type !== 'eof') {
      const node = this.textOrAction();
      if (node.kind === 'end' || node.kind === 'else')
        return { list: { kind: 'list', pos, nodes }, ending: node as Ending };
      nodes.push(node as Statement);
    }
    this.fail('unexpected EOF');
  }

  private textOrAction(): Statement | Ending {
    const token = this.nextNonSpace();
    if (token.type === 'text') return { kind: 'text', pos: token.pos, text: token.text };
    if (token.type !== 'leftDelim') this.unexpected(token, 'input');
    this.actionLine = token.line;
    const node = this.action();
    this.actionLine = 0;
    return node;
  }

  private action(): Statement | Ending {
    const token = this.nextNonSpace();
    switch (token.type) {
      case 'block':
        return this.block();
      case 'break':
      case 'continue':
        return this.jump(token, token.type);
      case 'else': {
        const next = this.peekNonSpace();
        if (next.type !== 'if' && next.type !== 'with') this.expect('rightDelim', 'else');
        return { kind: 'else' };
      }
      case 'end':
        this.expect('rightDelim', 'end');
        return { kind: 'end' };
      case 'if':
      case 'range':
      case 'with':
        return this.branch(token.type);
      case 'template':
        return this.template();
      default:
    }
    this.pending.push(token);
    const { pos } = this.peek();
    return { kind: 'action', pos, pipe: this.pipeline('command', 'rightDelim') };
  }

  private jump(token: Token, kind: 'break' | 'continue'): Statement {
    const next = this.nextNonSpace();
    if (next.type !== 'rightDelim') this.unexpected(next, `{{${kind}}}`);
    if (this.rangeDepth === 0) this.fail(`{{${kind}}} outside {{range}}`);
    return { kind, pos: token.pos };
  }

  private branch(kind: 'if' | 'with' | 'range'): Statement {
    this.enter();
    const outer = this.variables.length;
    const pipe = this.pipeline(kind, 'rightDelim');
    if (kind === 'range') this.rangeDepth++;
    const { list, ending } = this.itemList();
    if (kind === 'range') this.rangeDepth--;
    let elseList: ListNode | undefined;
    if (ending.kind === 'else') {
      const { type, pos } = this.peek();
      if (kind !== 'range' && type === kind) {
        this.next();
        elseList = { kind: 'list', pos, nodes: [this.branch(kind)] };
      } else {
        const rest = this.itemList();
        if (rest.ending.kind !== 'end') this.fail(`expected end; found {{${rest.ending.kind}}}`);
        elseList = rest.list;
      }
    }
    this.variables.length = outer;
    this.leave();
    return { kind, pos: pipe.pos, pipe, list, elseList };
  }

  private block(): Statement {
    const context = 'block clause';
    const token = this.nextNonSpace();
    const name = this.templateName(token, context);
    const pipe = this.pipeline(context, 'rightDelim');
    this.enter();
    this.inDefinition(() => {
      const { list, ending } = this.itemList();
      if (ending.kind !== 'end') this.fail(`unexpected {{${ending.kind}}} in ${context}`);
      this.add(name, list);
    });
    this.leave();
    return { kind: 'template', pos: token.pos, name, pipe };
  }

  private template(): Statement {
    const context = 'template clause';
    const token = this.nextNonSpace();
    const name = this.templateName(token, context);
    const next = this.nextNonSpace();
    if (next.type === 'rightDelim') return { kind: 'template', pos: token.pos, name, pipe: undefined };
    this.pending.push(next);
    return { kind: 'template', pos: token.pos, name, pipe: this.pipeline(context, 'rightDelim') };
  }

  private templateName(token: Token, context: string): string {
    if (token.type !== 'string' && token.type !== 'rawString') this.unexpected(token, context);
    return this.unquote(token);
  }
}

function isEmpty(list: ListNode): boolean {
  return list.nodes.every((node) => node.kind === 'text' && node.text.trim() === '');
}
