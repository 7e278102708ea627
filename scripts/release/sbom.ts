import { createHash } from 'node:crypto'
import { type LockedPackage, type LockFile, requiredPackages } from './required-packages.ts'

/**
 * A software bill of materials (CycloneDX 1.6) of all packages in the lock file. Those that the shipped workspaces
 * need at run time have the scope `required`, tools of development `excluded`.
 */
export function softwareBill(
  lock: LockFile,
  shipped: readonly string[],
  version: string,
  time: Date,
): string {
  const required = requiredPackages(lock, shipped)
  const components = Object.entries(lock.packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && link !== true)
    .map(([path, locked]) => componentOf(path, locked, required.has(path)))
    .toSorted((a, b) => (a.purl < b.purl ? -1 : 1))
    // A version that is installed in several folders is one component.
    .filter(({ purl }, index, all) => purl !== all[index - 1]?.purl)
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([version, components]))}`,
    version: 1,
    metadata: {
      timestamp: time.toISOString(),
      component: {
        'bom-ref': `agents@${version}`,
        type: 'application',
        name: 'agents',
        version,
        licenses: [{ license: { id: 'Apache-2.0' } }],
      },
    },
    components,
  }
  return `${JSON.stringify(bill, null, 2)}\n`
}

function componentOf(path: string, locked: LockedPackage, isRequired: boolean) {
  const name = locked.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const purl = `pkg:npm/${name.replace('@', '%40')}@${locked.version}`
  const { integrity, license } = locked
  return {
    'bom-ref': purl,
    type: 'library',
    name,
    version: locked.version,
    purl,
    scope: isRequired ? 'required' : 'excluded',
    ...(integrity !== undefined && { hashes: [hashOf(integrity)] }),
    ...(license !== undefined && { licenses: [{ expression: license }] }),
  }
}

/** Converts `sha512-<base64>` to the format of CycloneDX. */
function hashOf(integrity: string): { readonly alg: string; readonly content: string } {
  const [algorithm = '', digest = ''] = integrity.split('-', 2)
  return {
    alg: algorithm.toUpperCase().replace('SHA', 'SHA-'),
    content: Buffer.from(digest, 'base64').toString('hex'),
  }
}

/** A UUID (version 8) that depends on the content alone. */
function uuidOf(content: string): string {
  const hex = createHash('sha256').update(content).digest('hex')
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
