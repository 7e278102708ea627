import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const tool = join(import.meta.dirname, '..', '..', 'tests', 'chart', 'main', 'tool.ts')

/** The Helm 4 that somebody names with HELM_BIN, or the one that comes with npm for the tests. */
export async function helmPath(named: string | undefined): Promise<string> {
  if (named !== undefined && named !== '') return named
  const { stdout } = await promisify(execFile)(process.execPath, [tool, 'helm', '4'])
  return stdout.trim()
}
