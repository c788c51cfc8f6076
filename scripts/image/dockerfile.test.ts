import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { imageProcess } from './build.ts';
import { rootPackages } from './debian.ts';
import { readLock } from './lock.ts';
import { launcher, programFolder } from './program-files.ts';
import { userId } from './root-files.ts';

const text = readFileSync(path.join(import.meta.dirname, '../../Dockerfile'), 'utf8').replaceAll('\\\n', ' ');
const lines = text.split('\n');
const all = (instruction: string) =>
  lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1));
const last = (instruction: string) => all(instruction).at(-1);

describe('the Dockerfile', () => {
  it('starts the program of the built image as the same user, in the same folder', () => {
    expect(last('USER')).toBe(imageProcess.user);
    expect(JSON.parse(last('ENTRYPOINT')!)).toEqual(imageProcess.entrypoint);
    expect(last('WORKDIR')).toBe(imageProcess.workingDir);
    expect(imageProcess.env).toEqual(expect.arrayContaining(last('ENV')!.split(' ')));
    expect(text).toContain(`nonroot:x:${userId}:${userId}:`);
  });

  it('installs the packages that the builder starts from', () => {
    const [, packages] = /apt-get install -y --no-install-recommends ([^&]+)/.exec(text)!;
    // Its base image has base-files.
    expect(['base-files', ...packages!.trim().split(/\s+/)].sort()).toEqual([...rootPackages].sort());
  });

  it('has the major version of Node that the lock pins', () => {
    expect(all('FROM')[0]).toMatch(new RegExp(`^node:${readLock().node.version.split('.')[0]}-`));
  });

  it('puts the same launcher and the same files in place', () => {
    const [, printed] = /printf "([^"]*)" >\/usr\/bin\/supercargo/.exec(text)!;
    expect(printed!.replaceAll('\\n', '\n')).toBe(launcher);
    for (const name of ['dist', 'LICENSE']) expect(text).toContain(` /${programFolder}/${name}\n`);
    expect(text).toMatch(/-name '\*\.map' -delete -o -name '\*\.cache' -delete/);
  });
});
