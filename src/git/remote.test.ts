import { describe, expect, test } from 'vitest';
import { renderIdentity, renderMessage } from './message.ts';
import { checkRemote, type GitAuth } from './remote.ts';

const pem = '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n';
const ssh: GitAuth = { kind: 'ssh', privateKey: pem, knownHosts: 'h ssh-ed25519 AAAA' };
const token: GitAuth = { kind: 'token', token: 'ghp_abcdef' };

describe('an address', () => {
  test.each<[string, GitAuth | undefined]>([
    ['https://example.com/org/r.git', token],
    ['https://example.com/org/r.git', undefined],
    ['http://127.0.0.1:3000/r.git', token],
    ['ssh://git@example.com:22/org/r.git', ssh],
    ['ssh://git@[::1]:22/org/r.git', ssh],
    ['git@example.com:org/r.git', ssh],
    ['/srv/r.git', undefined],
    ['file:///srv/r.git', undefined],
  ])('%s is accepted', (url, auth) => {
    expect(checkRemote({ url, branch: 'main', ...(auth ? { auth } : {}) }).url).toBe(url);
  });

  test.each<[string, GitAuth | undefined, string]>([
    ['', undefined, 'empty'],
    ['--upload-pack=touch x', undefined, 'spaces'],
    ['--upload-pack=x', undefined, 'may not be given to git'],
    ['ext::sh', undefined, 'may not be given to git'],
    ['https://user:pw@example.com/r', undefined, 'contains credentials'],
    ['https://tok@example.com/r', undefined, 'contains credentials'],
    ['http://example.com/r', token, 'in clear'],
    ['https://example.com/r', ssh, 'no ssh address'],
    ['git@example.com:r', token, 'ssh address'],
    ['ssh://git@example.com/r', undefined, 'ssh address'],
    ['ftp://example.com/r', undefined, 'must begin with'],
    ['relative/path', undefined, 'must begin with'],
    ['/srv/r.git', token, 'takes no credentials'],
  ])('%j is refused', (url, auth, why) => {
    expect(() => checkRemote({ url, branch: 'main', ...(auth ? { auth } : {}) })).toThrow(why);
  });

  test.each([
    '',
    '-x',
    'a b',
    'a..b',
    'a~1',
    'a:b',
    '/a',
    'a/',
    'a.lock',
    '.a',
    'a/.b',
    '@',
    'a@{1}',
    'a\nb',
    'x'.repeat(300),
  ])('the branch %j is refused', (branch) => {
    expect(() => checkRemote({ url: '/r', branch })).toThrow('is not the name of a branch');
  });
});

describe('credentials', () => {
  test.each<[GitAuth, string]>([
    [{ kind: 'token', token: '' }, 'git-settings-invalid'],
    [{ kind: 'token', token: 'a\nHost: x' }, 'git-settings-invalid'],
    [{ kind: 'basic', username: 'a:b', password: 'x' }, 'git-settings-invalid'],
  ])('%j are refused', (auth, code) => {
    expect(() => checkRemote({ url: 'https://h/r', branch: 'main', auth })).toThrow(expect.objectContaining({ code }));
  });

  test('an ssh key needs known_hosts, and has to be one', () => {
    const remote = { url: 'git@h:r', branch: 'main' };
    expect(() => checkRemote({ ...remote, auth: { ...ssh, knownHosts: ' ' } })).toThrow(
      expect.objectContaining({ code: 'git-host-key-unknown' }),
    );
    expect(() => checkRemote({ ...remote, auth: { ...ssh, privateKey: 'x' } })).toThrow('not a private key');
  });

  test('are masked in every message and in every encoding', () => {
    const { redact } = checkRemote({
      url: 'https://h/r',
      branch: 'main',
      auth: { kind: 'basic', username: 'bob', password: 'p@ss word' },
    });
    const said = `p@ss word ${encodeURIComponent('p@ss word')} ${Buffer.from('bob:p@ss word').toString('base64')} https://bob:zz@h/`;
    expect(redact(said)).toBe('*** *** *** https://***@h/');
    expect(checkRemote({ url: 'git@h:r', branch: 'main', auth: ssh }).redact(pem)).not.toContain('PRIVATE KEY');
  });
});

describe('a commit message', () => {
  test('ends with its trailers', () => {
    expect(renderMessage('a\r\nb\n', [])).toBe('a\nb\n');
    expect(renderMessage('a', [{ key: 'X-Y', value: ' z ' }])).toBe('a\n\nX-Y: z\n');
  });

  test.each([
    ['', []],
    ['a', [{ key: 'bad key', value: 'x' }]],
    ['a', [{ key: 'K', value: 'x\nOther: y' }]],
    ['a'.repeat(70_000), []],
  ])('%j with %j is refused', (message, trailers) => {
    expect(() => renderMessage(message, trailers)).toThrow(expect.objectContaining({ code: 'git-settings-invalid' }));
  });

  test('an author without a name is refused', () => {
    expect(() => renderIdentity({ name: '', email: 'a@b' }, 0)).toThrow('needs a name');
    expect(() => renderIdentity({ name: 'a <b>', email: 'a@b' }, 0)).toThrow('needs a name');
    expect(renderIdentity({ name: 'A', email: 'a@b' }, 1999)).toBe('A <a@b> 1 +0000');
  });
});
