import { livingReconciler } from '@agents/controller'
import { type GitProvider, gitProviderConditions } from '@agents/gittarget-api'
import type { Caches } from '../kubernetes/caches.ts'
import type { KeyWaker } from '../kubernetes/key-waker.ts'
import type { LivingController } from '../kubernetes/living-controller.ts'
import { credentialsResolved } from './gates/credentials-resolved.ts'
import { reachable } from './gates/reachable.ts'
import { validated } from './gates/validated.ts'
import type { GitProviderPorts } from './provider-ports.ts'
import { gitProviderSources } from './sources.ts'

interface GitProviderControllerPorts extends GitProviderPorts {
  readonly caches: Caches
  /** Wakes a provider whose repository has failed for one of its targets. */
  readonly failures: KeyWaker
}

export function gitProviderController(
  ports: GitProviderControllerPorts,
): LivingController<GitProvider> {
  return {
    primary: ports.caches.gitProviders,
    reconciler: livingReconciler({
      kind: 'GitProvider',
      conditions: gitProviderConditions,
      gates: [validated(ports), credentialsResolved(ports), reachable(ports)],
    }),
    sources: gitProviderSources(ports.caches, ports.failures),
    workers: 4,
  }
}
