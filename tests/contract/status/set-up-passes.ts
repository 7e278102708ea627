import { isRun, objectApi, reconcileObject } from '@agents/controller'
import { type KindRef, type KubeClient, kindRef } from '@agents/kube'
import { expect } from 'vitest'
import { createNamespace } from '../../support/testbed/server.ts'
import { uniqueName } from '../../support/testbed/unique-name.ts'
import { expectContract } from './checks.ts'
import type { Contract, ContractSubject } from './contract-subject.ts'
import { idleEnvironment } from './idle-environment.ts'
import { type ContractKey, createObject } from './new-object.ts'
import { type Script, scripted } from './scripted-gates.ts'

/** Objects of a kind in a new namespace, reconciled one at a time on a clock that the test controls. */
export async function setUpPasses(subject: ContractSubject, client: KubeClient) {
  const kind: KindRef<Contract> = kindRef(subject.kind)
  const namespace = uniqueName('passes')
  await createNamespace(client, namespace)
  const { reconciler } = idleEnvironment(subject, client)
  const api = objectApi(client, kind)
  let now = new Date('2026-01-01T00:00:00Z')
  let key: ContractKey = { namespace, name: '' }
  const read = () => client.get(kind, key)
  const fresh = async (): Promise<void> => {
    key = await createObject(client, subject, namespace)
  }
  const pass = async (script: Script): Promise<string> => {
    const result = await reconcileObject(
      scripted(reconciler, () => script),
      await read(),
      {
        now,
        signal: new AbortController().signal,
        api,
        remember: () => undefined,
      },
    )
    return result.kind
  }
  await fresh()
  return {
    reconciler,
    last: reconciler.gates.length - (isRun(reconciler) ? 0 : 1),
    now: () => now,
    let: (seconds: number) => {
      now = new Date(now.getTime() + seconds * 1000)
    },
    read,
    fresh,
    pass,
    change: () => client.patch(kind, key, { type: 'merge', body: { spec: subject.changedSpec } }),
    /** The status after one reconcile, which the next reconcile leaves unchanged. */
    onNewObject: async (script: Script): Promise<Contract> => {
      await fresh()
      expect(await pass(script)).toBe('written')
      const object = await read()
      expectContract(reconciler.conditions, object)
      expect(await pass(script)).toBe('settled')
      return object
    },
  }
}
