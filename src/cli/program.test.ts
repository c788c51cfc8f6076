import { expect, it } from 'vitest';
import type { CliContext } from './context.ts';
import { createProgram } from './program.ts';

const context = { version: '1', env: {}, stdout: process.stdout, stderr: process.stderr } as unknown as CliContext;
const namesOf = (named?: string) => createProgram(context, () => {}, named).commands.map((command) => command.name());

it('defines the same for a command alone as for all', () => {
  const all = createProgram(context, () => {});
  for (const command of all.commands) {
    const name = command.name();
    const alone = createProgram(context, () => {}, name).commands.find((one) => one.name() === name);
    expect(alone?.helpInformation(), name).toBe(command.helpInformation());
  }
});

it('defines few commands where one is named, and all where none is', () => {
  expect(namesOf('apply')).toEqual(['apply']);
  expect(namesOf('uninstall')).toEqual(['install', 'uninstall']);
  expect(namesOf().length).toBeGreaterThan(20);
  for (const named of ['', '--help', 'help', 'completion', '__complete', 'aply'])
    expect(namesOf(named)).toEqual(namesOf());
});
