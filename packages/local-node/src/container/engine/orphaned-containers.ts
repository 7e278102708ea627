import type { StateFolder } from '../../folder/pod-folder.ts'
import { isAttemptOpen } from '../attempt-record.ts'
import type { ContainerEngine } from './engine.ts'

/** Removes the containers of this node whose pod no longer exists, or whose attempt has ended or is unknown. */
export async function removeOrphans(
  engine: ContainerEngine,
  state: StateFolder,
  isKnown: (uid: string) => boolean,
): Promise<void> {
  for (const name of await engine.containers()) {
    const [, , uid = '', container = '', number = ''] = name.split('_')
    if (isKnown(uid) && isAttemptOpen(state.pod(uid).attempt(container, Number(number)))) continue
    await engine.remove(name)
  }
}
