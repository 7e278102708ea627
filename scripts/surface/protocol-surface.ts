import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Json } from './surface.ts'

/** The .proto files without comments. */
export async function protocolSurface(root: string): Promise<Json> {
  const folder = join(root, 'services', 'jangar', 'proto')
  const entries = globSync('**/*.proto', { cwd: folder }).map(
    async (path) => [path, statements(await readFile(join(folder, path), 'utf8'))] as const,
  )
  return Object.fromEntries(await Promise.all(entries))
}

function statements(proto: string): string {
  return proto
    .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
