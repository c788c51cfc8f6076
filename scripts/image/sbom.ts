import type { Architecture, ImageLock } from './lock.ts';

export const sbomMediaType = 'application/spdx+json';

export interface SbomInput {
  readonly lock: ImageLock;
  readonly architecture: Architecture;
  readonly version: string;
  readonly created: string;
  /** The digest of the manifest that the document describes. */
  readonly digest: string;
  /** package-lock.json of the program. */
  readonly packageLock: string;
}

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly license?: string;
  readonly sha256?: string;
}

/** The SPDX 2.3 document of one image: the program, the npm packages in its bundle, Node and Debian's packages. */
export function renderSbom({ lock, architecture, version, created, digest, packageLock }: SbomInput): string {
  const program: Component = {
    name: 'supercargo',
    version,
    purl: `pkg:npm/supercargo@${version}`,
    license: 'Apache-2.0',
  };
  const components: readonly Component[] = [
    program,
    {
      name: 'node',
      version: lock.node.version,
      purl: `pkg:generic/node@${lock.node.version}?arch=${architecture}`,
      license: 'MIT',
      sha256: lock.node.sha256[architecture],
    },
    ...bundledPackages(packageLock),
    ...lock.debian[architecture].map(({ name, version: release, sha256 }) => ({
      name,
      version: release,
      purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(release)}?arch=${architecture}`,
      sha256,
    })),
  ];
  const packages = components.map(renderComponent);
  const relationship = (from: string, relationshipType: string, to: string) => ({
    spdxElementId: from,
    relationshipType,
    relatedSpdxElement: to,
  });
  const [first, ...others] = packages.map(({ SPDXID }) => SPDXID);
  return JSON.stringify({
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `supercargo ${version} linux/${architecture}`,
    documentNamespace: `urn:supercargo:sbom:${digest}`,
    creationInfo: { created, creators: [`Tool: supercargo-image-${version}`] },
    packages,
    relationships: [
      relationship('SPDXRef-DOCUMENT', 'DESCRIBES', first!),
      ...others.map((id) => relationship(first!, 'CONTAINS', id)),
    ],
  });
}

const renderComponent = ({ name, version, purl, license, sha256 }: Component, i: number) => ({
  SPDXID: `SPDXRef-Package-${i}-${name.replace(/[^A-Za-z0-9.-]/g, '-')}`,
  name,
  versionInfo: version,
  downloadLocation: 'NOASSERTION',
  filesAnalyzed: false,
  licenseConcluded: 'NOASSERTION',
  licenseDeclared: license ?? 'NOASSERTION',
  copyrightText: 'NOASSERTION',
  ...(sha256 ? { checksums: [{ algorithm: 'SHA256', checksumValue: sha256 }] } : {}),
  externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl }],
});

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

/** The packages that are not only for development; the bundle has no others. */
function bundledPackages(packageLock: string): readonly Component[] {
  const { packages } = JSON.parse(packageLock) as { readonly packages: Readonly<Record<string, LockedPackage>> };
  const start = 'node_modules/';
  return Object.entries(packages)
    .filter(([path, { dev, optional }]) => path.startsWith(start) && dev !== true && optional !== true)
    .map(([path, { version = '', license }]) => {
      const name = path.slice(path.lastIndexOf(start) + start.length);
      const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
      return { name, version, purl, ...(license && /^[A-Za-z0-9.-]+$/.test(license) ? { license } : {}) };
    })
    .sort((a, b) => (a.purl < b.purl ? -1 : 1));
}
