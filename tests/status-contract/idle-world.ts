import { createInformers, type KubeClient } from '@agents/kube'
import { onTestFinished } from 'vitest'
import type { ContractSubject, World } from './contract-subject.ts'

/** A world of which only the declarations are looked at. */
export function idleWorld(subject: ContractSubject, client: KubeClient): World {
  const informers = createInformers(client)
  onTestFinished(() => informers.stop())
  return subject.world({ client, informers, namespace: 'default' })
}
