import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { errorMessage, isJsonObject, logLevels, parseYaml, UsageError } from '../base/index.ts';
import { mappingNames } from '../image/index.ts';

/** The parts of the program that can be switched on and off. */
export const featureNames = [
  'admission',
  'generate',
  'mirror',
  'detect',
  'create',
  'report',
  'sync',
  'jobs',
  'dashboard',
] as const;
export type FeatureName = (typeof featureNames)[number];
/** The features that watch policies. */
export const policyFeatures: ReadonlySet<FeatureName> = new Set(['admission', 'generate', 'report']);

const duration = z.string().regex(/^\d+(ms|s|m|h)$/, 'must be a duration such as 15s');

const labelSelector = z.strictObject({
  matchLabels: z.record(z.string(), z.string()).optional(),
  matchExpressions: z
    .array(
      z.strictObject({
        key: z.string(),
        operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
        values: z.array(z.string()).optional(),
      }),
    )
    .optional(),
});

/** How the API server reaches our webhooks, and with which certificate. */
const webhook = z
  .strictObject({
    host: z.string().default('0.0.0.0'),
    port: z.int().min(0).max(65535).default(9443),
    /**
     * Through a Service of the cluster, or on this machine only: then the API server must run on it as well. A Service
     * is the default inside a pod; outside there is none.
     */
    exposure: z.enum(['service', 'loopback']).optional(),
    /** The address for the API server without a Service: `https://host:port`. */
    url: z.url({ protocol: /^https$/ }).optional(),
    service: z.strictObject({ name: z.string().optional(), port: z.int().default(443) }).prefault({}),
    tls: z
      .strictObject({
        /** A Secret in our namespace that cert-manager maintains; without it we issue our own certificate. */
        secretName: z.string().optional(),
        authorityDays: z.number().positive().default(365),
        certificateDays: z.number().positive().default(90),
        overlap: duration.default('1h'),
      })
      .prefault({}),
    /** CAs of the API server's client certificate: a file, or the PEM itself. See docs/admission.md. */
    clientCA: z.string().min(1).optional(),
    /** Allowed common names of that certificate; any certificate of these CAs by default. */
    clientNames: z.array(z.string().min(1)).default([]),
    /** Rejects reviews without a client certificate. */
    requireClientCertificate: z.boolean().default(false),
    /** In addition to our own conditions: the namespaces and objects that are sent to the webhooks. */
    namespaceSelector: labelSelector.optional(),
    objectSelector: labelSelector.optional(),
    /** True removes the webhooks from the cluster when the leader stops: for a program with a single replica. */
    removeOnStop: z.boolean().default(false),
    maxBodyBytes: z
      .int()
      .min(1 << 20)
      .max(64 << 20)
      .default(16 << 20),
  })
  .refine(
    (given) => given.clientCA !== undefined || (!given.requireClientCertificate && given.clientNames.length === 0),
    {
      path: ['clientCA'],
      message: 'must name the authorities where client certificates are required or named',
    },
  )
  .prefault({});

/** The copy of every image. BACKUP_REGISTRY in the environment sets the registry as well. */
const mirror = z
  .strictObject({
    /** `registry.example:5000/copies`; required if the feature is on. */
    registry: z.string().min(1).optional(),
    insecure: z.boolean().default(false),
    mapping: z.enum(mappingNames).default('path'),
    pin: z.enum(['tag', 'digest']).default('tag'),
    mode: z.enum(['auto', 'sync', 'async']).default('auto'),
    wait: duration.default('3s'),
    waitBytes: z.int().min(0).default(20_000_000),
    rewrite: z.enum(['workloads', 'pods']).default('workloads'),
    namespaceSelector: labelSelector.default({ matchLabels: { 'image-clone-controller': 'enabled' } }),
    failurePolicy: z.enum(['Fail', 'Ignore']).default('Ignore'),
    timeoutSeconds: z.int().min(1).max(30).default(10),
    /** Added to the pods whose images were replaced. */
    pullSecret: z.string().optional(),
    skipGitOps: z.boolean().default(true),
    /** Copies again when the tag of a source moved. */
    follow: z.boolean().default(false),
    recheck: duration.default('1h'),
    copiesAtOnce: z.int().min(1).max(32).default(4),
    /** The share of these for the images of one namespace; half of them by default. */
    copiesPerNamespace: z.int().min(1).max(32).optional(),
    /** Trusts every review to be the API server's, even without `webhook.clientCA`. */
    trustReviews: z.boolean().default(false),
    /** The maximum number of images that the workloads of one namespace may record. */
    maxImagesPerNamespace: z.int().min(1).default(1_000),
    /** After this time a record that no workload uses is deleted. */
    keepUnused: duration.default('24h'),
    /** Registries that use plain HTTP. */
    plainHttpRegistries: z.array(z.string()).default([]),
    /** Pull secrets in our own namespace, tried for every source after those of the workload. */
    sourceSecrets: z.array(z.string().min(1)).default([]),
    /** A file in the format of docker's config.json, tried after them. */
    dockerConfig: z.string().min(1).optional(),
  })
  .prefault({});

/** How one registry is reached, by its host as written in images (`registry.example:5000`). */
const registry = z
  .strictObject({
    host: z.string().min(1),
    /** PEM file of a private CA, trusted in addition to the public ones. */
    caFile: z.string().min(1).optional(),
    /** Plain HTTP. */
    plainHTTP: z.boolean().default(false),
    /** TLS with any certificate: encrypted, but not authenticated. Never falls back to plain HTTP. */
    insecureSkipVerify: z.boolean().default(false),
  })
  .refine(({ plainHTTP, insecureSkipVerify, caFile }) => !plainHTTP || (!insecureSkipVerify && caFile === undefined), {
    message: 'plainHTTP means no TLS: leave out caFile and insecureSkipVerify',
  });

/** The addresses that registries and realms named by tenants may have. Link-local and metadata addresses never. */
const network = z
  .strictObject({
    denyPrivate: z.boolean().default(false),
    allowLoopback: z.boolean().default(false),
    /** `host` or `host:port`, which may have any address. */
    allowedHosts: z.array(z.string().min(1)).default([]),
  })
  .prefault({});

/** From detected images to commits. */
const create = z
  .strictObject({
    /** Detections within this window share a commit. */
    batchWindow: duration.default('2s'),
    /** Host keys of Git servers, for Secrets without known_hosts. */
    knownHosts: z.string().optional(),
    /** Allows local paths as repositories: only where no other user writes templates. */
    allowLocalRepositories: z.boolean().default(false),
    /** The folder for clones of repositories; by default a folder in the temporary directory. */
    cacheDir: z.string().optional(),
    /** Allows Git servers on loopback addresses: only where no other user writes templates. */
    allowLoopback: z.boolean().default(false),
    /** Rejects Git servers on private addresses too. */
    denyPrivateAddresses: z.boolean().default(false),
    /** The maximum size of one clone; git is stopped when it grows larger. */
    maxRepositoryBytes: z
      .int()
      .min(1 << 20)
      .default(512 << 20),
    /** How large the copies of all repositories together may become; below the size of the volume they are on. */
    maxCacheBytes: z
      .int()
      .min(1 << 20)
      .default(1536 << 20),
  })
  .prefault({});

const schema = z.strictObject({
  /** The name on everything we create; two installations never touch each other's objects. */
  installation: z.string().min(1).max(63).default('supercargo'),
  namespace: z.string().min(1).max(63).optional(),
  features: z.array(z.enum(featureNames)).default([]),
  logLevel: z.enum(logLevels).default('info'),
  server: z
    .strictObject({ host: z.string().default('127.0.0.1'), port: z.int().min(0).max(65535).default(8080) })
    .prefault({}),
  policies: z
    .strictObject({
      /** The labels of our policies. By default all policies, but none if Kyverno itself runs. */
      selector: labelSelector.optional(),
      /**
       * Namespaces whose PolicyExceptions apply to every policy, `*` for all; others apply to policies in the same
       * namespace.
       */
      exceptionNamespaces: z.array(z.string().min(1)).default([]),
    })
    .prefault({}),
  webhook,
  admission: z
    .strictObject({
      /** Resources that are excluded from policies, as `[kind,namespace,name]`; replaces the defaults. */
      resourceFilters: z.array(z.string()).optional(),
      omitEvents: z
        .array(z.enum(['PolicyViolation', 'PolicyApplied', 'PolicyError', 'PolicySkipped']))
        .default(['PolicyApplied', 'PolicySkipped']),
    })
    .prefault({}),
  generate: z
    .strictObject({
      /** Trusts every review to be the API server's, even without `webhook.clientCA`. */
      trustReviews: z.boolean().default(false),
    })
    .prefault({}),
  report: z
    .strictObject({
      /** One report per policy and namespace; false for the old form, one report per namespace. */
      splitPolicyReport: z.boolean().default(true),
      /** How often everything is evaluated again, for changes that no watch reports. */
      rescanInterval: duration.default('1h'),
    })
    .prefault({}),
  /** What policies may look up outside of the request. */
  lookUps: z
    .strictObject({
      timeout: duration.default('5s'),
      maxResponseBytes: z
        .int()
        .min(1)
        .max(64 << 20)
        .default(8 << 20),
      /** Allows loopback, link-local and metadata addresses too. */
      allowAnyAddress: z.boolean().default(false),
      /** API server paths that ClusterPolicies may POST to in addition to the reviews, with `*` as a wildcard. */
      postPaths: z.array(z.string().startsWith('/')).default([]),
      /** Namespaces whose policies may call services; `*` for all. */
      serviceCallNamespaces: z.array(z.string().min(1)).default([]),
    })
    .prefault({}),
  network,
  registries: z.array(registry).default([]),
  mirror,
  create,
  leaderElection: z
    .strictObject({
      enabled: z.boolean().default(true),
      leaseDuration: duration.default('15s'),
      renewDeadline: duration.default('10s'),
      retryPeriod: duration.default('2s'),
    })
    .prefault({}),
});

export type Config = z.infer<typeof schema>;

/** A configuration with these settings and defaults for all others. */
export function configOf(settings: z.input<typeof schema>): Config {
  return schema.parse(settings);
}

/** Reads a configuration file, or the defaults; one message names all errors. */
export function loadConfig(
  path: string | undefined,
  overrides: { readonly features?: readonly string[] | undefined } = {},
): Config {
  const value = path === undefined ? {} : readConfig(path);
  const merged = overrides.features === undefined ? value : { ...(value as object), features: overrides.features };
  const result = schema.safeParse(merged);
  if (result.success) return result.data;
  const mistakes = result.error.issues.map((issue) => `${issue.path.join('.') || 'the file'}: ${issue.message}`);
  throw new UsageError('config-invalid', `${path ?? 'the options'}: ${mistakes.join('; ')}`);
}

function readConfig(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (thrown) {
    throw new UsageError('config-unreadable', `cannot read ${path}: ${errorMessage(thrown)}`);
  }
  const value = parseYaml(text, { file: path }) ?? {};
  if (!isJsonObject(value)) throw new UsageError('config-invalid', `${path}: a configuration is a map of settings`);
  return value;
}
