import { describe, expect, it } from 'vitest';
import { runCommand } from '../../test/support/run-command.ts';

describe('supercargo version', () => {
  it('shows this program without a cluster', async () => {
    const { code, stdout } = await runCommand(['version', '--client', '-o', 'json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      client: { version: '0.0.0', node: '', features: expect.arrayContaining(['admission', 'mirror']) },
    });
    expect((await runCommand(['version', '--client'])).stdout).toMatch(
      /^supercargo 0\.0\.0, Node \nfeatures: admission, /,
    );
  });

  it('shows this program and says that the cluster cannot be reached', async () => {
    const { code, stdout, stderr } = await runCommand(['version', '--kubeconfig', '/nonexistent']);
    expect(code).not.toBe(0);
    expect(stdout).toContain('features: ');
    expect(stderr).toMatch(/^supercargo: .*\/nonexistent/);
  });
});
