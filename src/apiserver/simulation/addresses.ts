/** Allocates pod addresses from 10.244.0.0/16 and beyond. An address in use is never allocated again. */
interface AddressPool {
  take(): string;
  /** For addresses of pods that exist when the simulation starts. */
  reserve(address: string): void;
  release(address: string): void;
}

// 10.244.0.0 to 10.255.255.255: more than any cluster that fits in memory.
const first = (10 << 24) | (244 << 16);
const size = 12 << 16;

export function createAddressPool(): AddressPool {
  const used = new Set<string>();
  let next = 1;
  return {
    take() {
      for (let tries = 0; tries < size; tries++) {
        const offset = next;
        next = (next + 1) % size;
        const last = offset & 0xff;
        if (last === 0 || last === 0xff) continue;
        const address = render(first + offset);
        if (used.has(address)) continue;
        used.add(address);
        return address;
      }
      return render(first + 1);
    },
    reserve: (address) => void used.add(address),
    release: (address) => void used.delete(address),
  };
}

const render = (value: number) => [value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff].join('.');
