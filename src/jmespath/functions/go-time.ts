/** A moment and the offset it is shown with. */
export interface GoTime {
  /** Nanoseconds since the Unix epoch. */
  readonly ns: bigint;
  /** Seconds east of UTC. */
  readonly offset: number;
}

const secondNs = 1_000_000_000n;
/** What a JavaScript date can show; some 275,000 years either way. */
const maxSeconds = 8_640_000_000_000n;

export function isInRange(time: GoTime): boolean {
  const seconds = floorDiv(time.ns, secondNs);
  return seconds < maxSeconds - 86_400n && seconds > -maxSeconds + 86_400n;
}

function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

/** The date and time of day as a clock at the time's own offset shows it. */
export function wallClock(time: GoTime): Date {
  return new Date(Number(floorDiv(time.ns, secondNs) + BigInt(time.offset)) * 1000);
}

/** RFC 3339 to the second. */
export function renderTime(time: GoTime): string {
  const wall = wallClock(time);
  const two = (n: number) => String(n).padStart(2, '0');
  const year = wall.getUTCFullYear();
  const date = `${year < 0 ? '-' : ''}${String(Math.abs(year)).padStart(4, '0')}-${two(wall.getUTCMonth() + 1)}-${two(wall.getUTCDate())}`;
  const clock = `${two(wall.getUTCHours())}:${two(wall.getUTCMinutes())}:${two(wall.getUTCSeconds())}`;
  if (time.offset === 0) return `${date}T${clock}Z`;
  const minutes = Math.trunc(Math.abs(time.offset) / 60);
  const zone = `${time.offset < 0 ? '-' : '+'}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`;
  return `${date}T${clock}${zone}`;
}

export function fromMilliseconds(ms: number): GoTime {
  return { ns: BigInt(Math.floor(ms * 1000)) * 1000n, offset: 0 };
}

// Go counts multiples of a duration from the year 1.
const yearOneNs = -62_135_596_800n * secondNs;

export function truncateTime(time: GoTime, duration: bigint): GoTime {
  if (duration <= 0n) return time;
  const since = time.ns - yearOneNs;
  return { ...time, ns: time.ns - (since - floorDiv(since, duration) * duration) };
}
