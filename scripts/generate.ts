import { globSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { generatedFiles, ownedFolders } from './generate/files.ts'

/** `npm run generate` writes every derived file; with `--check` it writes nothing and fails where one differs. */

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const root = join(import.meta.dirname, '..')
const files = generatedFiles()

const stale = ownedFolders
  .flatMap((folder) => globSync(`${folder}/*`, { cwd: root }))
  .filter((path) => !files.has(path))
const changed: string[] = []
for (const [path, content] of files) {
  if ((await readText(path)) !== content) changed.push(path)
}

if (values.check) reportDrift()
else await write()

function reportDrift(): void {
  for (const path of changed) console.log(`${path} differs from its declaration`)
  for (const path of stale) console.log(`${path} has no declaration any more`)
  if (changed.length + stale.length === 0) return
  console.log('Run "npm run generate" and commit the result.')
  process.exitCode = 1
}

async function write(): Promise<void> {
  for (const path of changed) {
    await mkdir(join(root, dirname(path)), { recursive: true })
    await writeFile(join(root, path), files.get(path) ?? '')
    console.log(`wrote ${path}`)
  }
  for (const path of stale) {
    await rm(join(root, path))
    console.log(`removed ${path}`)
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(join(root, path), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
