import { expect, it } from 'vitest';
import type { Session } from './session.ts';

export function defineDiscovering(session: Session): void {
  const { kubectl: k } = session;

  it('lists the resources and versions of the API', async () => {
    const resources = await k.ok('api-resources');
    expect(resources).toMatch(/^NAME +SHORTNAMES +APIVERSION +NAMESPACED +KIND$/m);
    expect(resources).toMatch(/^configmaps +cm +v1 +true +ConfigMap$/m);
    expect(resources).toMatch(/^deployments +deploy +apps\/v1 +true +Deployment$/m);
    expect(resources).toMatch(/^customresourcedefinitions +crd,crds +apiextensions\.k8s\.io\/v1 +false +/m);
    const listable = await k.ok('api-resources --verbs=list,watch --namespaced=false -o name');
    expect(listable).toContain('nodes\n');
    expect(listable).not.toContain('pods\n');
    expect(await k.ok('api-resources --api-group=batch -o wide --no-headers')).toMatch(
      /^cronjobs +cj +batch\/v1 +true +CronJob +create,delete,deletecollection,get,list,patch,update,watch +all\n/,
    );
    const versions = (await k.ok('api-versions')).trimEnd().split('\n');
    expect(versions).toEqual(expect.arrayContaining(['v1', 'apps/v1', 'batch/v1', 'rbac.authorization.k8s.io/v1']));
    expect(versions).toEqual([...versions].sort());
  });

  it('explains kinds and fields', async () => {
    const explained = await k.ok('explain deployment');
    expect(explained).toMatch(/^GROUP: +apps\nKIND: +Deployment\nVERSION: +v1\n\nDESCRIPTION:\n/);
    expect(explained).toMatch(/^ {2}spec\t<DeploymentSpec>$/m);
    const field = await k.ok('explain pod.spec.containers.imagePullPolicy');
    expect(field).toMatch(/^FIELD: imagePullPolicy <string>$/m);
    expect(field).toMatch(/ENUM:\n {4}Always\n {4}IfNotPresent\n {4}Never/);
    expect(await k.ok('explain configmap --recursive')).toMatch(
      /^ {2}metadata\t<ObjectMeta>\n {4}annotations\t<map\[string\]string>$/m,
    );
    expect(await k.fails('explain pod.spec.none')).toBe('error: field "none" does not exist\n');
  });

  it('prints the versions and the address of the control plane', async () => {
    const version = JSON.parse(await k.ok('version -o json')) as Readonly<
      Record<string, { readonly gitVersion: string }>
    >;
    expect(version['serverVersion']?.gitVersion).toMatch(/^v1\.36\.\d+/);
    expect(await k.ok('version')).not.toContain('WARNING');
    expect(await k.ok('cluster-info')).toContain(`is running at ${session.cluster.target.url}`);
  });

  it('prints the current user and its permissions', async () => {
    expect(await k.ok('auth whoami')).toMatch(/^Groups +\[system:masters system:authenticated\]$/m);
    expect(await k.ok('auth can-i create pods')).toBe('yes\n');
    expect(await k.ok('auth can-i delete nodes --as=jane')).toMatch(/^yes\n$/);
    expect(await k.ok('auth can-i --list')).toMatch(/^\*\.\* +\[\] +\[\] +\[\*\]$/m);
    expect(await k.ok('auth can-i get /metrics')).toBe('yes\n');
  });

  it('says that there are no metrics', async () => {
    expect(await k.fails('top nodes')).toBe('error: Metrics API not available\n');
    expect(await k.fails('top pods -A')).toBe('error: Metrics API not available\n');
  });

  it('refuses what needs a container that runs', async () => {
    const { apply, fails, ok } = await session.inNamespace();
    await apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'one' },
      spec: { containers: [{ name: 'm', image: 'i' }] },
    });
    await ok('wait --for=condition=Ready pod/one --timeout=60s');
    expect(await fails('exec one -- date')).toMatch(/^(error|Error from server).*\n$/);
    expect(await fails('port-forward pod/one 0:80')).toMatch(/error.*\n$/i);
  });
}
