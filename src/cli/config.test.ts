import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commandsOf } from '../../scripts/reference/cli.ts';
import { runCommand } from '../../test/support/run-command.ts';
import { parseYaml } from '../base/index.ts';

describe('supercargo config', () => {
  const folder = mkdtempSync(join(tmpdir(), 'config-command-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'supercargo.yaml');
  writeFileSync(file, 'logLevel: warn\nmirror:\n  registry: registry.example/copies\n');

  const table = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {3,}/));

  it('prints where each value is from', async () => {
    const { code, stdout } = await runCommand(
      ['config', 'print', '--config', file, '--features', 'mirror', '--log-format', 'text'],
      { env: { LOG_LEVEL: 'debug' } },
    );
    expect(code).toBe(0);
    const rows = table(stdout);
    expect(rows[0]).toEqual(['SETTING', 'VALUE', 'FROM']);
    expect(rows).toContainEqual(['features', '["mirror"]', 'flag --features']);
    expect(rows).toContainEqual(['logLevel', 'debug', 'environment LOG_LEVEL']);
    expect(rows).toContainEqual(['logFormat', 'text', 'flag --log-format']);
    expect(rows).toContainEqual(['mirror.registry', 'registry.example/copies', 'file']);
    expect(rows).toContainEqual(['mirror.mode', 'auto', 'default']);
    expect(rows.find(([key]) => key === 'webhook.url')?.at(-1)).toBe('not set');
  });

  it('takes every option of run that is a setting', async () => {
    const optionsOf = (name: string) => {
      const command = name
        .split(' ')
        .reduce((at, one) => at.commands.find((each) => each.name() === one)!, commandsOf());
      return command.options.map(({ long }) => long);
    };
    const ofCluster = ['--kubeconfig', '--context'];
    expect(optionsOf('config print')).toEqual(
      expect.arrayContaining(optionsOf('run').filter((option) => !ofCluster.includes(option!))),
    );
    const { code, stdout, stderr } = await runCommand([
      'config',
      'print',
      '--namespace',
      'images',
      '--exposure',
      'url=https://10.0.0.7:9443',
      '--changed',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(table(stdout)).toEqual(
      expect.arrayContaining([
        ['namespace', 'images', 'flag --namespace'],
        ['webhook.url', 'https://10.0.0.7:9443', 'flag --exposure'],
      ]),
    );
  });

  it('prints only what is set, and what it means', async () => {
    const { stdout } = await runCommand(['config', 'print', '--config', file, '--changed', '-o', 'wide']);
    expect(table(stdout).map(([key]) => key)).toEqual(['SETTING', 'logLevel', 'mirror.registry']);
    expect(stdout).toContain('The lowest level that is logged.');
  });

  it('prints a file that it accepts again', async () => {
    const { stdout } = await runCommand(['config', 'print', '--config', file, '-o', 'yaml']);
    const again = join(folder, 'again.yaml');
    writeFileSync(again, stdout);
    const { stdout: second } = await runCommand(['config', 'print', '--config', again, '-o', 'json']);
    expect(JSON.parse(second)).toEqual(parseYaml(stdout, {}));
    const changed = await runCommand(['config', 'print', '--config', file, '--changed', '-o', 'json']);
    expect(JSON.parse(changed.stdout)).toEqual({ logLevel: 'warn', mirror: { registry: 'registry.example/copies' } });
  });

  it('checks a file, and names what was meant', async () => {
    expect((await runCommand(['config', 'check', '--config', file])).stdout).toMatch(
      /: valid, 2 of \d+ settings are set\n$/,
    );
    const wrong = join(folder, 'wrong.yaml');
    writeFileSync(wrong, 'mirror: { registri: a }\n');
    const { code, stdout, stderr } = await runCommand(['config', 'check', '--config', wrong]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(`supercargo: ${wrong}: mirror.registri: unknown setting; did you mean mirror.registry?\n`);
  });

  it('prints the schema that editors read', async () => {
    const { stdout } = await runCommand(['config', 'schema']);
    const schema = JSON.parse(stdout);
    expect(schema).toMatchObject({ $schema: expect.any(String), additionalProperties: false });
    expect(schema.properties.mirror.properties.mode).toMatchObject({
      enum: ['auto', 'sync', 'async'],
      default: 'auto',
    });
  });
});
