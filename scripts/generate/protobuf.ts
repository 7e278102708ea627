import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const sources = 'services/jangar/proto'
const generated = 'services/jangar/src/server/grpc/generated'
const compiler = '@bufbuild/buf@1.74.0'
const plugin = '@bufbuild/protoc-gen-es@2.16.0'

/**
 * Compares the generated TypeScript with the .proto files; returns a sentence for each difference. It needs no
 * compiler, because each file contains the digests of its source and its content.
 */
export function protobufDrift(root: string): string[] {
  const pairs = protobufFiles(root)
  const known = new Set(pairs.map(({ target }) => target))
  const orphans = globSync(`${generated}/**/*.ts`, { cwd: root }).filter((path) => !known.has(path))
  return [
    ...pairs.flatMap(({ source, target }) => {
      const text = readText(join(root, target))
      if (text === undefined) return [`${target} is missing; it is compiled from ${source}`]
      const end = text.indexOf('\n') + 1
      const proto = readFileSync(join(root, source), 'utf8')
      const isSame = text.slice(0, end) === firstLine(source, proto, text.slice(end))
      return isSame ? [] : [`${target} differs from ${source}`]
    }),
    ...orphans.map((path) => `${path} has no .proto file`),
  ]
}

/** Compiles every .proto file. The compiler is too large for a dependency, so it is downloaded on demand. */
export async function writeProtobuf(root: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'agents-protobuf-'))
  try {
    const packages = ['--yes', '--package', compiler, '--package', plugin]
    const template = JSON.stringify({ version: 'v2', plugins: [{ ...settings, out: '.' }] })
    const args = [...packages, '--', 'buf', 'generate', sources]
    await promisify(execFile)('npx', [...args, '--template', template, '--output', folder], {
      cwd: root,
    })
    await rm(join(root, generated), { recursive: true, force: true })
    for (const { source, target } of protobufFiles(root)) {
      const proto = await readFile(join(root, source), 'utf8')
      const body = await readFile(join(folder, target.slice(generated.length)), 'utf8')
      await mkdir(join(root, dirname(target)), { recursive: true })
      await writeFile(join(root, target), firstLine(source, proto, body) + body)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Options for code that Node runs without a build step: no enums, and imports with file extensions. */
const settings = {
  local: 'protoc-gen-es',
  opt: ['target=ts', 'import_extension=ts', 'erasable_syntax=true'],
}

function protobufFiles(root: string): { readonly source: string; readonly target: string }[] {
  return globSync(`${sources}/**/*.proto`, { cwd: root })
    .toSorted()
    .map((source) => {
      const path = source.slice(sources.length).replace(/\.proto$/, '_pb.ts')
      return { source, target: `${generated}${path}` }
    })
}

function firstLine(source: string, proto: string, body: string): string {
  return `// Written by "npm run generate -- --proto" from ${source} (${digest(proto)} made ${digest(body)}).\n`
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
