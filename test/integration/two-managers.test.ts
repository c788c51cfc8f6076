import { describe } from 'vitest';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { defineTwoManagers } from './two-managers.ts';

describe('on the embedded cluster', () => defineTwoManagers(startEmbedded));
