/**
 * Stands in for fast-check in all tests (see the vitest configurations): the same package with a fixed seed, so that a
 * change is tested only by what it changed. `npm run prove -- properties` looks for new counterexamples; SEED repeats one.
 */
import fc from '../../node_modules/fast-check/lib/fast-check.js';

const seed = process.env['SEED'];
const runs = process.env['PROPERTY_RUNS'];
fc.configureGlobal({
  seed: seed === undefined ? 20_260_101 : Number(seed),
  ...(runs === undefined ? {} : { numRuns: Number(runs) }),
});

export * from '../../node_modules/fast-check/lib/fast-check.js';
export default fc;
