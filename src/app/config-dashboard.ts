import { z } from 'zod';
import { parseAddressRange } from '../base/index.ts';

const file = (description: string, example: string) =>
  z
    .string()
    .min(1)
    .meta({ description, examples: [example] });

const tls = z
  .strictObject({
    certificateFile: file('The certificate with its chain, in PEM.', '/var/run/supercargo/dashboard-tls/tls.crt'),
    keyFile: file('The key of the certificate, in PEM.', '/var/run/supercargo/dashboard-tls/tls.key'),
  })
  .optional()
  .describe(
    'Serves the page over TLS 1.2 or later. The files are read again every 15 s: a changed certificate is used without a restart. Without it the page is plain HTTP, for loopback and for a proxy in front.',
  );

/** The page of images and its API. */
export const dashboard = z
  .strictObject({
    host: z.string().default('127.0.0.1').describe('The address on which it listens; 0.0.0.0 in a pod.'),
    port: z.int().min(0).max(65535).default(8090).describe('Its port; 0 takes a free one.'),
    hosts: z
      .array(z.string().min(1))
      .default([])
      .meta({
        description: 'Host headers that are answered, without port; any if there are none.',
        examples: [['images.example.com']],
      }),
    trustedProxies: z
      .array(
        z
          .string()
          .refine(
            (text) => parseAddressRange(text) !== undefined,
            'must be an IP address or a range such as 10.0.0.0/8',
          ),
      )
      .default([])
      .meta({
        description:
          'Addresses of proxies in front, such as those of an ingress controller, or ranges of them. X-Forwarded-For is read from these alone: then each client behind them has its own share of requests, not all of them one.',
        examples: [['10.0.0.0/8']],
      }),
    tls,
  })
  .prefault({})
  .describe('The page of images and its API: feature dashboard. See [dashboard](../dashboard.md).');
