import { describe, expect, it } from 'vitest';
import { templateData } from './template-data.ts';

const gitRepository = { url: 'https://robot:secret@git.example/org/manifests.git' };
const of = (fullImageName: string, more: object = {}, variables?: Readonly<Record<string, string>>) =>
  templateData(
    { imageName: 'webapp-frontend', imageTag: 'v1.2.3', imageDigest: 'sha256:abc', fullImageName, ...more },
    { gitRepository, ...(variables ? { variables } : {}) },
  );

describe('the data of a template', () => {
  it('split an ECR image', () => {
    expect(of('123456789012.dkr.ecr.us-east-1.amazonaws.com/webapp/frontend:v1.2.3', { tagPrefix: 'dev' })).toEqual({
      ServiceName: 'frontend',
      Namespace: 'webapp',
      ImageName: 'webapp-frontend',
      ImageTag: 'v1.2.3',
      ImageDigest: 'sha256:abc',
      FullImageName: '123456789012.dkr.ecr.us-east-1.amazonaws.com/webapp/frontend:v1.2.3',
      ImageRepository: '123456789012.dkr.ecr.us-east-1.amazonaws.com/webapp/frontend',
      RepositoryName: 'webapp/frontend',
      Registry: '123456789012.dkr.ecr.us-east-1.amazonaws.com',
      Region: 'us-east-1',
      AccountID: '123456789012',
      K8sCompatibleName: 'webapp-frontend',
      TagPrefix: 'dev',
      GitRepoURL: 'https://git.example/org/manifests.git',
      Variables: {},
    });
  });

  it.each([
    ['123456789012.dkr.ecr.cn-north-1.amazonaws.com.cn/a:1', '123456789012', 'cn-north-1'],
    ['123456789012.dkr.ecr-fips.us-gov-west-1.amazonaws.com/a:1', '123456789012', 'us-gov-west-1'],
    ['123456789012.dkr-ecr.eu-west-1.on.aws/a:1', '123456789012', 'eu-west-1'],
    ['ghcr.io/a/b:1', '', ''],
    ['evil.example/123456789012.dkr.ecr.us-east-1.amazonaws.com:1', '', ''],
  ])('of %s name the account %j and the region %j', (image, account, region) => {
    const { AccountID, Region } = of(image);
    expect([AccountID, Region]).toEqual([account, region]);
  });

  it('name the parts of a path of any depth, or none', () => {
    expect(of('r.example:5000/a/b/c:1')).toMatchObject({
      ServiceName: 'c',
      Namespace: 'a/b',
      RepositoryName: 'a/b/c',
      Registry: 'r.example:5000',
    });
    expect(of('r.example/only:1')).toMatchObject({ ServiceName: 'only', Namespace: '', RepositoryName: 'only' });
    expect(of('docker.io/nginx:1')).toMatchObject({ RepositoryName: 'nginx', ImageRepository: 'docker.io/nginx' });
    expect(of(`r.example/${'lo-'.repeat(30)}name:1`)['K8sCompatibleName']).toHaveLength(62);
  });

  it('contain every variable twice, and no variable overrides a built-in', () => {
    const data = of('r.example/a/b:1', {}, { namespace: 'production', team: 'blue', ImageTag: 'mine' });
    expect(data).toMatchObject({ Namespace: 'production', team: 'blue', ImageTag: 'v1.2.3' });
    expect(data.Variables).toEqual({ namespace: 'production', team: 'blue', ImageTag: 'mine' });
  });

  it('reject an invalid image', () => {
    expect(() => of('NOT AN IMAGE')).toThrow(expect.objectContaining({ code: 'create-image-invalid' }));
  });
});
