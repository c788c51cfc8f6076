import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { errorCode, errorMessage } from '../base/index.ts';
import { type Candidate, startCandidate } from './testing/candidate.ts';
import { createLeaseServer, type Fate } from './testing/lease-server.ts';
import { createMachineClock } from './testing/machine-clock.ts';

/** How far clock rates may be off; the times in use allow for a fifth. */
const rateError = 0.05;
const slowest = 1 - rateError;

interface Machine {
  readonly rate: number;
  readonly wallOffsetMs: number;
  readonly stopMs: number;
  readonly latencyMs: number;
}

type Blow =
  | { readonly kind: 'freeze' | 'kill' | 'restart'; readonly forMs: number; readonly machine: number }
  | { readonly kind: 'fate'; readonly fate: Fate; readonly forMs: number; readonly machine: number }
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
const blow: fc.Arbitrary<Blow> = fc.oneof(
  fc.record({ kind: fc.constantFrom('freeze' as const, 'kill' as const, 'restart' as const), forMs, machine }),
  fc.record({
    kind: fc.constant('fate' as const),
    fate: fc.constantFrom<Fate>('refused', 'answer-lost', 'hanging'),
    forMs,
    machine,
  }),
  fc.record({ kind: fc.constant('calm' as const), forMs }),
);

/** Runs the candidates on their machines, and fails the moment two are at work together. */
function createWorld(specs: readonly Machine[], seed: number) {
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
    // A frozen machine does nothing; whether it wakes up to do harm is checked when it wakes.
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
      // A machine that froze while its work was ending finds itself late: the process must exit, and is started again.
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
      // Work that was under way when the machine froze ends within its own stop time.
      clock.after(3_000 / slowest, () => thawing.delete(candidate));
    },
    leader: () => current.find((one) => one.isAlive && !one.clock.isFrozen && one.election.isLeading()),
  };
}

async function strike(world: ReturnType<typeof createWorld>, blow: Blow): Promise<void> {
  const { clock, current, check } = world;
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 500) {
      await clock.advance(Math.min(500, left));
      check();
    }
  };
  if (blow.kind === 'calm') return pass(blow.forMs);
  const index = blow.machine % current.length;
  const victim = current[index]!;
  if (blow.kind === 'freeze') {
    victim.clock.freeze();
    await pass(blow.forMs);
    await world.thaw(victim);
  } else if (blow.kind === 'kill') {
    victim.kill();
    await pass(blow.forMs);
    world.reboot(index);
  } else if (blow.kind === 'restart') {
    victim.stop();
    await pass(blow.forMs);
    world.reboot(index);
  } else if (blow.kind === 'fate') {
    victim.link.fate = blow.fate;
    await pass(blow.forMs);
    victim.link.fate = 'answered';
  }
}

it('never lets two lead at once, and always finds a leader again, through freezes, deaths and lost answers', async () => {
  let totalStarts = 0;
  await fc.assert(
    fc.asyncProperty(
      machines,
      fc.array(blow, { minLength: 1, maxLength: 12 }),
      fc.nat(),
      async (specs, blows, seed) => {
        const world = createWorld(specs, seed);
        for (const one of blows) await strike(world, one);
        expect(world.violations).toEqual([]);
        // A call that hangs is given up after 5 s; then one retry until the last renewal is seen, one lease, and seven ways of at most 800 ms.
        await strike(world, { kind: 'calm', forMs: (5_000 + 15_000 + 2_400) / slowest + 7 * 800 });
        expect(world.violations).toEqual([]);
        expect(world.leader()?.isWorking).toBe(true);
        totalStarts += world.starts;
      },
    ),
    { numRuns: 120 },
  );
  expect(totalStarts).toBeGreaterThan(120);
});

it('replaces a leader that died within the lease time, one retry and the calls for it', async () => {
  await fc.assert(
    fc.asyncProperty(machines, fc.integer({ min: 0, max: 60_000 }), fc.nat(), async (specs, atMs, seed) => {
      const world = createWorld(specs, seed);
      await world.clock.advance(5_000 + atMs);
      const leader = world.leader();
      leader?.kill();
      await world.clock.advance((15_000 + 2_400) / slowest + 7 * 800);
      expect(leader).toBeDefined();
      expect(world.leader()).toBeDefined();
      expect(world.leader()).not.toBe(leader);
    }),
    { numRuns: 100 },
  );
});
