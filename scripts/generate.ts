import { globSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { generatedFiles, ownedFolders } from './generate/files.ts'
import { protobufDrift, writeProtobuf } from './generate/protobuf.ts'

/**
 * `npm run generate` writes every generated file. With `--check` it writes nothing and fails if a file differs. With
 * `--proto` it also compiles the .proto files, for which it downloads a compiler.
 */

const flag = { type: 'boolean', default: false } as const
const { values } = parseArgs({ options: { check: flag, proto: flag } })
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
if (values.proto && !values.check) await writeProtobuf(root)
reportProtobufDrift()

function reportDrift(): void {
  for (const path of changed) console.log(`${path} differs from its declaration`)
  for (const path of stale) console.log(`${path} has no declaration; its kind was removed`)
  if (changed.length + stale.length === 0) return
  console.log('Run "npm run generate" and commit the result.')
  process.exitCode = 1
}

function reportProtobufDrift(): void {
  const drift = protobufDrift(root)
  for (const sentence of drift) console.log(sentence)
  if (drift.length === 0) return
  console.log('Run "npm run generate -- --proto" and commit the result.')
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
