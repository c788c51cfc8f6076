import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));

describe('the compiled code that the build kept', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'supercargo-start-'));
    cpSync(dist, folder, { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const caches = () => readdirSync(path.join(folder, 'code')).filter((name) => name.endsWith('.cache'));
  /** Starts the copy; also says of how many parts V8 took the compiled code. */
  const start = () => {
    const script = `
      const { loaded } = require('./load.cjs');
      process.on('exit', () => {
        const scripts = [...loaded.values()].map(({ script }) => script);
        console.log(scripts.filter(({ cachedDataRejected }) => cachedDataRejected === false).length + ' of ' + scripts.length);
      });
      process.argv = [process.argv[0], 'supercargo', '--version'];
      require('./main.cjs');
    `;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: folder, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const [version, taken] = stdout.trim().split('\n');
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    return taken;
  };

  it('is taken whole by the Node that built it', () => {
    expect(start()).toMatch(/^(\d+) of \1$/);
  });

  it('is taken of every part, whichever command it was kept by', () => {
    // As load.cjs reads it. With other flags than it was kept with, V8 does not take it.
    const script = `
      const { readdirSync, readFileSync } = require('node:fs');
      const { Script } = require('node:vm');
      const parts = readdirSync('code').filter((name) => name.endsWith('.cache')).map((name) => 'code/' + name);
      console.log(parts.filter((part) => {
        const text = readFileSync(part.slice(0, -'.cache'.length), 'latin1');
        const source = '(function (exports, require, module, __filename) {' + text + '\\n})';
        return new Script(source, { cachedData: readFileSync(part) }).cachedDataRejected;
      }).length);
    `;
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: folder, encoding: 'utf8' });
    expect({ stdout, stderr }).toEqual({ stdout: '0\n', stderr: '' });
    expect(caches().length).toBeGreaterThan(30);
  });

  it('of another Node is passed over, and the program starts all the same', () => {
    for (const name of caches()) {
      const file = path.join(folder, 'code', name);
      const bytes = readFileSync(file);
      // The second word of V8's head is a hash of its version.
      bytes.writeUInt32LE((bytes.readUInt32LE(4) ^ 0xffff) >>> 0, 4);
      writeFileSync(file, bytes);
    }
    expect(start()).toBe('0 of 0');
  });

  it('that is cut short or missing is passed over too', () => {
    for (const [i, name] of caches().entries()) {
      const file = path.join(folder, 'code', name);
      if (i % 2 === 0) rmSync(file);
      else writeFileSync(file, readFileSync(file).subarray(0, 1000));
    }
    expect(start()).toMatch(/^0 of \d+$/);
  });

  it('loads only what a command uses', () => {
    writeFileSync(path.join(folder, 'data.json'), '{"a":"x"}');
    const script = `
      const { loaded } = require('./load.cjs');
      process.on('exit', () => {
        const parts = [...loaded.keys()].map((file) => require('node:fs').readFileSync(file, 'utf8'));
        const has = (text) => parts.some((part) => part.includes(text));
        const native = (name) => process.moduleLoadList.includes('NativeModule ' + name);
        console.log(JSON.stringify({ jmespath: has('to_upper'), undici: has('ProxyAgent'), http2: native('http2'), tls: native('tls') }));
      });
      process.argv = [process.argv[0], 'supercargo', 'jp', 'to_upper(a)', '-r', 'data.json'];
      require('./main.cjs');
    `;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: folder, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const [answer, used] = stdout.trim().split('\n').slice(-2);
    expect(answer).toBe('"X"');
    expect(JSON.parse(used!)).toEqual({ jmespath: true, undici: false, http2: false, tls: false });
  });
});
