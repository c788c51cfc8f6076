import { z } from 'zod';
import { mappingNames } from '../image/index.ts';
import { duration, labelSelector, megabytes } from './config-values.ts';

/** The copy of every image. */
export const mirror = z
  .strictObject({
    registry: z
      .string()
      .min(1)
      .optional()
      .meta({
        description: 'The backup registry, with a path if wanted. Required if the feature mirror is on.',
        examples: ['registry.example:5000/copies'],
      }),
    insecure: z.boolean().default(false).describe('The backup registry uses plain HTTP.'),
    mapping: z
      .enum(mappingNames)
      .default('path')
      .describe('How copies are named; `flat` for registries that allow two levels. See [images](../images.md).'),
    pin: z
      .enum(['tag', 'digest'])
      .default('tag')
      .describe('What is written into workloads: `name:tag`, or `name:tag@digest`.'),
    mode: z
      .enum(['auto', 'sync', 'async'])
      .default('auto')
      .describe(
        'What admission does with an image without a copy. `auto` waits for small ones, `sync` always waits, `async` never does: the workload is rewritten once the copy is there.',
      ),
    wait: duration.default('3s').describe('How long `auto` waits; at most one second less than `timeoutSeconds`.'),
    waitBytes: z
      .int()
      .min(0)
      .default(20_000_000)
      .describe('How many bytes may be missing in the backup registry for `auto` to wait.'),
    rewrite: z
      .enum(['workloads', 'pods'])
      .default('workloads')
      .describe('Whether workloads are rewritten, or the pods they create.'),
    namespaceSelector: labelSelector
      .default({ matchLabels: { 'image-clone-controller': 'enabled' } })
      .describe('The namespaces whose images are copied. Never kube-system and our own.'),
    failurePolicy: z
      .enum(['Fail', 'Ignore'])
      .default('Ignore')
      .describe('What the API server does with a workload while no replica answers.'),
    timeoutSeconds: z.int().min(1).max(30).default(10).describe('The timeout of the webhook.'),
    pullSecret: z
      .string()
      .optional()
      .meta({
        description: 'A pull secret for the backup registry, added to the pods whose images are replaced.',
        examples: ['backup-registry'],
      }),
    skipGitOps: z
      .boolean()
      .default(true)
      .describe(
        'Leaves workloads that Flux or Argo CD track alone in the background: they are rewritten at admission only.',
      ),
    follow: z.boolean().default(false).describe('Copies again when the tag of a source moves.'),
    recheck: duration.default('1h').describe('How often copies and their sources are checked.'),
    copiesAtOnce: z.int().min(1).max(32).default(4).describe('How many images are copied at the same time.'),
    copiesPerNamespace: z
      .int()
      .min(1)
      .max(32)
      .optional()
      .meta({
        description: 'How many of these may be for the workloads of one namespace; by default half of `copiesAtOnce`.',
        examples: [2],
      }),
    trustReviews: z
      .boolean()
      .default(false)
      .describe("Treats every review as the API server's, even without `webhook.clientCA`."),
    maxImagesPerNamespace: z
      .int()
      .min(1)
      .default(1_000)
      .describe('How many images the workloads of one namespace may record.'),
    keepUnused: duration
      .default('24h')
      .describe('How long a MirroredImage stays that no workload uses. The copy stays in the registry.'),
    plainHttpRegistries: z
      .array(z.string())
      .default([])
      .meta({ description: 'Source registries that use plain HTTP.', examples: [['registry.internal:5000']] }),
    sourceSecrets: z
      .array(z.string().min(1))
      .default([])
      .meta({
        description: 'Pull secrets in our namespace, tried for every source after those of the workload.',
        examples: [['ghcr-read']],
      }),
    dockerConfig: z
      .string()
      .min(1)
      .optional()
      .meta({
        description: "A file in the format of docker's config.json, tried after all pull secrets.",
        examples: ['/etc/supercargo/docker/config.json'],
      }),
  })
  .prefault({})
  .describe('The copy of every image in a backup registry: feature mirror. See [mirroring](../mirroring.md).');

const registry = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .meta({ description: 'The host as images name it.', examples: ['registry.example:5000'] }),
    caFile: z
      .string()
      .min(1)
      .optional()
      .meta({
        description: 'A PEM file with private CAs, trusted in addition to the public ones.',
        examples: ['/etc/supercargo/registry-ca.pem'],
      }),
    plainHTTP: z.boolean().default(false).describe('Plain HTTP: neither encrypted nor authenticated.'),
    insecureSkipVerify: z
      .boolean()
      .default(false)
      .describe('TLS with any certificate: encrypted, not authenticated. Never falls back to plain HTTP.'),
  })
  .refine(({ plainHTTP, insecureSkipVerify, caFile }) => !plainHTTP || (!insecureSkipVerify && caFile === undefined), {
    message: 'plainHTTP means no TLS: leave out caFile and insecureSkipVerify',
  });

/** How single registries are reached. */
export const registries = z
  .array(registry)
  .default([])
  .meta({
    description: 'How single registries are reached. All others: HTTPS with a public CA.',
    examples: [[{ host: 'registry.example:5000', caFile: '/etc/supercargo/registry-ca.pem' }]],
  });

/** The addresses that registries and realms named by tenants may have. */
export const network = z
  .strictObject({
    denyPrivate: z.boolean().default(false).describe('Refuses private addresses (10.0.0.0/8 and the like) too.'),
    allowLoopback: z.boolean().default(false).describe('Allows loopback addresses.'),
    allowedHosts: z
      .array(z.string().min(1))
      .default([])
      .meta({
        description: '`host` or `host:port` that may have any address.',
        examples: [['registry.internal:5000']],
      }),
  })
  .prefault({})
  .describe(
    'The addresses that registries named by workloads and policies may have. Link-local and metadata addresses are always refused.',
  );

/** From detected images to commits. */
export const create = z
  .strictObject({
    batchWindow: duration.default('2s').describe('Detections within this window share a commit.'),
    knownHosts: z
      .string()
      .optional()
      .meta({
        description: 'Host keys of Git servers, for Secrets without known_hosts.',
        examples: ['git.example ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleExampleExampleExampleExampleExampleExam'],
      }),
    allowLocalRepositories: z
      .boolean()
      .default(false)
      .describe('Allows local paths as repositories. Only where no other user writes templates.'),
    cacheDir: z
      .string()
      .optional()
      .meta({
        description: 'The folder for clones of repositories; by default one in the temporary directory.',
        examples: ['/var/cache/supercargo'],
      }),
    allowLoopback: z
      .boolean()
      .default(false)
      .describe('Allows Git servers on loopback addresses. Only where no other user writes templates.'),
    denyPrivateAddresses: z.boolean().default(false).describe('Refuses Git servers on private addresses too.'),
    maxRepositoryBytes: megabytes
      .default(512 << 20)
      .describe('The largest clone of one repository; git is stopped when it grows larger.'),
    maxCacheBytes: megabytes
      .default(1536 << 20)
      .describe('The largest size of all clones together; less than the volume they are on.'),
  })
  .prefault({})
  .describe('From a detected image to a commit: feature create. See [detection](../detection.md).');
