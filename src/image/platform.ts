import { ImageError, quote } from './errors.ts';

/** The platform of an image, as in OCI and Docker manifests. */
export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string | undefined;
  readonly osVersion?: string | undefined;
}

const operatingSystems = new Set(
  'aix android darwin dragonfly freebsd hurd illumos ios js linux netbsd openbsd plan9 solaris wasip1 windows zos'.split(
    ' ',
  ),
);
const architectures = new Set(
  '386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x sparc64 wasm'.split(' '),
);

/** The spelling in registries: `x86_64` is amd64, `aarch64` is arm64, `armhf` is arm/v7, arm64's v8 is omitted. */
function normalizePlatform(platform: Platform): Platform {
  const os = platform.os.toLowerCase() === 'macos' ? 'darwin' : platform.os.toLowerCase();
  const { architecture, variant } = normalizeArchitecture(
    platform.architecture.toLowerCase(),
    platform.variant?.toLowerCase() ?? '',
  );
  return {
    os,
    architecture,
    ...(variant === '' ? {} : { variant }),
    ...(platform.osVersion === undefined || platform.osVersion === '' ? {} : { osVersion: platform.osVersion }),
  };
}

function normalizeArchitecture(architecture: string, variant: string): { architecture: string; variant: string } {
  switch (architecture) {
    case 'i386':
      return { architecture: '386', variant: '' };
    case 'x86_64':
    case 'x86-64':
    case 'amd64':
      return { architecture: 'amd64', variant: variant === 'v1' ? '' : variant };
    case 'aarch64':
    case 'arm64':
      return { architecture: 'arm64', variant: variant === '8' || variant === 'v8' ? '' : withV(variant) };
    case 'armhf':
      return { architecture: 'arm', variant: 'v7' };
    case 'armel':
      return { architecture: 'arm', variant: 'v6' };
    case 'arm':
      return { architecture, variant: withV(variant) };
    case 'rv64':
      return { architecture: 'riscv64', variant };
    default:
      return { architecture, variant };
  }
}

const withV = (variant: string) => (/^\d/.test(variant) ? `v${variant}` : variant);

/** Parses `linux/arm64`, `linux/arm/v7`, `windows(10.0.17763)/amd64`, or one word: an architecture, for Linux. */
export function parsePlatform(text: string): Platform {
  const refuse = (why: string) => new ImageError('image-platform-invalid', `${quote(text)} is no platform: ${why}`);
  const parts = text.split('/');
  if (parts.length > 3 || parts.some((part) => !/^[A-Za-z0-9_.-]+(?:\([A-Za-z0-9_.-]+\))?$/.test(part)))
    throw refuse('write os/architecture or os/architecture/variant, as in linux/arm64');
  const [first = '', second, variant] = parts;
  const [, os = '', osVersion] = /^([^(]+)(?:\((.+)\))?$/.exec(first) ?? [];
  if (second === undefined) {
    const { architecture } = normalizePlatform({ os: 'linux', architecture: first });
    if (!architectures.has(architecture)) throw refuse('name the architecture too, as in linux/amd64');
    return normalizePlatform({ os: 'linux', architecture: first });
  }
  const platform = normalizePlatform({ os, architecture: second, variant, osVersion });
  if (!operatingSystems.has(platform.os)) throw refuse(`there is no operating system ${quote(os)}`);
  if (!architectures.has(platform.architecture)) throw refuse(`there is no architecture ${quote(second)}`);
  return platform;
}

export function renderPlatform({ os, architecture, variant, osVersion }: Platform): string {
  return `${os}${osVersion ? `(${osVersion})` : ''}/${architecture}${variant ? `/${variant}` : ''}`;
}

/** True when `offered` satisfies `wanted`; a variant or version that `wanted` does not set may have any value. */
export function isPlatformOffered(wanted: Platform, offered: Platform): boolean {
  const want = normalizePlatform(wanted);
  const have = normalizePlatform(offered);
  return (
    want.os === have.os &&
    want.architecture === have.architecture &&
    (want.variant === undefined || want.variant === (have.variant ?? defaultVariant(have))) &&
    (want.osVersion === undefined || isVersionWithin(want.osVersion, have.osVersion))
  );
}

/** An arm image without a variant is v7, as in containerd. */
const defaultVariant = ({ architecture }: Platform) => (architecture === 'arm' ? 'v7' : undefined);

/** `10.0.17763` includes `10.0.17763.1879`. */
function isVersionWithin(wanted: string, have: string | undefined): boolean {
  return have === wanted || have?.startsWith(`${wanted}.`) === true;
}
