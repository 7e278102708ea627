import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { helmPath, packageChart } from '@agents/chart-tools'
import { agentctlPackage } from './agentctl-package.ts'
import type { LockFile } from './required-packages.ts'
import { softwareBill } from './sbom.ts'
import { tarArchive } from './tar-archive.ts'
import { listWorkspaces, withDependencies } from './workspaces.ts'

interface ArtefactOptions {
  readonly version: string
  readonly time: Date
  readonly destination: string
  /** If omitted, the Helm from npm. */
  readonly helm: string | undefined
}

interface Artefact {
  readonly name: string
  readonly sha256: string
}

/**
 * Writes the chart, the CRDs, agentctl, the software bill of materials and SHA256SUMS into a folder. The same commit
 * gives the same bytes.
 */
export async function makeArtefacts(
  root: string,
  { version, time, destination, helm }: ArtefactOptions,
): Promise<readonly Artefact[]> {
  await mkdir(destination, { recursive: true })
  const chart = join(root, 'charts', 'agents')
  const packaged = await packageChart(await helmPath(helm), chart, destination, time)
  const lock: LockFile = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
  const written = new Map<string, string | Buffer>([
    [`agentctl-${version}.tgz`, tarArchive(await agentctlPackage(root, version), time)],
    [`agents-crds-${version}.yaml`, await definitionBundle(chart)],
    [`agents-${version}.cdx.json`, softwareBill(lock, await shippedFolders(root), version, time)],
  ])
  for (const [name, content] of written) await writeFile(join(destination, name), content)
  const names = [basename(packaged.path), ...written.keys()].toSorted()
  const artefacts = await Promise.all(
    names.map(async (name) => ({ name, sha256: await sha256Of(join(destination, name)) })),
  )
  const sums = artefacts.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('')
  await writeFile(join(destination, 'SHA256SUMS'), sums)
  return artefacts
}

/**
 * The workspaces of agentctl, which runs every service, and the packages in the files of the console are what is
 * shipped; the root package adds the Node that they run on.
 */
async function shippedFolders(root: string): Promise<readonly string[]> {
  const all = await listWorkspaces(root)
  const console = all.find(({ manifest }) => manifest.name === '@agents/console')
  const bundled = Object.keys(console?.manifest.devDependencies ?? {})
    .filter((name) => !isOfBuild.test(name))
    .map((name) => `node_modules/${name}`)
  const workspaces = withDependencies('@agents/agentctl', all)
  return ['', ...workspaces.map(({ folder }) => folder), ...bundled]
}

/** What the console is built and tested with, and does not contain. */
const isOfBuild = /^(@types\/|vite)/

/** All CustomResourceDefinitions in one file, for `kubectl apply --server-side --filename`. */
async function definitionBundle(chart: string): Promise<string> {
  const paths = globSync(join(chart, 'crds', '*.yaml')).toSorted()
  const documents = await Promise.all(paths.map((path) => readFile(path, 'utf8')))
  return documents.join('---\n')
}

async function sha256Of(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
}
