import { createInformers, type KubeClient } from '@agents/kube'
import { onTestFinished } from 'vitest'
import type { ContractSubject, ControllerEnvironment } from './contract-subject.ts'

/** Creates the reconciler of a subject without starting it, to read its declarations. */
export function idleEnvironment(
  subject: ContractSubject,
  client: KubeClient,
): ControllerEnvironment {
  const informers = createInformers(client)
  onTestFinished(() => informers.stop())
  return subject.environment({ client, informers, namespace: 'default' })
}
