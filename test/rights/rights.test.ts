/**
 * The rules of an installation are those that its program uses. Each feature runs with the account that `install` makes
 * for it and does all that it can, on an API server that notes what the account asks for. Every request must be allowed
 * by a rule, and every rule must be needed: with one right less — one verb on one resource, or on one name — some
 * request would be refused.
 *
 * What an administrator grants in addition is not checked, because only the configuration needs it: aggregated roles for
 * what policies generate, look up, report on and delete, and the Secrets that single namespaces open.
 */
import { describe, it } from 'vitest';
import { describeRight, uncovered, unneeded } from './access.ts';
import { record } from './cluster.ts';
import { exercises } from './exercises/index.ts';

describe('the rights of a feature alone', () => {
  for (const feature of Object.keys(exercises) as (keyof typeof exercises)[])
    it.concurrent(`are exactly those that ${feature} uses`, async ({ expect }) => {
      const { rights, grants, requests } = await record([feature]);
      expect({
        refused: uncovered([...rights, ...grants], requests).map(describeRight),
        unneeded: unneeded(rights, requests).map(describeRight),
      }).toEqual({ refused: [], unneeded: [] });
    });
});
