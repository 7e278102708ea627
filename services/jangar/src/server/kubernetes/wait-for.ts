import { type Wait, wait } from '@agents/controller'

/** Waits for a dependency whose change is an event. Also rechecks periodically, in case an event is missed. */
export function waitFor<const Reason extends string, Detail = object>(
  reason: Reason,
  message: string,
  extra: Pick<Wait<Reason, Detail>, 'detail'> = {},
): Wait<Reason, Detail> {
  return wait(reason, message, askAgainMs, extra)
}

const askAgainMs = 600_000
