import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { errorCode, errorMessage } from '../base/index.ts';
import { type Candidate, startCandidate } from './testing/candidate.ts';
import { type CallResult, createLeaseServer } from './testing/lease-server.ts';
import { createMachineClock } from './testing/machine-clock.ts';

/** Largest error of a clock rate; the times in use allow for a fifth. */
const rateError = 0.05;
const slowest = 1 - rateError;

interface Machine {
  readonly rate: number;
  readonly wallOffsetMs: number;
  readonly stopMs: number;
  readonly latencyMs: number;
}

type Fault =
  | { readonly kind: 'freeze' | 'kill' | 'restart'; readonly forMs: number; readonly machine: number }
  | { readonly kind: 'network'; readonly callResult: CallResult; readonly forMs: number; readonly machine: number }
  | { readonly kind: 'calm'; readonly forMs: number };

const machines = fc.array(
  fc.record<Machine>({
    rate: fc.double({ min: 1 - rateError, max: 1 + rateError, noNaN: true }),
    wallOffsetMs: fc.integer({ min: -1e9, max: 1e9 }),
    stopMs: fc.integer({ min: 0, max: 3_000 }),
    latencyMs: fc.integer({ min: 0, max: 800 }),
  }),
  { minLength: 2, maxLength: 3 },
);
const forMs = fc.integer({ min: 50, max: 25_000 });
const machine = fc.nat(2);
const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ kind: fc.constantFrom('freeze' as const, 'kill' as const, 'restart' as const), forMs, machine }),
  fc.record({
    kind: fc.constant('network' as const),
    callResult: fc.constantFrom<CallResult>('refused', 'answer-lost', 'hanging'),
    forMs,
    machine,
  }),
  fc.record({ kind: fc.constant('calm' as const), forMs }),
);

/** Runs the candidates on their machines, and records a violation when two work at the same time. */
function createSimulation(specs: readonly Machine[], seed: number) {
  const clock = createFakeClock(1e12);
  const server = createLeaseServer(clock);
  const violations: string[] = [];
  let starts = 0;
  let randomState = seed;
  const random = () => {
    randomState = (Math.imul(randomState, 1_664_525) + 1_013_904_223) >>> 0;
    return randomState / 2 ** 32;
  };
  const all: Candidate[] = [];
  const check = () => {
    // A frozen machine does nothing. Whether it does harm after it thaws is checked then.
    const awake = all.filter((one) => one.isAlive && !one.clock.isFrozen);
    const inEffect = awake.filter((one) => one.isWorking && (one.election.isLeading() || !thawing.has(one)));
    if (inEffect.length > 1)
      violations.push(`${clock.monotonicMs()}: ${inEffect.map((one) => one.identity).join(', ')}`);
    const leading = awake.filter((one) => one.election.isLeading());
    if (leading.length > 1) violations.push(`${clock.monotonicMs()}: ${leading.map((one) => one.identity).join(', ')}`);
  };
  const thawing = new Set<Candidate>();
  const boot = (spec: Machine, index: number): Candidate => {
    const candidate = startCandidate({
      identity: `m${index}-${all.length}`,
      server,
      clock: createMachineClock(clock, spec),
      stopMs: spec.stopMs,
      random,
      onStart: () => {
        starts++;
        check();
      },
    });
    candidate.link.latencyMs = spec.latencyMs;
    candidate.done.catch((error: unknown) => {
      // A machine that froze while its work was stopping is late when it thaws: the process must exit, and is started
      // again.
      if (errorCode(error) !== 'controller-leadership-overrun') violations.push(errorMessage(error));
      candidate.kill();
      if (current[index] === candidate) current[index] = boot(spec, index);
    });
    all.push(candidate);
    return candidate;
  };
  const current = specs.map(boot);
  return {
    clock,
    server,
    violations,
    check,
    current,
    get starts() {
      return starts;
    },
    reboot: (index: number) => {
      current[index] = boot(specs[index]!, index);
    },
    async thaw(candidate: Candidate) {
      if (!candidate.isAlive) return;
      thawing.add(candidate);
      candidate.clock.thaw();
      check();
      // Work that was active when the machine froze ends within its own stop time.
      clock.after(3_000 / slowest, () => thawing.delete(candidate));
    },
    leader: () => current.find((one) => one.isAlive && !one.clock.isFrozen && one.election.isLeading()),
  };
}

async function inject(simulation: ReturnType<typeof createSimulation>, fault: Fault): Promise<void> {
  const { clock, current, check } = simulation;
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 500) {
      await clock.advance(Math.min(500, left));
      check();
    }
  };
  if (fault.kind === 'calm') return pass(fault.forMs);
  const index = fault.machine % current.length;
  const target = current[index]!;
  if (fault.kind === 'freeze') {
    target.clock.freeze();
    await pass(fault.forMs);
    await simulation.thaw(target);
  } else if (fault.kind === 'kill') {
    target.kill();
    await pass(fault.forMs);
    simulation.reboot(index);
  } else if (fault.kind === 'restart') {
    target.stop();
    await pass(fault.forMs);
    simulation.reboot(index);
  } else if (fault.kind === 'network') {
    target.link.callResult = fault.callResult;
    await pass(fault.forMs);
    target.link.callResult = 'answered';
  }
}

it('never lets two lead at once, and always elects a leader again, through freezes, crashes and lost responses', async () => {
  let totalStarts = 0;
  await fc.assert(
    fc.asyncProperty(
      machines,
      fc.array(fault, { minLength: 1, maxLength: 12 }),
      fc.nat(),
      async (specs, faults, seed) => {
        const simulation = createSimulation(specs, seed);
        for (const one of faults) await inject(simulation, one);
        expect(simulation.violations).toEqual([]);
        // A hanging call ends after 5 s. Then one retry until the last renewal is seen, one lease duration, and seven
        // one-way trips of at most 800 ms.
        await inject(simulation, { kind: 'calm', forMs: (5_000 + 15_000 + 2_400) / slowest + 7 * 800 });
        expect(simulation.violations).toEqual([]);
        expect(simulation.leader()?.isWorking).toBe(true);
        totalStarts += simulation.starts;
      },
    ),
    { numRuns: 120 },
  );
  expect(totalStarts).toBeGreaterThan(120);
});

it('replaces a crashed leader within the lease duration, one retry and the calls for it', async () => {
  await fc.assert(
    fc.asyncProperty(machines, fc.integer({ min: 0, max: 60_000 }), fc.nat(), async (specs, atMs, seed) => {
      const simulation = createSimulation(specs, seed);
      await simulation.clock.advance(5_000 + atMs);
      const leader = simulation.leader();
      leader?.kill();
      await simulation.clock.advance((15_000 + 2_400) / slowest + 7 * 800);
      expect(leader).toBeDefined();
      expect(simulation.leader()).toBeDefined();
      expect(simulation.leader()).not.toBe(leader);
    }),
    { numRuns: 100 },
  );
});
