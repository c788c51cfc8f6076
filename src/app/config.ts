import { z } from 'zod';
import { logFormats, logLevels } from '../base/index.ts';
import { dashboard } from './config-dashboard.ts';
import { create, mirror, network, registries } from './config-images.ts';
import { duration, labelSelector } from './config-values.ts';
import { webhook } from './config-webhook.ts';

/** The parts of the program that can be switched on and off. */
const featureNames = [
  'admission',
  'generate',
  'mirror',
  'detect',
  'create',
  'report',
  'cleanup',
  'sync',
  'jobs',
  'dashboard',
] as const;
export type FeatureName = (typeof featureNames)[number];
/** The features that watch policies. */
export const policyFeatures: ReadonlySet<FeatureName> = new Set(['admission', 'generate', 'report', 'cleanup']);

const server = z
  .strictObject({
    host: z.string().default('127.0.0.1').describe('The address on which it listens; 0.0.0.0 in a pod.'),
    port: z.int().min(0).max(65535).default(8080).describe('Its port; 0 takes a free one.'),
  })
  .prefault({})
  .describe('The status server: /healthz, /readyz and /metrics.');

const policies = z
  .strictObject({
    selector: labelSelector.optional().meta({
      description:
        'The labels of the policies that are ours. By default all policies, but none if Kyverno itself runs in the cluster.',
      examples: [{ matchLabels: { 'supercargo.dev/engine': 'supercargo' } }],
    }),
    exceptionNamespaces: z
      .array(z.string().min(1))
      .default([])
      .meta({
        description:
          'Namespaces whose PolicyExceptions apply to every policy, `*` for all. Others apply to policies in the same namespace.',
        examples: [['platform-exceptions']],
      }),
  })
  .prefault({})
  .describe('Which policies and exceptions count.');

const admission = z
  .strictObject({
    resourceFilters: z
      .array(z.string())
      .optional()
      .meta({
        description:
          'Resources that no policy is evaluated for, as `[kind,namespace,name]`. Replaces the defaults: see [admission](../admission.md).',
        examples: [['[Event,*,*]', '[*,kube-system,*]']],
      }),
    omitEvents: z
      .array(z.enum(['PolicyViolation', 'PolicyApplied', 'PolicyError', 'PolicySkipped']))
      .default(['PolicyApplied', 'PolicySkipped'])
      .describe('Events that are not written.'),
  })
  .prefault({})
  .describe('Policies as admission webhooks: feature admission. See [admission](../admission.md).');

const generate = z
  .strictObject({
    trustReviews: z
      .boolean()
      .default(false)
      .describe("Treats every review as the API server's, even without `webhook.clientCA`."),
  })
  .prefault({})
  .describe('Objects that policies generate: feature generate. See [generate](../generate.md).');

const report = z
  .strictObject({
    splitPolicyReport: z
      .boolean()
      .default(true)
      .describe('One report for each policy and namespace; false writes one for each namespace.'),
    rescanInterval: duration
      .default('1h')
      .describe('How often everything is evaluated again, for changes that no watch reports.'),
    checkpointDir: z
      .string()
      .min(1)
      .optional()
      .meta({
        description:
          'The folder for results that a restart takes over for unchanged objects. By default a folder of its own in the temporary directory. Nobody else may write to it.',
        examples: ['/var/lib/supercargo/reports'],
      }),
  })
  .prefault({})
  .describe('Policy reports: feature report. See [reports](../reports.md).');

const cleanup = z
  .strictObject({
    maxDeletions: z.int().min(1).max(100_000).default(1_000).describe('How many objects one run of a policy deletes.'),
    timeout: duration.default('10m').describe('How long one run of a policy may take.'),
    startingDeadline: duration.optional().meta({
      description:
        'How long after its time a missed run is made up for. By default at any time; of several missed runs one is.',
      examples: ['1h'],
    }),
    namespacedResources: z
      .array(z.string().min(1))
      .default([])
      .meta({
        description:
          'Resources that NamespacedDeletingPolicies may delete in their namespace, as `pods` or `jobs.batch`; `*` matches any characters.',
        examples: [['pods', 'jobs.batch']],
      }),
  })
  .prefault({})
  .describe('Objects that policies delete at certain times: feature cleanup. See [cleanup](../cleanup.md).');

const lookUps = z
  .strictObject({
    timeout: duration.default('5s').describe('How long one look-up may take.'),
    maxResponseBytes: z
      .int()
      .min(1)
      .max(64 << 20)
      .default(8 << 20)
      .describe('The largest response that is read.'),
    allowAnyAddress: z
      .boolean()
      .default(false)
      .describe('Allows service calls to loopback, link-local and metadata addresses too.'),
    httpPrivateAddresses: z
      .boolean()
      .default(false)
      .describe(
        'Allows `http.Get`, `http.Post` and `http.Client` of CEL expressions to call private addresses, such as services of the cluster.',
      ),
    postPaths: z
      .array(z.string().startsWith('/'))
      .default([])
      .meta({
        description:
          'API server paths that ClusterPolicies may POST to in addition to the access reviews, `*` as a wildcard.',
        examples: [['/apis/example.com/v1/checks']],
      }),
    serviceCallNamespaces: z
      .array(z.string().min(1))
      .default([])
      .meta({ description: 'Namespaces whose policies may call services, `*` for all.', examples: [['platform']] }),
    globalContextNamespaces: z
      .array(z.string().min(1))
      .default([])
      .meta({
        description: 'Namespaces whose policies may read GlobalContextEntries, `*` for all.',
        examples: [['platform']],
      }),
  })
  .prefault({})
  .describe('What policies may look up outside of the request.');

const leaderElection = z
  .strictObject({
    enabled: z.boolean().default(true).describe('False for a single replica that needs no Lease.'),
    leaseDuration: duration.default('15s').describe('After this time without renewal another replica takes over.'),
    renewDeadline: duration.default('10s').describe('A leader that cannot renew for this long stops its work.'),
    retryPeriod: duration.default('2s').describe('How often a replica tries to win or renew.'),
  })
  .prefault({})
  .describe('The election of a leader for each feature, by a Lease.');

/** Every setting: its type, default, meaning and, where the default shows none, an example. */
export const configSchema = z.strictObject({
  installation: z
    .string()
    .min(1)
    .max(63)
    .default('supercargo')
    .describe("The name on everything the program creates. Two installations never touch each other's objects."),
  namespace: z
    .string()
    .min(1)
    .max(63)
    .optional()
    .meta({
      description: 'The namespace of the program; by default that of its pod, or of the kubeconfig.',
      examples: ['supercargo'],
    }),
  features: z
    .array(z.enum(featureNames))
    .default([])
    .meta({
      description: 'The parts of the program that run.',
      examples: [['admission', 'generate', 'report', 'mirror']],
    }),
  logLevel: z.enum(logLevels).default('info').describe('The lowest level that is logged.'),
  logFormat: z.enum(logFormats).default('json').describe('Log lines for programs (`json`) or for people (`text`).'),
  server,
  policies,
  webhook,
  admission,
  generate,
  report,
  cleanup,
  lookUps,
  network,
  registries,
  mirror,
  create,
  dashboard,
  leaderElection,
});

export type Config = z.infer<typeof configSchema>;

/** A configuration with these settings and defaults for all others. */
export function configOf(settings: z.input<typeof configSchema>): Config {
  return configSchema.parse(settings);
}
