import { z } from 'zod';

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
  })
  .prefault({})
  .describe('The page of images and its API: feature dashboard. See [dashboard](../dashboard.md).');
