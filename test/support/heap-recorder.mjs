// Preloaded into a program under test (NODE_OPTIONS=--import=…): on SIGUSR2 it collects all garbage and writes what is
// left, in bytes, to the file that HEAP_FILE names. What is left does not depend on when V8 collects by itself.
import { renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const file = process.env.HEAP_FILE;

process.on('SIGUSR2', () => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  // Renamed, so that a reader never sees an incomplete number.
  writeFileSync(`${file}.new`, String(heapUsed + external));
  renameSync(`${file}.new`, file);
});
