import { z } from 'zod';
import { duration, labelSelector } from './config-values.ts';

const service = z
  .strictObject({
    name: z
      .string()
      .optional()
      .meta({
        description: 'The Service in front of the webhooks; by default `<installation>-webhook`.',
        examples: ['supercargo-webhook'],
      }),
    port: z.int().default(443).describe('The port of that Service.'),
  })
  .prefault({})
  .describe('The Service through which the API server reaches the webhooks.');

const tls = z
  .strictObject({
    secretName: z
      .string()
      .optional()
      .meta({
        description:
          'A Secret of type kubernetes.io/tls in our namespace that cert-manager maintains. Without it the program issues and rotates its own certificate.',
        examples: ['supercargo-webhook-tls'],
      }),
    authorityDays: z.number().positive().default(365).describe('How many days our own CA is valid.'),
    certificateDays: z.number().positive().default(90).describe('How many days our own serving certificate is valid.'),
    overlap: duration.default('1h').describe('How long an old and a new CA are both trusted when the CA is replaced.'),
  })
  .prefault({})
  .describe('The serving certificate of the webhooks.');

/** How the API server reaches our webhooks, and with which certificate. */
export const webhook = z
  .strictObject({
    host: z.string().default('0.0.0.0').describe('The address on which the webhook server listens.'),
    port: z.int().min(0).max(65535).default(9443).describe('Its port; 0 takes a free one.'),
    exposure: z
      .enum(['service', 'loopback'])
      .optional()
      .meta({
        description:
          'How the API server reaches the webhooks: through a Service of the cluster, or on this machine only (then the API server must run on it too). In a pod the default is service; outside a pod there is none.',
        examples: ['service'],
      }),
    url: z
      .url({ protocol: /^https$/ })
      .optional()
      .meta({
        description: 'The address of the webhooks for an API server that reaches them without a Service.',
        examples: ['https://supercargo.example:9443'],
      }),
    service,
    tls,
    clientCA: z
      .string()
      .min(1)
      .optional()
      .meta({
        description:
          "The CAs that sign the API server's client certificate: a file in the pod, or the PEM itself. See [admission](../admission.md).",
        examples: ['/etc/supercargo/client-ca.pem'],
      }),
    clientNames: z
      .array(z.string().min(1))
      .default([])
      .meta({
        description: 'Common names that the client certificate may have; by default any that these CAs signed.',
        examples: [['kube-apiserver']],
      }),
    requireClientCertificate: z
      .boolean()
      .default(false)
      .describe('Rejects reviews that come without a client certificate. Needs `webhook.clientCA`.'),
    namespaceSelector: labelSelector.optional().meta({
      description:
        'Only objects in namespaces with these labels are sent to the webhooks, in addition to our own conditions.',
      examples: [{ matchLabels: { supercargo: 'enabled' } }],
    }),
    objectSelector: labelSelector.optional().meta({
      description: 'Only objects with these labels are sent to the webhooks, in addition to our own conditions.',
      examples: [{ matchExpressions: [{ key: 'supercargo.dev/skip', operator: 'DoesNotExist' }] }],
    }),
    removeOnStop: z
      .boolean()
      .optional()
      .meta({
        description:
          'Removes the webhooks from the cluster when the leader stops. By default outside a pod; in a pod a restart must not leave requests unchecked.',
        examples: [false],
      }),
    shutdownDelay: duration.optional().meta({
      description:
        'How long reviews are still answered after the signal to end, until the API server sends them to other replicas. By default 5s in a pod, else 0s.',
      examples: ['10s'],
    }),
    maxBodyBytes: z
      .int()
      .min(1 << 20)
      .max(64 << 20)
      .default(16 << 20)
      .describe('The largest review that is read.'),
  })
  .refine(
    (given) => given.clientCA !== undefined || (!given.requireClientCertificate && given.clientNames.length === 0),
    {
      path: ['clientCA'],
      message: 'must name the authorities where client certificates are required or named',
    },
  )
  .prefault({})
  .describe('How the API server reaches the webhooks, and with which certificate.');
