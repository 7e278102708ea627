import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { sourceTime } from '@agents/chart-tools'
import { makeArtefacts } from './release/artefacts.ts'
import { sectionOf } from './release/changelog.ts'
import { checkChart } from './release/check-chart.ts'
import { versionedFiles } from './release/versioned-files.ts'
import { headCommit, requireFull } from './test/results/full-record.ts'
import { keptResultsFolder } from './test/results/kept-results.ts'

/**
 * `npm run release -- X.Y.Z` sets the version everywhere, checks the chart against the last release, and writes the
 * artefacts to dist/, if all long tests have passed at this commit (`npm run test:full -- --no-cache`).
 * `--chart X.Y.Z` also gives the chart a new version; it is versioned separately. With `--check` no file of the
 * checkout is changed, and one that would be is an error: a release workflow builds exactly the content of its tag.
 * `--destination FOLDER` replaces dist/. `--notes` only prints the section of the changelog. The same commit gives the
 * same bytes. Helm 4 comes from HELM_BIN, or from npm; the time in archives from SOURCE_DATE_EPOCH, or from the commit.
 */

const root = join(import.meta.dirname, '..')
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    chart: { type: 'string' },
    check: { type: 'boolean', default: false },
    notes: { type: 'boolean', default: false },
    destination: { type: 'string', short: 'd', default: join(root, 'dist') },
  },
})

try {
  await release()
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}

async function release(): Promise<void> {
  const [version] = positionals
  if (version === undefined || positionals.length > 1) {
    throw new Error(
      'usage: npm run release -- X.Y.Z [--chart X.Y.Z] [--check] [--destination FOLDER]',
    )
  }
  if (flags.notes) return printNotes(version)
  requireFull(headCommit(root), keptResultsFolder(process.env))
  const time = await sourceTime(root, process.env.SOURCE_DATE_EPOCH)
  await setVersions(version, time)
  await checkChart(root, { write: !flags.check })
  await rm(flags.destination, { recursive: true, force: true })
  const artefacts = await makeArtefacts(root, {
    version,
    time,
    destination: flags.destination,
    helm: process.env.HELM_BIN,
  })
  for (const { name, sha256 } of artefacts) console.log(`${sha256}  ${name}`)
}

async function printNotes(version: string): Promise<void> {
  const section = sectionOf(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), version)
  if (section === undefined) throw new Error(`CHANGELOG.md has no section ${version}`)
  console.log(section.trim())
}

async function setVersions(version: string, time: Date): Promise<void> {
  const files = await versionedFiles(root, { version, chart: flags.chart, time })
  for (const [path, text] of files) {
    if ((await readFile(join(root, path), 'utf8')) === text) continue
    if (flags.check)
      throw new Error(`${path} is not at version ${version}: run without --check and commit`)
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
    console.log(`wrote ${path}`)
  }
}
