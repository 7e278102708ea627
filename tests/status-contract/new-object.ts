import { type KindRef, type KubeClient, kindRef } from '@agents/kube'
import type { Contract, ContractSubject } from './contract-subject.ts'
import { uniqueName } from './unique-name.ts'

export interface ContractKey {
  readonly namespace?: string
  readonly name: string
}

/** Where objects of the kind are, whose dependency is in the namespace: a kind of the cluster has none of its own. */
export function scopeOf({ kind }: ContractSubject, namespace: string): { namespace?: string } {
  return kind.scope === 'Namespaced' ? { namespace } : {}
}

export async function createObject(
  client: KubeClient,
  subject: ContractSubject,
  namespace: string,
): Promise<ContractKey> {
  const kind: KindRef<Contract> = kindRef(subject.kind)
  const key = { ...scopeOf(subject, namespace), name: uniqueName('object') }
  const spec = typeof subject.spec === 'function' ? subject.spec(namespace) : subject.spec
  await client.create(kind, { metadata: key, spec } as never)
  return key
}
