import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, parseDocument } from 'yaml'
import { releaseSection } from './changelog.ts'
import { listWorkspaces } from './workspaces.ts'

interface ReleaseVersions {
  readonly version: string
  /** If omitted, the chart keeps its version. */
  readonly chart: string | undefined
  readonly time: Date
}

/** Every file that contains the version, as it has to be for a release, by path from the root. */
export async function versionedFiles(
  root: string,
  { version, chart, time }: ReleaseVersions,
): Promise<ReadonlyMap<string, string>> {
  for (const given of [version, chart ?? version]) checkVersion(given)
  const read = (path: string) => readFile(join(root, path), 'utf8')
  const workspaces = await listWorkspaces(root)
  const manifests = ['package.json', ...workspaces.map(({ folder }) => `${folder}/package.json`)]
  const files = new Map<string, string>()
  for (const path of manifests) files.set(path, withVersion(await read(path), version))
  const folders = new Set(['', ...workspaces.map(({ folder }) => folder)])
  files.set('package-lock.json', withLockVersion(await read('package-lock.json'), version, folders))
  files.set(chartPath, await chartFile(await read(chartPath), version, chart))
  files.set(overlayPath, withImageTag(await read(overlayPath), version))
  files.set('CHANGELOG.md', releaseSection(await read('CHANGELOG.md'), version, time))
  return files
}

const chartPath = 'charts/agents/Chart.yaml'
const overlayPath = 'argocd/applications/agents/values.yaml'

function checkVersion(version: string): void {
  if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) {
    throw new Error(`${JSON.stringify(version)} is not a version: it must look like 1.2.3`)
  }
}

interface Manifest {
  version?: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

/** A manifest of the project with its version, and that of the workspaces that it depends on. */
function withVersion(text: string, version: string): string {
  const manifest: Manifest = JSON.parse(text)
  return `${JSON.stringify(versioned(manifest, version), null, 2)}\n`
}

function withLockVersion(text: string, version: string, folders: ReadonlySet<string>): string {
  const lock = JSON.parse(text)
  for (const [folder, manifest] of Object.entries<Manifest>(lock.packages)) {
    if (folders.has(folder)) lock.packages[folder] = versioned(manifest, version)
  }
  return `${JSON.stringify({ ...lock, version }, null, 2)}\n`
}

function versioned(manifest: Manifest, version: string): Manifest {
  const pinned = (dependencies: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(dependencies).map(([name, wanted]) => [
        name,
        name.startsWith('@agents/') ? version : wanted,
      ]),
    )
  const { dependencies, devDependencies } = manifest
  return {
    ...manifest,
    version,
    ...(dependencies !== undefined && { dependencies: pinned(dependencies) }),
    ...(devDependencies !== undefined && { devDependencies: pinned(devDependencies) }),
  }
}

/** Sets the chart's appVersion, its version if one is given, and the image that Artifact Hub shows. */
function chartFile(text: string, version: string, chart: string | undefined): string {
  const before = String(parse(text).appVersion)
  const document = parseDocument(text)
  document.set('appVersion', version)
  if (chart !== undefined) document.set('version', chart)
  return document
    .toString({ lineWidth: 0, flowCollectionPadding: false })
    .replaceAll(`ghcr.io/proompteng/agents:${before}`, `ghcr.io/proompteng/agents:${version}`)
}

function withImageTag(text: string, version: string): string {
  return text.replace(/^( +tag: ")[^"]*(")$/m, `$1${version}$2`)
}
