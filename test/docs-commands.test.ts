/** The commands of the documentation as the command line reads them; test/integration/docs-pages.test.ts runs them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandsOf } from '../scripts/reference/cli.ts';
import { codeBlocksOf, inlineCommandsOf } from './support/code-blocks.ts';

const root = path.join(import.meta.dirname, '..');

interface DocumentedCommand {
  readonly where: string;
  readonly args: readonly string[];
}

/** Pages that tell how to use the program; decisions tell its history. */
const pages = [
  'README.md',
  ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((file) => `docs/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.md') && !file.startsWith('docs/decisions/')),
];

/** Each command line of ours in the code blocks of a page. */
function commandsIn(page: string): readonly DocumentedCommand[] {
  const found: DocumentedCommand[] = [];
  for (const { line: first, text } of codeBlocksOf(page)) {
    const lines = text.replaceAll('\\\n', '  ').split('\n');
    for (const [i, line] of lines.entries())
      for (const args of commandsOn(line)) found.push({ where: `${page}:${first + i}: ${line.trim()}`, args });
  }
  return found;
}

const scripts = Object.keys(
  (JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { readonly scripts: object }).scripts,
);

/** What is wrong with a command of npm or npx: a script or a file that is not there. */
function missingIn(command: string): string | undefined {
  for (const [, script] of command.matchAll(/\bnpm run ([\w:-]+)/g))
    if (!scripts.includes(script!)) return `there is no script ${script}`;
  for (const [, file] of command.matchAll(/\b(?:vitest run|tsx) ([\w./-]+)/g))
    if (!existsSync(path.join(root, file!))) return `there is no ${file}`;
  return undefined;
}

/** A line of usage shows alternatives and optional parts, and is no command. */
const isUsage = (line: string) =>
  /\[(?:-|options|<|args|shell)|<[a-z.]+>|\|[a-z]+\b(?!\s)/.test(line.replace(/\s#.*$/, ''));

function commandsOn(line: string): readonly (readonly string[])[] {
  if (isUsage(line)) return [];
  return partsOf(line).flatMap((words) => {
    const start = words.findIndex((word) => !/^(?:[A-Z_]+=.*|\$|-|run:|script:|nice|time|source)$/.test(word));
    const own = words.slice(Math.max(0, start));
    if (/^(?:\.\/)?(?:bin\/)?supercargo$/.test(own[0] ?? '')) return [own.slice(1)];
    return own[0] === 'kubectl' && own[1] === 'supercargo' ? [own.slice(2)] : [];
  });
}

/** The commands of a shell line as words, without comments and redirections. */
function partsOf(line: string): readonly (readonly string[])[] {
  const parts: string[][] = [[]];
  let skips = false;
  for (const [token] of line.matchAll(/\s#.*$|'[^']*'|"(?:[^"\\]|\\.)*"|\d?>>?|<\(|\$\(|[|;&()]+|[^\s'"|;&()<>]+/g)) {
    if (/^\s#/.test(token)) break;
    if (/^(?:[|;&()]+|<\(|\$\()$/.test(token)) parts.push([]);
    else if (/^\d?>>?$/.test(token)) skips = true;
    else if (skips) skips = false;
    else if (token.startsWith('"')) parts.at(-1)!.push(token.slice(1, -1).replaceAll(/\\([`"$\\])/g, '$1'));
    else parts.at(-1)!.push(token.startsWith("'") ? token.slice(1, -1) : token);
  }
  return parts;
}

/** Parses a command without running it. */
async function refusalOf(args: readonly string[]): Promise<string | undefined> {
  const program = commandsOf();
  const written: string[] = [];
  const disarm = (command: typeof program): void => {
    command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: (text) => void written.push(text) });
    if (command.commands.length === 0) command.action(() => {});
    for (const inner of command.commands) disarm(inner);
  };
  disarm(program);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return undefined;
  } catch (thrown) {
    const { exitCode, message } = thrown as { readonly exitCode?: number; readonly message: string };
    return exitCode === 0 ? undefined : `${message} ${written.join('')}`;
  }
}

describe('the commands of the documentation', () => {
  const commands = pages.flatMap(commandsIn);

  it('are found', () => {
    expect(commands.length).toBeGreaterThan(50);
    expect(commandsOn('LOG_LEVEL=debug bin/supercargo config print -o yaml > a.yaml   # all')).toEqual([
      ['config', 'print', '-o', 'yaml'],
    ]);
    expect(commandsOn("kubectl get pods -o json | supercargo apply 'a b' -r -")).toEqual([['apply', 'a b', '-r', '-']]);
    expect(commandsOn('source <(supercargo completion bash)')).toEqual([['completion', 'bash']]);
  });

  it('are accepted by the command line', async () => {
    const refused: string[] = [];
    for (const { where, args } of commands) {
      const refusal = await refusalOf(args);
      if (refusal !== undefined) refused.push(`${where} → ${refusal}`);
    }
    expect(refused).toEqual([]);
    expect(await refusalOf(['report', '--by', 'colour'])).toContain('Allowed choices');
    expect(await refusalOf(['apply', '--no-such-option'])).toContain('unknown option');
  });

  // In a sentence a command may stand without its arguments.
  it('are accepted in sentences and tables, and name scripts and files that exist', async () => {
    const inline = pages.flatMap(inlineCommandsOf);
    expect(inline.length).toBeGreaterThan(100);
    const wrong: string[] = [];
    for (const { where, command } of inline) {
      const missing = missingIn(command);
      if (missing !== undefined) wrong.push(`${where} → ${missing}`);
      for (const args of commandsOn(command)) {
        const refusal = await refusalOf(args);
        if (refusal !== undefined && !/missing required argument|argument missing|\(outputHelp\)/.test(refusal))
          wrong.push(`${where} → ${refusal}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(missingIn('npm run no-such-script')).toBe('there is no script no-such-script');
    expect(missingIn('npx vitest run test/nothing.test.ts')).toBe('there is no test/nothing.test.ts');
  });
});
