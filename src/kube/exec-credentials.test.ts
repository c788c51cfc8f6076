import { describe, expect, it } from 'vitest';
import { type ExecPlugin, execCredentials, parseExecCredential } from './exec-credentials.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { failureOf } from './testing/server.ts';

const apiVersion = 'client.authentication.k8s.io/v1';

/** A plugin that runs the given JavaScript; `info` is its KUBERNETES_EXEC_INFO. */
function plugin(script: string, extra: Partial<ExecPlugin> = {}): ExecPlugin {
  return {
    apiVersion,
    command: process.execPath,
    args: ['-e', `const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO); ${script}`],
    env: [],
    provideClusterInfo: false,
    interactiveMode: 'Never',
    ...extra,
  };
}

const print = (status: string) =>
  `console.log(JSON.stringify({kind: 'ExecCredential', apiVersion: info.apiVersion, status: ${status}}))`;

const options = (clock = new ManualClock()) => ({ clock, env: { BASE: 'base' }, cluster: { server: 'https://x' } });

describe('execCredentials', () => {
  it('passes the environment to the plugin, and the cluster only on request', async () => {
    const script = print('{token: [process.env.BASE, process.env.OWN, JSON.stringify(info)].join("|")}');
    const env = [{ name: 'OWN', value: 'own $(id)' }];
    const plain = await execCredentials(plugin(script, { env }), options()).current();
    expect(plain.authorization).toBe(
      `Bearer base|own $(id)|{"apiVersion":"${apiVersion}","kind":"ExecCredential","spec":{"interactive":false}}`,
    );
    const withCluster = await execCredentials(plugin(script, { env, provideClusterInfo: true }), options()).current();
    expect(withCluster.authorization).toContain('"spec":{"cluster":{"server":"https://x"},"interactive":false}');
  });

  it('runs once for all waiting callers, and again after expiry or rejection', async () => {
    const clock = new ManualClock();
    const expiry = new Date(clock.now() + 60_000).toISOString();
    const source = execCredentials(
      plugin(print(`{token: String(process.pid), expirationTimestamp: '${expiry}'}`)),
      options(clock),
    );
    const [first, same] = await Promise.all([source.current(), source.current()]);
    expect(same).toBe(first);
    clock.advance(59_000);
    expect(await source.current()).toBe(first);
    clock.advance(2_000);
    const second = await source.current();
    expect(second.authorization).not.toBe(first?.authorization);
    const lasting = execCredentials(plugin(print('{token: String(process.pid)}')), options(clock));
    const before = await lasting.current();
    clock.advance(1e9);
    expect(await lasting.current()).toBe(before);
    expect(lasting.rejected(before)).toBe(true);
    expect((await lasting.current()).authorization).not.toBe(before.authorization);
  });

  it('reports how a plugin failed, without text that looks like a secret', async () => {
    const secret = 'x'.repeat(40);
    const failing = plugin(`console.error('log in first ${secret}'); process.exit(3)`, { installHint: 'get it there' });
    const error = await failureOf(Promise.resolve(execCredentials(failing, options()).current()));
    expect(error).toMatchObject({ code: 'kube-exec-failed', retry: 'backoff' });
    expect(error.message).toMatch(/exit status 3: log in first \[redacted\]; get it there$/);
    const missing = plugin('', { command: 'no-such-plugin-anywhere' });
    expect((await failureOf(Promise.resolve(execCredentials(missing, options()).current()))).message).toContain(
      'could not be started',
    );
  });

  it('requires a terminal when the plugin does', async () => {
    const source = execCredentials(plugin('', { interactiveMode: 'Always' }), options());
    expect(await failureOf(Promise.resolve(source.current()))).toMatchObject({ code: 'kube-exec-needs-terminal' });
  });
});

describe('parseExecCredential', () => {
  const parse = (value: unknown) =>
    parseExecCredential(typeof value === 'string' ? value : JSON.stringify(value), { apiVersion, command: 'p' });
  const credential = (status: unknown, version = apiVersion) => ({
    kind: 'ExecCredential',
    apiVersion: version,
    status,
  });

  it('reads a client certificate', () => {
    const status = { clientCertificateData: 'C', clientKeyData: 'K', expirationTimestamp: '2030-01-01T00:00:00Z' };
    expect(parse(credential(status))).toEqual({
      credentials: { authorization: undefined, certificate: 'C', key: 'K' },
      expiresAtMs: Date.parse('2030-01-01T00:00:00Z'),
    });
  });

  it.each([
    ['no JSON', 's3cret token'],
    ['another kind', { kind: 'Pod' }],
    ['another version', credential({ token: 's3cret' }, 'client.authentication.k8s.io/v1beta1')],
    ['no status', credential(undefined)],
    ['nothing in it', credential({})],
    ['half a certificate', credential({ clientKeyData: 's3cret' })],
    ['a bad expiry', credential({ token: 's3cret', expirationTimestamp: 'soon' })],
  ])('rejects %s and does not quote it', (_, value) => {
    let message = '';
    try {
      parse(value);
    } catch (thrown) {
      message = (thrown as Error).message;
    }
    expect(message).toContain('the credential plugin p');
    expect(message).not.toContain('s3cret');
  });
});
