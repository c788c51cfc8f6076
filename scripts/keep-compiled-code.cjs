// Runs the built program with these arguments, and at its end stores the code that was compiled.
'use strict';
const { writeFileSync } = require('node:fs');
const { loaded } = require('../dist/load.cjs');

process.on('exit', () => {
  for (const [file, { script }] of loaded) writeFileSync(`${file}.cache`, script.createCachedData());
});
require('../dist/main.cjs');
