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
import { defaultParts } from '../../src/app/install-parts.ts';
import { describeRight, uncovered, unneeded, widest } from './access.ts';
import { record } from './cluster.ts';
import { home } from './exercise.ts';
import { type Exercised, exercises } from './exercises/index.ts';
import { isRefused } from './exercises/insights.ts';

/** Only a failure takes as long: each waits for conditions that have limits of their own. */
const timeout = 600_000;
const all = Object.keys(exercises) as readonly Exercised[];

describe('the rights of a feature alone', () => {
  for (const feature of all)
    it.concurrent(`are exactly those that ${feature} uses`, { timeout }, async ({ expect }) => {
      const { rights, grants, requests } = await record([feature]);
      expect({
        refused: uncovered([...rights, ...grants], requests).map(describeRight),
        unneeded: unneeded(rights, requests).map(describeRight),
      }).toEqual({ refused: [], unneeded: [] });
    });

  it.concurrent('are exactly those that mirror uses with a certificate of the user', async ({ expect }) => {
    const { rights, grants, requests } = await record(['mirror'], 'given');
    expect({
      refused: uncovered([...rights, ...grants], requests).map(describeRight),
      unneeded: unneeded(rights, requests).map(describeRight),
      secrets: rights.filter(({ name }) => name === 'given').map(describeRight),
    }).toEqual({
      refused: [],
      unneeded: [],
      secrets: [`list secrets #given @${home}`, `watch secrets #given @${home}`],
    });
  });
});

/**
 * A right may include one of another feature. That one is needed where the feature runs alone, as are the rights to
 * policies that admission refuses.
 */
describe('the rights of several features in one process', () => {
  const several = defaultParts.filter(({ features }) => features.length > 1);
  for (const { name, features } of [...several, { name: 'all features', features: all }])
    it.concurrent(`are exactly those that ${name} use`, { timeout }, async ({ expect }) => {
      const { rights, grants, requests } = await record(features);
      expect({
        refused: uncovered([...rights, ...grants], requests).map(describeRight),
        unneeded: unneeded(widest(rights), requests)
          .filter(({ resource }) => !isRefused({ features }, resource))
          .map(describeRight),
      }).toEqual({ refused: [], unneeded: [] });
    });
});
