import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The programs that images bring along on a cluster, and which one of our sources each of them is. */
const sources = { 'agent-runner': 'main/runner.ts', 'scripted-agent': 'main/scripted-agent.ts' }

/** Puts programs into the folder that run the sources with this very Node. */
export async function writeLocalPrograms(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const service = dirname(fileURLToPath(import.meta.resolve('@agents/jangar')))
  const launcher = join(import.meta.dirname, '../main/launch.mjs')
  await Promise.all(
    Object.entries(sources).map(async ([name, source]) => {
      const words = [process.execPath, launcher, join(service, source)].map(quoted)
      const path = join(folder, name)
      await writeFile(path, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`)
      await chmod(path, 0o755)
    }),
  )
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
