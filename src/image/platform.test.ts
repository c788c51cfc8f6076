import { describe, expect, it } from 'vitest';
import { isPlatformOffered, parsePlatform, renderPlatform } from './platform.ts';

const normal = (text: string) => renderPlatform(parsePlatform(text));

describe('a platform', () => {
  it.each([
    ['linux/amd64', 'linux/amd64'],
    ['linux/x86_64', 'linux/amd64'],
    ['amd64', 'linux/amd64'],
    ['aarch64', 'linux/arm64'],
    ['linux/arm64/v8', 'linux/arm64'],
    ['Linux/ARM/7', 'linux/arm/v7'],
    ['linux/armhf', 'linux/arm/v7'],
    ['linux/armel', 'linux/arm/v6'],
    ['linux/i386', 'linux/386'],
    ['macos/arm64', 'darwin/arm64'],
    ['windows(10.0.17763)/amd64', 'windows(10.0.17763)/amd64'],
  ])('%s is %s', (text, form) => expect(normal(text)).toBe(form));

  it.each(['', 'linux', 'linux/', 'linux/amd64/v1/x', 'linnux/amd64', 'linux/amd46', 'linux amd64'])(
    'rejects %j',
    (text) => expect(() => parsePlatform(text)).toThrow('is no platform'),
  );

  it('is offered by an image of that platform, with any value for fields that are not set', () => {
    const offered = (wanted: string, os: string, architecture: string, variant?: string, osVersion?: string) =>
      isPlatformOffered(parsePlatform(wanted), { os, architecture, variant, osVersion });
    expect(offered('linux/arm', 'linux', 'arm', 'v6')).toBe(true);
    expect(offered('linux/arm/v7', 'linux', 'arm', 'v6')).toBe(false);
    expect(offered('linux/arm/v7', 'linux', 'arm')).toBe(true);
    expect(offered('linux/arm64', 'linux', 'arm64', 'v8')).toBe(true);
    expect(offered('linux/amd64', 'linux', 'arm64')).toBe(false);
    expect(offered('windows(10.0.17763)/amd64', 'windows', 'amd64', undefined, '10.0.17763.1879')).toBe(true);
    expect(offered('windows(10.0.17763)/amd64', 'windows', 'amd64', undefined, '10.0.177631')).toBe(false);
    expect(offered('windows/amd64', 'windows', 'amd64', undefined, '10.0.1')).toBe(true);
  });
});
