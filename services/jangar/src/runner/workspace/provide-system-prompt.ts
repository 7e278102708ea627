import { join } from 'node:path'
import { localPath, writeInWorkspace } from './workspace-path.ts'

interface SystemPrompt {
  /** A file that is mounted already. */
  readonly mounted: string | undefined
  /** Instructions that are written out in run.json. */
  readonly inline: string | undefined
}

/** Where the program finds its standing instructions. Mounted ones stay where they are. */
export async function provideSystemPrompt(
  root: string,
  { mounted, inline }: SystemPrompt,
): Promise<string | undefined> {
  if (mounted !== undefined) return localPath(root, mounted)
  if (inline === undefined) return undefined
  const path = join(root, '.agent', 'system-prompt.txt')
  await writeInWorkspace(root, path, inline)
  return path
}
