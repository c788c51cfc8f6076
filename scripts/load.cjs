// Runs the built program with the code cache of its build, so that a start does not compile it again. V8 rejects a
// cache of another Node version; Node's own loader then runs the program without it.
'use strict';
const { readFileSync } = require('node:fs');
const { homedir } = require('node:os');
const { dirname, join, resolve } = require('node:path');
const { Script } = require('node:vm');

/** @type {Map<string, { readonly script: import('node:vm').Script, readonly module: { exports: object } }>} */
const loaded = new Map();

function compile(file) {
  let cachedData;
  try {
    cachedData = readFileSync(`${file}.cache`);
  } catch {
    // A command that the build did not run: its code is compiled now.
  }
  // The files are ASCII; Latin-1 is faster to read.
  const source = `(function (exports, require, module, __filename) {${readFileSync(file, 'latin1')}\n})`;
  return new Script(source, { filename: file, cachedData });
}

function run(file, script) {
  const module = { exports: {} };
  loaded.set(file, { script, module });
  const folder = dirname(file);
  const open = (name) => (name.startsWith('.') ? load(resolve(folder, name)) : require(name));
  const isOpen = (name) => name.startsWith('.') && loaded.has(resolve(folder, name));
  const requireFrom = (name, bind) =>
    bind === undefined || isOpen(name) ? open(name) : standIn(() => open(name), bind);
  script.runInThisContext()(module.exports, requireFrom, module, file);
  return module.exports;
}

const load = (file) => loaded.get(file)?.module.exports ?? run(file, compile(file));

// In place of a module until something of it is used: most commands use few of the modules that their parts name. Then the
// variable of the part is bound to the module itself.
function standIn(open, bind) {
  const get = (_, name) => {
    const found = open();
    bind(found);
    return found[name];
  };
  return new Proxy({}, { get });
}

exports.loaded = loaded;

exports.start = (file) => {
  const script = compile(file);
  if (script.cachedDataRejected !== true) return run(file, script);
  // Node's default is a folder in the temporary directory, where any user could place code.
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  require('node:module').enableCompileCache?.(join(cache, 'supercargo', 'compiled'));
  return require(file);
};
