import { expect, it } from 'vitest';
import { programName } from './program-name.ts';

it.each([
  ['/src/bin/supercargo', '/src', '/usr/bin', 'bin/supercargo'],
  ['/usr/bin/supercargo', '/src', '/bin:/usr/bin', 'supercargo'],
  ['/src/bin/supercargo', '/home', '/usr/bin', '/src/bin/supercargo'],
  ['/src/bin/supercargo', '/src/bin', '/usr/bin', '/src/bin/supercargo'],
])('%s in %s with PATH=%s is called %s', (script, cwd, path, name) => {
  expect(programName(script, cwd, path)).toBe(name);
});
