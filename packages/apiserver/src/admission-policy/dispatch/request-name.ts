import type { KubeObject } from '@agents/kube'
import type { PolicyRequest } from '../policy-request.ts'

/** The name of the object in error messages: its name, its generateName, or `Unknown`. */
export function requestName({ name, object }: PolicyRequest): string {
  if (name !== '') return name
  const { metadata } = (object ?? {}) as Partial<KubeObject>
  return metadata?.name || metadata?.generateName || 'Unknown'
}
