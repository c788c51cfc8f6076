import type { Argument, Command, Option } from 'commander';
import { createProgram } from '../../src/cli/program.ts';
import { generated, header, row } from './markdown.ts';

/** The commands, run by nobody. */
export function commandsOf(): Command {
  const stream = { write: () => true };
  const context = {
    env: {},
    stdout: stream,
    stderr: stream,
    version: '0.0.0',
    temporaryDir: '/nonexistent',
    signal: new AbortController().signal,
    uptimeMs: () => 0,
  };
  return createProgram(context, () => {});
}

/** docs/reference/cli.md */
export function cliReference(): string {
  const program = commandsOf();
  const commands = allCommands(program, '');
  const overview = commands.map(({ name, command }) =>
    row(`[${name}](#${name.replaceAll(' ', '-')})`, command.summary()),
  );
  return `# Command line

${generated('the commands of src/cli')}
${header('Command', 'What it does')}${overview.join('')}
Commands that need a cluster use \`--kubeconfig\`, else \`KUBECONFIG\`, else the newest running \`supercargo up\`, else
\`~/.kube/config\`; they say which one if you named none. Errors are one line on standard error. Exit codes: 0 done, 1 failed,
2 wrong usage or input, 5 the cluster cannot be reached; \`sync\` has 3 and 4 too.

${commands.map(renderCommand).join('\n')}`;
}

interface NamedCommand {
  readonly name: string;
  readonly command: Command;
}

function allCommands(parent: Command, prefix: string): readonly NamedCommand[] {
  return parent.commands
    .filter((command) => !command.name().startsWith('__'))
    .flatMap((command) => {
      const name = `${prefix}${command.name()}`;
      return [{ name, command }, ...allCommands(command, `${name} `)];
    });
}

function renderCommand({ name, command }: NamedCommand): string {
  const options = command.options.filter(({ hidden }) => !hidden);
  const usage = [
    `supercargo ${name}`,
    ...(options.length > 0 ? ['[options]'] : []),
    ...(command.commands.length > 0 ? ['<command>'] : []),
    ...command.registeredArguments.map(argumentOf),
  ].join(' ');
  const table =
    options.length === 0
      ? ''
      : `\n${header('Option', 'Meaning', 'Values', 'Default')}${options.map(renderOption).join('')}`;
  return `## ${name}\n\n${command.description().replaceAll('<', '\\<')}\n\n\`\`\`\n${usage}\n\`\`\`\n${table}`;
}

function argumentOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function renderOption({ flags, description, argChoices, defaultValue, negate }: Option): string {
  const isShown = defaultValue !== undefined && defaultValue !== false && !negate && !isEmpty(defaultValue);
  return row(
    `\`${flags}\``,
    description.replaceAll('<', '\\<'),
    argChoices?.map((value) => `\`${value}\``).join(', ') ?? '',
    isShown ? `\`${String(defaultValue)}\`` : '',
  );
}

/** Of repeatable options nothing is given by default. */
const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;
