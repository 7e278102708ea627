import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const sources = {
  'agent-runner': 'runner',
  'agent-checkout': 'checkout',
  'agent-publish': 'publish',
  'agent-memory': 'memory',
}

const service = join(import.meta.dirname, '../../../services/jangar/src')

/** Writes the programs of the image to a folder, and returns its path. */
export async function writePrograms(folder: string): Promise<string> {
  await mkdir(folder)
  for (const [name, source] of Object.entries(sources)) {
    const script = `#!/bin/sh\nexec '${process.execPath}' '${join(service, 'main', `${source}.ts`)}' "$@"\n`
    await writeFile(join(folder, name), script, { mode: 0o755 })
  }
  return folder
}
