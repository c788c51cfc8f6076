import { Registry } from 'prom-client';
import { type ControllerMetrics, createControllerMetrics } from '../../src/controller/index.ts';

/** Metrics of a registry that nobody reads. */
export const unreadMetrics = (): ControllerMetrics => createControllerMetrics(new Registry());
