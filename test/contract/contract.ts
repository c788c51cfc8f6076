/**
 * What an API server does, as one suite that runs against the embedded cluster and against a real one: whatever both
 * pass is no invention of ours. Every behaviour here was seen on the real server first.
 */
import { describe } from 'vitest';
import { defineApply } from './apply.ts';
import { defineCrd } from './crd.ts';
import { defineCrdRules } from './crd-rules.ts';
import { defineCrdSchemas } from './crd-schema.ts';
import { defineCrud } from './crud.ts';
import { defineDefaults } from './defaults.ts';
import { defineDiscovery } from './discovery.ts';
import { defineDryRun } from './dry-run.ts';
import { defineErrors } from './errors.ts';
import { defineEvents } from './events.ts';
import { defineFinalizersAndGarbage } from './finalizers-gc.ts';
import { createFixture, type Target } from './fixture.ts';
import { defineHistory } from './history.ts';
import { defineLists } from './list.ts';
import { defineMatchConditions } from './match-conditions.ts';
import { defineMutatingPolicies } from './mutating-policies.ts';
import { defineNamespaces } from './namespaces.ts';
import { defineOpenApi } from './openapi.ts';
import { definePatch } from './patch.ts';
import { definePolicies } from './policies.ts';
import { definePolicyValidation } from './policy-validation.ts';
import { defineReviews } from './reviews.ts';
import { defineScale } from './scale.ts';
import { defineSelectors } from './selectors.ts';
import { defineStatus } from './status.ts';
import { defineTables } from './table.ts';
import { defineTypeChecking } from './type-checking.ts';
import { defineValidation } from './validation.ts';
import { defineWatches } from './watch.ts';
import { defineWebhookFailures } from './webhook-failures.ts';
import { defineWebhookRules } from './webhook-rules.ts';
import { defineWebhooks } from './webhooks.ts';

export interface ContractTarget {
  readonly name: string;
  /** Starts an API server with its controllers: garbage collection, namespaces, default accounts, Deployments. */
  start(): Promise<Target>;
}

const areas = {
  discovery: defineDiscovery,
  openapi: defineOpenApi,
  'create, read, update, delete': defineCrud,
  'names and bodies that do not fit': defineErrors,
  validation: defineValidation,
  defaults: defineDefaults,
  lists: defineLists,
  watches: defineWatches,
  history: defineHistory,
  selectors: defineSelectors,
  patches: definePatch,
  'server-side apply': defineApply,
  'status and generation': defineStatus,
  scale: defineScale,
  'custom resources': defineCrd,
  'schemas of custom resources': defineCrdSchemas,
  'rules of custom resources': defineCrdRules,
  tables: defineTables,
  'dry run': defineDryRun,
  'finalizers and garbage collection': defineFinalizersAndGarbage,
  namespaces: defineNamespaces,
  'admission webhooks': defineWebhooks,
  'which requests webhooks see': defineWebhookRules,
  'webhooks that refuse or fail': defineWebhookFailures,
  'match conditions of webhooks': defineMatchConditions,
  'admission policies': definePolicies,
  'admission policies that are refused': definePolicyValidation,
  'types in admission policies': defineTypeChecking,
  'mutating admission policies': defineMutatingPolicies,
  events: defineEvents,
  reviews: defineReviews,
};

export function defineContract({ name, start }: ContractTarget): void {
  describe(name, () => {
    const fixture = createFixture(start);
    for (const [area, define] of Object.entries(areas)) describe.concurrent(area, () => define(fixture));
  });
}
