// Bundles ui/ into dist/ui/: one page, one script, one style sheet, each with its brotli form beside it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';

const out = join('dist', 'ui');

export async function buildUi() {
  const { outputFiles } = await build({
    entryPoints: { app: 'ui/src/main.tsx', style: 'ui/style/main.css', icon: 'ui/icon.svg' },
    outdir: out,
    entryNames: '[name]-[hash]',
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome111', 'firefox113', 'safari16.4'],
    loader: { '.svg': 'copy' },
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfig: 'ui/tsconfig.json',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  });
  const names = {};
  for (const { path, contents } of outputFiles) {
    const name = basename(path);
    names[name.replace(/-[A-Z0-9]+\./, '.')] = name;
    write(name, contents);
  }
  const page = readFileSync('ui/index.html', 'utf8').replace(/\{\{(.+?)\}\}/g, (_, name) => {
    if (names[name] === undefined) throw new Error(`ui/index.html: no asset ${name}`);
    return `/${names[name]}`;
  });
  write('index.html', Buffer.from(page));
}

function write(name, contents) {
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, name), contents);
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  writeFileSync(join(out, `${name}.br`), brotliCompressSync(contents, { params }));
}
