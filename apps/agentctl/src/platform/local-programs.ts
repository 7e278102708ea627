import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The programs that images contain on a cluster, and the module in services/jangar/src/main that each of them is. */
const modules = {
  'agent-runner': 'runner',
  'agent-checkout': 'checkout',
  'agent-publish': 'publish',
  'agent-memory': 'memory',
  'scripted-agent': 'scripted-agent',
}

/** Sources in a checkout, JavaScript in an npm package. */
const extension = extname(import.meta.filename)

/** Writes programs into a folder that run these modules with the Node of this process. */
export async function writeLocalPrograms(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const service = dirname(fileURLToPath(import.meta.resolve('@agents/jangar')))
  const launcher = join(import.meta.dirname, '../main/launch.mjs')
  await Promise.all(
    Object.entries(modules).map(async ([name, module]) => {
      const source = join(service, 'main', module + extension)
      const words = [process.execPath, launcher, source].map(quoted)
      const path = join(folder, name)
      await writeFile(path, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`)
      await chmod(path, 0o755)
    }),
  )
}

/** Files that other users of the machine must be able to read to run these programs. */
export function programNeeds(): string[] {
  const service = dirname(fileURLToPath(import.meta.resolve('@agents/jangar')))
  return [process.execPath, join(import.meta.dirname, '../main/launch.mjs'), join(service, 'main')]
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
