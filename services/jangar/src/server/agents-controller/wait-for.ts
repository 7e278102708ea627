import { type Wait, wait } from '@agents/controller'

/** Waits for something whose coming is an event; asks again all the same, so that no missed event is waited for in vain. */
export function waitFor<const Reason extends string>(
  reason: Reason,
  message: string,
): Wait<Reason, object> {
  return wait(reason, message, askAgainMs)
}

const askAgainMs = 600_000
