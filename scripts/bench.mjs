// npm run bench -- <name> [options]: runs bench/<name>.ts as the bundle that users run, not through a transpiler.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build as bundle } from 'esbuild';
import { build, root, run } from './prepare.mjs';

const names = readdirSync(join(root, 'bench'))
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => name.slice(0, -'.ts'.length));
const [name, ...options] = process.argv.slice(2);

if (name === undefined) {
  process.stdout.write(`npm run bench -- <name>, one of:\n${names.map((known) => `  ${known}\n`).join('')}`);
} else if (!names.includes(name)) {
  process.stderr.write(`no bench is called ${JSON.stringify(name)}; there are: ${names.join(', ')}\n`);
  process.exitCode = 2;
} else {
  build();
  const folder = mkdtempSync(join(tmpdir(), 'supercargo-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, `${name}.mjs`);
  await bundle({
    entryPoints: [join(root, 'bench', `${name}.ts`)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    // It finds its own source by where it lies.
    external: [join(root, 'scripts', 'assets.mjs')],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  run(process.execPath, ['--enable-source-maps', '--expose-gc', outfile, ...options]);
}
