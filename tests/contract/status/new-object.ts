import { type KindRef, type KubeClient, kindRef } from '@agents/kube'
import { uniqueName } from '../../support/testbed/unique-name.ts'
import type { Contract, ContractSubject } from './contract-subject.ts'

export interface ContractKey {
  readonly namespace?: string
  readonly name: string
}

/** The scope of the subject's objects: the namespace of their dependency, or none for a cluster-scoped kind. */
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
