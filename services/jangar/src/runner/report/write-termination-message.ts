import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { TERMINATION_MESSAGE_PATH } from '../contract/runner-spec.ts'

/**
 * Writes in place, since the kubelet mounts this very file. The usual path is only written when it is there already:
 * outside a pod nobody would read it. Returns whether it was written.
 */
export async function writeTerminationMessage(path: string, message: string): Promise<boolean> {
  const { O_CREAT, O_TRUNC, O_WRONLY } = constants
  const create = path === TERMINATION_MESSAGE_PATH ? 0 : O_CREAT
  try {
    const file = await open(path, O_WRONLY | O_TRUNC | create, 0o644)
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
