import type { Condition, KubeObject } from '@agents/kube'

/** The condition of this type, of any object that has conditions in its status. */
export function conditionOf(
  object: Pick<KubeObject, 'status'>,
  type: string,
): Condition | undefined {
  const { conditions } = (object.status ?? {}) as { readonly conditions?: readonly Condition[] }
  return conditions?.find((condition) => condition.type === type)
}

export function isTrue(object: Pick<KubeObject, 'status'>, type: string): boolean {
  return conditionOf(object, type)?.status === 'True'
}
