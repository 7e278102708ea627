import { type Wait, wait } from '@agents/controller'

/** Waits for a dependency whose change is an event. Also rechecks periodically, in case an event is missed. */
export function waitFor<const Reason extends string>(
  reason: Reason,
  message: string,
): Wait<Reason, object> {
  return wait(reason, message, askAgainMs)
}

const askAgainMs = 600_000
