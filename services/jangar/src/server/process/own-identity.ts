import { type Clock, type Runnable, sleep, systemClock, whenAborted } from '@agents/controller'
import type { KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { ControllersConfig } from '../../config/controllers.ts'
import type { KnownPlatformAccounts } from '../primitives-policy/platform-accounts.ts'

/** The accounts of the platform's own processes in the configuration. */
export function platformAccountNames({
  agents,
  pod,
}: Pick<ControllersConfig, 'agents' | 'pod'>): readonly string[] {
  const own = pod.serviceAccount === undefined ? [] : [pod.serviceAccount]
  return [...agents.admission.platformServiceAccounts, ...own]
}

/** Time limit of a request. Startup waits for it, since a run could specify this account. */
const longestMs = 5000

/** Backoff between attempts. */
const pausesMs = { first: 1000, longest: 60_000 } as const

/**
 * Asks the API server for the identity of this process, so that no run may use its account even if no setting names it.
 * Retries until it is known.
 */
export function ownIdentity(
  client: Pick<KubeClient, 'whoAmI'>,
  accounts: Pick<KnownPlatformAccounts, 'learn'>,
  log: Logger,
  clock: Clock = systemClock,
): Runnable {
  let isKnown = false
  const ask = async (signal: AbortSignal): Promise<unknown> => {
    try {
      const { username } = await client.whoAmI({ signal, timeoutMs: longestMs })
      accounts.learn(username)
      isKnown = username !== undefined
      return undefined
    } catch (error) {
      return error
    }
  }
  return {
    name: 'own-identity',
    start: async (signal) => {
      const error = await ask(signal)
      if (isKnown || signal.aborted) return
      log.warn('own identity unknown; set JANGAR_AGENTS_CONTROLLER_PLATFORM_SERVICE_ACCOUNTS', {
        error,
      })
    },
    run: async (signal) => {
      let pauseMs: number = pausesMs.first
      while (!isKnown && !signal.aborted) {
        await sleep(clock, pauseMs, signal)
        if (signal.aborted) return
        await ask(signal)
        if (isKnown) log.info('own identity known')
        pauseMs = Math.min(pauseMs * 2, pausesMs.longest)
      }
      await whenAborted(signal)
    },
  }
}
