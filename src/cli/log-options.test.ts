import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { commandsOf } from '../../scripts/reference/cli.ts';
import { messageLoggerOf } from './log-options.ts';

/** Commands that end by themselves, and soon. */
const short = [
  ...['install', 'uninstall', 'check', 'kubectl', 'apply', 'test', 'explain', 'convert', 'cel', 'jp', 'render'],
  ...['version', 'completion', 'config schema'],
];

const namesOf = (parent: Command, prefix = ''): readonly (readonly [string, Command])[] =>
  parent.commands
    .filter((command) => !command.name().startsWith('__'))
    .flatMap((command) => {
      const name = `${prefix}${command.name()}`;
      return command.commands.length > 0 ? namesOf(command, `${name} `) : [[name, command] as const];
    });

describe('the options of the log', () => {
  it('are those of every command that may take long', () => {
    const without = namesOf(commandsOf())
      .filter(([, { options }]) => !['--log-level', '--log-format'].every((one) => options.some((o) => o.long === one)))
      .map(([name]) => name);
    expect([...without].sort()).toEqual([...short].sort());
  });
});

describe('the messages of a command', () => {
  const write = (options: Parameters<typeof messageLoggerOf>[0], env: Record<string, string> = {}) => {
    const lines: string[] = [];
    const log = messageLoggerOf(options, { env, stderr: { write: (text) => lines.push(text) } });
    log.info('connected');
    log.warn('slow registry', { host: 'a.example' });
    return lines.join('');
  };

  it('are plain lines', () => {
    expect(write({})).toBe('supercargo: warning: slow registry: a.example\n');
    expect(write({}, { LOG_LEVEL: '', LOG_FORMAT: '' })).toBe('supercargo: warning: slow registry: a.example\n');
  });

  it('are a log where the options or the environment say so', () => {
    expect(JSON.parse(write({ logFormat: 'json' }))).toMatchObject({ msg: 'slow registry', host: 'a.example' });
    expect(write({ logLevel: 'info' }).trim().split('\n')).toHaveLength(2);
    expect(write({}, { LOG_LEVEL: 'silent' })).toBe('');
    expect(write({ logLevel: 'warn' }, { LOG_LEVEL: 'silent' })).not.toBe('');
  });
});
