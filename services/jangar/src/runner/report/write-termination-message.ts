import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { podPaths } from '../../run-contract/pod-paths.ts'

/**
 * Writes in place, since the kubelet mounts the file itself. The default path is only written if it exists: outside a
 * pod nothing reads it. A pipe without a reader is not waited for. Returns whether the message was
 * written.
 */
export async function writeTerminationMessage(path: string, message: string): Promise<boolean> {
  const { O_CREAT, O_NONBLOCK, O_TRUNC, O_WRONLY } = constants
  const create = path === podPaths.terminationMessage ? 0 : O_CREAT
  try {
    const file = await open(path, O_WRONLY | O_TRUNC | O_NONBLOCK | create, 0o644)
    try {
      await file.writeFile(message)
    } finally {
      await file.close()
    }
    return true
  } catch {
    return false
  }
}
