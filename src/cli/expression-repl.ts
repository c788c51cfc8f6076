import { createInterface } from 'node:readline';
import { type ExpressionLanguage, loadExpressions } from '../app/index.ts';
import { errorMessage, SupercargoError, UsageError } from '../base/index.ts';
import { type CliContext, exitCodes } from './context.ts';

interface ReplOptions {
  readonly language: ExpressionLanguage;
  /**
   * Evaluates and prints; false if an evaluation failed or the signal stopped it. Throws SupercargoError for an expression
   * that is wrong.
   */
  readonly evaluate: (expression: string) => Promise<boolean>;
  /** What fields are completed from. */
  readonly document: unknown;
  readonly context: CliContext;
}

const help = `An expression is evaluated when its brackets are closed. Tab completes fields and functions.
  :functions [NAME]  how functions are called
  :type EXPRESSION   the type of an expression, where the language has types
  :help  :quit
`;

/** Reads expressions: from a terminal with a prompt, history and completion, else one a line. */
export async function runExpressionRepl({ language, evaluate, document, context }: ReplOptions): Promise<number> {
  const { stdout, stderr, signal } = context;
  const stdin = context.openStdin?.();
  if (stdin === undefined) throw new UsageError('expression-missing', 'an expression is expected');
  const { completeExpression, isIncomplete } = await loadExpressions();
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
  const prompt = `${language.name}> `;
  if (isTerminal) stdout.write(`${language.name}: ${language.functions.length} functions. :help shows more.\n`);
  const lines = createInterface({
    input: stdin,
    ...(isTerminal ? { output: stdout as unknown as NodeJS.WritableStream } : {}),
    terminal: isTerminal,
    prompt,
    signal,
    completer: (line: string) => {
      const { candidates, replaced } = completeExpression(language, waiting + line, document);
      return [[...candidates], replaced];
    },
  });
  let waiting = '';
  let hasFailed = false;
  const ask = () => {
    lines.setPrompt(waiting === '' ? prompt : '... ');
    if (isTerminal) lines.prompt();
  };
  const handle = async (line: string) => {
    const text = `${waiting}${line}`;
    if (isIncomplete(text)) {
      waiting = `${text}\n`;
      return;
    }
    waiting = '';
    try {
      if (text.trim() !== '' && !runCommand(text.trim(), language, context) && !(await evaluate(text)))
        hasFailed = true;
    } catch (thrown) {
      if (!(thrown instanceof SupercargoError)) throw thrown;
      hasFailed = true;
      for (const one of errorMessage(thrown).split('\n')) stderr.write(`supercargo: ${one}\n`);
    }
  };
  lines.on('SIGINT', () => {
    if (waiting === '') lines.close();
    else {
      waiting = '';
      stdout.write('\n');
      ask();
    }
  });
  ask();
  for await (const line of lines) {
    if (line.trim() === ':quit' || line.trim() === ':q') break;
    await handle(line);
    if (signal.aborted) break;
    ask();
  }
  lines.close();
  if (isTerminal) stdout.write('\n');
  // A person has seen the errors; a script needs to be told.
  return hasFailed && !isTerminal ? exitCodes.failed : exitCodes.ok;
}

/** True if the line was a command and not an expression. */
function runCommand(line: string, language: ExpressionLanguage, { stdout }: CliContext): boolean {
  if (!line.startsWith(':')) return false;
  const [, command = '', rest = ''] = /^:(\S*)\s*(.*)$/s.exec(line) ?? [];
  if (command === 'type') stdout.write(`${language.compile(rest).type ?? 'this language has no types'}\n`);
  else if (command === 'functions') {
    const found = language.functions.filter(({ name }) => rest === '' || name === rest);
    stdout.write(
      found.flatMap(({ signatures }) => signatures.map((one) => `${one}\n`)).join('') || `no function ${rest}\n`,
    );
  } else stdout.write(help);
  return true;
}
