import type { Command } from 'commander';
import { Option } from 'commander';
import { type ExpressionLanguage, loadExpressions, loadFiles, type PlacedAnswer } from '../app/index.ts';
import { createTimeSlice, renderJson, renderYaml, systemClock, UsageError } from '../base/index.ts';
import { type CliContext, exitCodes } from './context.ts';
import { runExpressionRepl } from './expression-repl.ts';

export interface TryOptions {
  readonly resource: readonly string[];
  readonly output: 'json' | 'yaml';
  readonly cost?: boolean;
  readonly compact: boolean;
  readonly unquoted: boolean;
  readonly functions?: string | true;
}

/** The options that the commands for expressions share. */
export function addTryOptions(command: Command): Command {
  return command
    .argument('[expression]', 'the expression; without one, expressions are read from the terminal or standard input')
    .option('-r, --resource <file...>', 'files or folders of YAML or JSON; "-" is standard input', [])
    .addOption(new Option('-o, --output <format>', 'how values are shown').choices(['json', 'yaml']).default('json'))
    .option('-c, --compact', 'JSON on one line', false)
    .option('-u, --unquoted', 'show strings without quotes', false)
    .option('--functions [name]', 'list the functions, or show how one is called');
}

/** Tries the expression on each document, or each expression that is typed. */
export async function runTry(
  language: ExpressionLanguage,
  expression: string | undefined,
  options: TryOptions,
  context: CliContext,
): Promise<number> {
  const { stdout, stderr, signal } = context;
  if (options.functions !== undefined) return listFunctions(language, options.functions, context);
  const [{ readTriedDocuments, tryExpression }, { nodeFiles }] = await Promise.all([loadExpressions(), loadFiles()]);
  if (expression === undefined && options.resource.includes('-'))
    throw new UsageError('expression-missing', 'standard input is read for documents: give the expression as argument');
  const documents = readTriedDocuments(nodeFiles(), options.resource);
  let shown = 0;
  // A signal that ends the program arrives between two turns of the event loop only.
  const turn = createTimeSlice(systemClock);
  const evaluate = async (text: string): Promise<boolean> => {
    const { type, answers } = tryExpression(language, text, documents);
    let isEvaluated = true;
    for (const answer of answers) {
      const { place, error } = answer;
      isEvaluated &&= error === undefined;
      if (error === undefined) stdout.write(renderAnswer(answer, type, options, shown++));
      else for (const line of error.split('\n')) stderr.write(`supercargo: ${place ? `${place}: ` : ''}${line}\n`);
      await turn();
      if (signal.aborted) return false;
    }
    return isEvaluated;
  };
  if (expression !== undefined) return (await evaluate(expression)) ? exitCodes.ok : exitCodes.failed;
  return runExpressionRepl({ language, evaluate, document: documents[0]?.value ?? null, context });
}

function renderAnswer(
  { value, cost }: PlacedAnswer,
  type: string | undefined,
  { cost: showsCost = false, unquoted, output, compact }: TryOptions,
  index: number,
): string {
  const told = showsCost ? { value, type, cost } : value;
  if (unquoted && typeof told === 'string') return `${told}\n`;
  if (output === 'json') return `${compact ? renderJson(told) : renderJson(told, 2)}\n`;
  return `${index > 0 ? '---\n' : ''}${renderYaml(told)}`;
}

function listFunctions({ functions, name: language }: ExpressionLanguage, name: string | true, { stdout }: CliContext) {
  const found = name === true ? functions : functions.filter((one) => one.name === name);
  if (found.length === 0)
    throw new UsageError(
      'function-unknown',
      `there is no function ${name}: supercargo ${language} --functions lists them`,
    );
  for (const { signatures } of found) for (const one of signatures) stdout.write(`${one}\n`);
  return exitCodes.ok;
}
