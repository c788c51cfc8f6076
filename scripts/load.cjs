// Runs the built program with the compiled code that its build kept, so that a start does not compile it again.
// Where that code is not of this very Node (V8 says so itself), Node's own loader takes the program as it is.
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
    // A command that the build did not run first: its code is compiled now.
  }
  // The files are ASCII, and Latin-1 is the quicker way to read that.
  const source = `(function (exports, require, module, __filename) {${readFileSync(file, 'latin1')}\n})`;
  return new Script(source, { filename: file, cachedData });
}

function run(file, script) {
  const module = { exports: {} };
  loaded.set(file, { script, module });
  const folder = dirname(file);
  const requireFrom = (name) => (name.startsWith('.') ? load(resolve(folder, name)) : require(name));
  script.runInThisContext()(module.exports, requireFrom, module, file);
  return module.exports;
}

const load = (file) => loaded.get(file)?.module.exports ?? run(file, compile(file));

exports.loaded = loaded;

exports.start = (file) => {
  const script = compile(file);
  if (script.cachedDataRejected !== true) return run(file, script);
  // Node's own default is a folder in the temporary one, where any user could leave code for us.
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  require('node:module').enableCompileCache?.(join(cache, 'supercargo', 'compiled'));
  return require(file);
};
