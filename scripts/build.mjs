// Bundles src/main.ts into dist/, split so that each command loads only the chunks it uses.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { buildUi } from './build-ui.mjs';
import { keepCompiledCode } from './compiled-code.mjs';

// A string for JSON.parse loads faster than the object literal that esbuild would write.
const jsonAsText = {
  name: 'json-as-text',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.json$/ }, ({ path }) => ({
      contents: `export default JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(readFileSync(path, 'utf8'))))});`,
      loader: 'js',
    }));
  },
};

// The program uses only undici's connections. Its fetch, caches and mocks would take longer to load than many commands
// take to run. A name that is missing here fails the build.
const undiciConnections = {
  name: 'undici-connections',
  setup({ onLoad, onResolve }) {
    const namespace = 'undici-connections';
    onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace }));
    onLoad({ filter: /^undici$/, namespace }, () => ({
      resolveDir: import.meta.dirname ?? '.',
      contents: `
        import api from 'undici/lib/api/index.js';
        import Agent from 'undici/lib/dispatcher/agent.js';
        import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
        import Pool from 'undici/lib/dispatcher/pool.js';
        import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
        Object.assign(Dispatcher.prototype, api);
        export { Agent, Dispatcher, Pool, ProxyAgent };
      `,
    }));
  },
};

// Commander starts processes for commands that are programs of their own, which there are none of here. The module for
// that loads networking and takes longer than all of Commander.
const commanderWithoutProcesses = {
  name: 'commander-without-processes',
  setup({ onLoad }) {
    onLoad({ filter: /\/commander\/lib\/command\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const contents = text.replace("= require('node:child_process');", '= undefined;');
      if (contents === text) throw new Error(`${path} no longer loads node:child_process as it did`);
      return { contents, loader: 'js' };
    });
  },
};

// Without reports to diagnostics, which nobody reads, and with a clock that is loaded when something has a lifetime.
const lruCacheAlone = {
  name: 'lru-cache-alone',
  setup({ onLoad, onResolve }) {
    const folder = fileURLToPath(new URL('../browser/', import.meta.resolve('lru-cache')));
    onResolve({ filter: /^lru-cache$/ }, () => ({ path: join(folder, 'index.js') }));
    onLoad({ filter: /\/lru-cache\/dist\/esm\/browser\/perf\.js$/ }, () => ({
      contents: 'export const defaultPerf = { now: () => performance.now() };',
      loader: 'js',
    }));
  },
};

rmSync('dist', { recursive: true, force: true });
const { outputFiles } = await build({
  entryPoints: {
    main: 'src/main.ts',
    'evaluation-worker': 'src/offline/evaluation-worker.ts',
    'report-worker': 'src/app/features/report-worker.ts',
    'liveness-worker': 'src/app/liveness/liveness-worker.ts',
    'dashboard-worker': 'src/app/features/dashboard-worker.ts',
  },
  outdir: 'dist/code',
  outExtension: { '.js': '.cjs' },
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: 'inline',
  minifySyntax: true,
  legalComments: 'none',
  define: { SUPERCARGO_VERSION: JSON.stringify(JSON.parse(readFileSync('package.json', 'utf8')).version) },
  plugins: [jsonAsText, undiciConnections, commanderWithoutProcesses, lruCacheAlone],
  logLevel: 'warning',
  write: false,
});

/**
 * Gives each `require` a way to bind its variable, so that `load.cjs` can wait until something of the module is used. The
 * parts have no code that must run although nothing of it is used.
 */
function loadWhenUsed(code) {
  return code.replaceAll(/\bvar (import_\w+)=require\(("[^"]+")\);/g, (whole, variable, module) => {
    const count = (suffix) => code.match(new RegExp(`\\b${variable}\\b${suffix}`, 'g'))?.length ?? 0;
    // Beside this declaration only names of the module are used, never the module as a whole.
    const isByName = count('') === 1 + count('\\.');
    return isByName ? `var ${variable}=require(${module},found=>{${variable}=found});` : whole;
  });
}

/**
 * Exports the names of a part themselves and not a copy, which reads each name through a second function: V8 inlines the
 * first, but not one that all names of all parts have in common.
 */
function exportWithoutCopy(code) {
  return code.replace(
    /module\.exports=__toCommonJS\((\w+)\);/,
    (_, names) => `module.exports=__defProp(${names},"__esModule",{value:true});`,
  );
}

// Only ES modules can be split, and only scripts can start from compiled code: the parts are converted to CommonJS.
mkdirSync('dist/code', { recursive: true });
for (const { path, text } of outputFiles) {
  const { code, map } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    supported: { 'dynamic-import': false },
    minifyWhitespace: true,
    sourcemap: 'external',
    sourcefile: basename(path),
    define: { 'import.meta.url': '__moduleUrl' },
    ...(text.includes('import.meta.url')
      ? { banner: 'const __moduleUrl = require("node:url").pathToFileURL(__filename).href;' }
      : {}),
    logLevel: 'warning',
  });
  writeFileSync(path, `${loadWhenUsed(exportWithoutCopy(code))}//# sourceMappingURL=${basename(path)}.map\n`);
  writeFileSync(`${path}.map`, map);
}
await buildUi();
copyFileSync('scripts/load.cjs', 'dist/load.cjs');
for (const name of ['main', 'evaluation-worker', 'report-worker', 'liveness-worker', 'dashboard-worker'])
  writeFileSync(
    `dist/${name}.cjs`,
    `require('./load.cjs').start(require('node:path').join(__dirname, 'code', '${name}.cjs'));\n`,
  );
await keepCompiledCode();
