// Runs the built program with these arguments, and at its end stores the code that was compiled. With KEEP=new only of parts
// that have none yet: the code of short commands does not grow by what others use of the same parts.
'use strict';
const { existsSync, writeFileSync } = require('node:fs');
const { loaded } = require('../dist/load.cjs');

process.on('exit', () => {
  for (const [file, { script }] of loaded)
    if (process.env.KEEP !== 'new' || !existsSync(`${file}.cache`))
      writeFileSync(`${file}.cache`, script.createCachedData());
});
require('../dist/main.cjs');
