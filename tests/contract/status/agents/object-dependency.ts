import { isNotFound, type KindRef, type KubeObject, type New } from '@agents/kube'
import type { Dependency } from '../contract-subject.ts'

/**
 * A dependency on one object with this name and content. The status, if there is one, is written as the object's own
 * controller would.
 */
export function objectDependency<T extends KubeObject>(
  kind: KindRef<T>,
  name: string,
  { status, ...content }: { readonly status?: object; readonly [field: string]: unknown },
): Dependency {
  return {
    create: async ({ client, namespace }) => {
      const object = { ...content, metadata: { name, namespace } } as unknown as New<T>
      await client.create(kind, object)
      if (!status) return
      const patch = { type: 'merge', body: { status } } as const
      await client.patch(kind, { name, namespace }, patch, { subresource: 'status' })
    },
    delete: ({ client, namespace }) =>
      client.delete(kind, { name, namespace }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error
      }),
  }
}

export const secretContent = { data: { token: Buffer.from('t').toString('base64') } }
