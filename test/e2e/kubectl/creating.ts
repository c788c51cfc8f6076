import { expect, it } from 'vitest';
import { configMap, cronJob } from './objects.ts';
import { eventuallyOk, type Session } from './session.ts';

export function defineCreating(session: Session): void {
  it('creates from a file once and refuses the second time', async () => {
    const k = await session.inNamespace();
    const file = k.file('c.json', configMap('c'));
    expect(await k.ok(['create', '-f', file])).toBe('configmap/c created\n');
    expect(await k.fails(['create', '-f', file])).toBe(
      `Error from server (AlreadyExists): error when creating "${file}": configmaps "c" already exists\n`,
    );
    const generated = { ...configMap('x'), metadata: { generateName: 'many-' } };
    expect(await k.ok('create -f -', { input: generated })).toMatch(/^configmap\/many-[a-z0-9]{5} created\n$/);
  });

  it('creates a deployment that runs', async () => {
    const k = await session.inNamespace();
    expect(await k.ok('create deployment web --image=nginx:1.28 --replicas=2 --port=80')).toBe(
      'deployment.apps/web created\n',
    );
    expect(await k.ok('rollout status deploy/web --timeout=60s')).toMatch(
      /deployment "web" successfully rolled out\n$/,
    );
    expect(await k.ok('get deploy web -o jsonpath={.spec.replicas}/{..containerPort}')).toBe('2/80');
    expect(await k.ok('expose deployment web --port=80 --target-port=8080')).toBe('service/web exposed\n');
    expect(await k.ok('get svc web')).toMatch(/\nweb +ClusterIP +10\.96\.\d+\.\d+ +<none> +80\/TCP /);
    expect(await k.ok('autoscale deployment web --min=1 --max=3 --cpu=80%')).toBe(
      'horizontalpodautoscaler.autoscaling/web autoscaled\n',
    );
  });

  it('creates config maps and secrets from literals and files', async () => {
    const k = await session.inNamespace();
    const file = k.file('app.conf', 'a=1\n');
    expect(await k.ok(['create', 'configmap', 'c', '--from-literal=k=v', `--from-file=${file}`])).toBe(
      'configmap/c created\n',
    );
    expect((await k.json('get cm c')).data).toEqual({ k: 'v', 'app.conf': 'a=1\n' });
    expect(await k.ok('create secret generic s --from-literal=password=hush')).toBe('secret/s created\n');
    expect((await k.json('get secret s')).data).toEqual({ password: Buffer.from('hush').toString('base64') });
    await k.ok('create secret docker-registry r --docker-server=r.test --docker-username=u --docker-password=p');
    expect(await k.ok('get secrets')).toMatch(/\nr +kubernetes\.io\/dockerconfigjson +1 .*\ns +Opaque +1 /);
  });

  it('creates namespaces, accounts, roles and their bindings', async () => {
    const k = await session.inNamespace();
    const other = session.unique('made');
    expect(await k.ok(`create namespace ${other}`)).toBe(`namespace/${other} created\n`);
    expect(await k.ok('create serviceaccount robot')).toBe('serviceaccount/robot created\n');
    expect(await k.ok('create role reader --verb=get --verb=list --resource=pods,deployments.apps')).toBe(
      'role.rbac.authorization.k8s.io/reader created\n',
    );
    const spaced = `${k.namespace}:robot`;
    expect(await k.ok(`create rolebinding b --role=reader --serviceaccount=${spaced}`)).toBe(
      'rolebinding.rbac.authorization.k8s.io/b created\n',
    );
    const cluster = session.unique('wide');
    await k.ok(`create clusterrole ${cluster} --verb=* --resource=nodes --non-resource-url=/metrics`);
    await k.ok(`create clusterrolebinding ${cluster} --clusterrole=${cluster} --group=admins`);
    expect(await k.ok(`get clusterrolebinding ${cluster} -o wide`)).toMatch(
      new RegExp(`ClusterRole/${cluster} .*admins`),
    );
    const token = (await k.ok('create token robot')).trim();
    expect(await k.ok(['auth', 'whoami', `--token=${token}`, '-o', 'jsonpath={.status.userInfo.username}'])).toBe(
      `system:serviceaccount:${spaced}`,
    );
  });

  it('creates quotas, budgets, priorities, services and ingresses', async () => {
    const k = await session.inNamespace();
    expect(await k.ok('create quota q --hard=pods=5,cpu=2')).toBe('resourcequota/q created\n');
    expect(await k.ok('create pdb p --selector=app=web --min-available=1')).toBe(
      'poddisruptionbudget.policy/p created\n',
    );
    const priority = session.unique('high');
    expect(await k.ok(`create priorityclass ${priority} --value=1000`)).toContain('created');
    expect(await k.ok('create service nodeport n --tcp=80:8080')).toBe('service/n created\n');
    expect(await k.ok('get svc n')).toMatch(/\nn +NodePort +10\.96\.\d+\.\d+ +<none> +80:3\d{4}\/TCP /);
    expect(await k.ok(['create', 'ingress', 'i', '--rule=web.test/*=n:80'])).toBe(
      'ingress.networking.k8s.io/i created\n',
    );
    expect(await k.ok('describe ingress i')).toMatch(/web\.test *\n *\/ +n:80/);
  });

  it('creates jobs and cron jobs, and a job from a cron job', async () => {
    const k = await session.inNamespace();
    expect(await k.ok(['create', 'cronjob', 'yearly', '--image=busybox', '--schedule=0 0 1 1 *', '--', 'date'])).toBe(
      'cronjob.batch/yearly created\n',
    );
    expect(await k.ok('get cronjob')).toMatch(/\nyearly +0 0 1 1 \* +<none> +False +0 +<none> +\d+s\n$/);
    expect(await k.ok('create job now --from=cronjob/yearly')).toBe('job.batch/now created\n');
    await k.ok('create job once --image=busybox -- true');
    await k.ok('wait --for=condition=Complete job/now job/once --timeout=60s');
    const now = await k.json('get job now');
    expect(now.metadata.annotations).toMatchObject({ 'cronjob.kubernetes.io/instantiate': 'manual' });
    expect(now.metadata['ownerReferences']).toMatchObject([{ kind: 'CronJob', name: 'yearly' }]);
  });

  it('runs a single pod', async () => {
    const k = await session.inNamespace();
    expect(await k.ok('run one --image=nginx:1.29 --labels=app=x --env=A=1')).toBe('pod/one created\n');
    await eventuallyOk(k, 'get pod one', /\none +1\/1 +Running /);
  });

  it('creates nothing in a dry run and prints what it would have created', async () => {
    const k = await session.inNamespace();
    expect(await k.ok('create deployment web --image=nginx --dry-run=client -o yaml')).toContain('image: nginx\n');
    const tried = await k.ok('create deployment web --image=nginx --dry-run=server -o jsonpath={.metadata.uid}');
    expect(tried).toMatch(/^[0-9a-f-]{36}$/);
    expect(await k.run('get deploy')).toMatchObject({ stderr: `No resources found in ${k.namespace} namespace.\n` });
  });

  it('replaces an object, and creates it anew when forced', async () => {
    const k = await session.inNamespace();
    await k.ok('create -f -', { input: configMap('c', { a: '1' }, { labels: { x: '1' } }) });
    const { uid } = (await k.json('get cm c')).metadata;
    expect(await k.ok('replace -f -', { input: configMap('c', { b: '2' }) })).toBe('configmap/c replaced\n');
    const replaced = await k.json('get cm c');
    expect(replaced).toMatchObject({ data: { b: '2' }, metadata: { uid } });
    expect(replaced.metadata.labels).toBeUndefined();
    expect(replaced.data).toEqual({ b: '2' });
    expect(await k.ok('replace --force -f -', { input: configMap('c') })).toMatch(
      /deleted.*\nconfigmap\/c replaced\n$/,
    );
    expect((await k.json('get cm c')).metadata.uid).not.toBe(uid);
    expect(await k.fails('replace -f -', { input: configMap('none') })).toMatch(
      /^Error from server \(NotFound\): error when replacing "STDIN": configmaps "none" not found\n$/,
    );
    await k.apply(cronJob('yearly'));
    const stale = { ...configMap('c'), metadata: { name: 'c', resourceVersion: '1' } };
    expect(await k.fails('replace -f -', { input: stale })).toContain(
      'Operation cannot be fulfilled on configmaps "c": the object has been modified',
    );
  });
}
