// Installs and builds if needed, with only Node and npm: called first by `npm start` and `npm test`.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Runs a program with our standard streams; exits if it fails. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (error) {
    process.stderr.write(`cannot run ${command}: ${error.message}\n`);
    process.exit(1);
  }
  if (status !== 0) process.exit(status ?? 1);
}

/** The program of an installed package, run by the same Node. */
export function runPackage(script, args, options) {
  run(process.execPath, [join(root, 'node_modules', script), ...args], options);
}

const npm = process.env.npm_execpath;

export function install() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = join(root, 'node_modules', '.supercargo-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  process.stderr.write('installing dependencies\n');
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  if (npm) run(process.execPath, [npm, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  else run('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  writeFileSync(stamp, lock);
}

export function build() {
  const bundle = join(root, 'dist', 'main.cjs');
  const built = existsSync(bundle) ? statSync(bundle).mtimeMs : 0;
  const newest = Math.max(...['src', 'ui', 'scripts', 'package-lock.json'].map((path) => newestIn(join(root, path))));
  if (built > newest) return;
  process.stderr.write('building\n');
  run(process.execPath, [join(root, 'scripts', 'build.mjs')]);
}

function newestIn(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name))));
}
