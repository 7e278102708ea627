import type { StateFolder } from '../folder/pod-folder.ts'
import { isAttemptOpen } from './attempt-record.ts'
import type { ContainerEngine } from './engine.ts'

/** Takes away the containers of this node that belong to no pod any more, or to an attempt that is over or unheard of. */
export async function removeStrays(
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
