import type { Argument, Command, Option } from 'commander';

interface Candidate {
  readonly value: string;
  readonly description: string;
}

interface Completion {
  readonly candidates: readonly Candidate[];
  /** Whether file names are possible too. */
  readonly takesFiles: boolean;
}

const none: Completion = { candidates: [], takesFiles: false };

/** What may stand in place of the last word of a command line; the words are those after the program's name. */
export function completeWords(program: Command, words: readonly string[]): Completion {
  const [before, current] = split(words);
  let command = program;
  let waiting: Option | undefined;
  let isAfterDashes = false;
  let position = 0;
  for (const word of before) {
    if (waiting) waiting = undefined;
    else if (word === '--' && !isAfterDashes) isAfterDashes = true;
    else if (word.startsWith('-') && !isAfterDashes) waiting = optionThatWaits(command, word);
    else {
      const inner = isAfterDashes ? undefined : subcommand(command, word);
      // The arguments of a command that passes them on are not ours.
      if (inner?.name() === 'kubectl') return { candidates: [], takesFiles: true };
      if (inner) [command, position] = [inner, 0];
      else position++;
    }
  }
  if (waiting) return valuesOf(waiting, current, '');
  if (current.startsWith('-') && !isAfterDashes) return optionsOf(command, current);
  const commands = position === 0 ? command.commands.filter((one) => !isHidden(one)) : [];
  if (commands.length > 0)
    return startingWith(
      current,
      commands.map((one) => ({ value: one.name(), description: one.summary() || one.description() })),
    );
  return argumentValues(command.registeredArguments, position, current);
}

/** bash makes words of their own of `=`: `--output=js` are three. */
function split(words: readonly string[]): readonly [readonly string[], string] {
  const joined: string[] = [];
  for (const [i, word] of words.entries()) {
    if (word === '=' && /^--[\w-]+$/.test(joined.at(-1) ?? '')) {
      if (i === words.length - 1) joined.push('');
    } else joined.push(word);
  }
  return [joined.slice(0, -1), joined.at(-1) ?? ''];
}

const subcommand = (command: Command, word: string) =>
  command.commands.find((one) => one.name() === word || one.aliases().includes(word));

/** Commander has no public word for commands that help does not show. */
const isHidden = (command: Command) => command.name().startsWith('__');

function findOption(command: Command, flag: string): Option | undefined {
  return command.options.find(({ long, short }) => flag === long || flag === short);
}

/** The option whose value is the next word. */
function optionThatWaits(command: Command, word: string): Option | undefined {
  const option = word.includes('=') ? undefined : findOption(command, word);
  return option && (option.required || option.optional) ? option : undefined;
}

function optionsOf(command: Command, current: string): Completion {
  const [, flag, value] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? [];
  if (flag !== undefined) {
    const option = findOption(command, flag);
    return option ? valuesOf(option, value!, `${flag}=`) : none;
  }
  const options = command.options.filter(({ hidden }) => !hidden);
  const candidates = options.map(({ long, short, description }) => ({ value: long ?? short ?? '', description }));
  return startingWith(current, [...candidates, { value: '--help', description: 'display help for command' }]);
}

function valuesOf({ argChoices, flags }: Option, current: string, prefix: string): Completion {
  if (!argChoices) return { candidates: [], takesFiles: /<(file|dir|path|folder)/.test(flags) };
  return startingWith(
    `${prefix}${current}`,
    argChoices.map((choice) => ({ value: `${prefix}${choice}`, description: '' })),
  );
}

function argumentValues(given: readonly Argument[], position: number, current: string): Completion {
  const argument = given[position] ?? given.find(({ variadic }) => variadic);
  if (!argument) return none;
  if (!argument.argChoices) return { candidates: [], takesFiles: true };
  return startingWith(
    current,
    argument.argChoices.map((value) => ({ value, description: '' })),
  );
}

function startingWith(current: string, candidates: readonly Candidate[]): Completion {
  return { candidates: candidates.filter(({ value }) => value.startsWith(current)), takesFiles: false };
}
