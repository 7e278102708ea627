import { type GitProvider, gitProvider } from '@agents/gittarget-api'
import { isNotFound, type KubeClient, kindRef } from '@agents/kube'
import { applyObject } from '../cluster/apply-object.ts'
import { platformNamespace as namespace } from '../cluster/open-cluster.ts'
import { mirrorName, mirrorObjects } from './mirror-objects.ts'
import type { MirrorRepository } from './mirror-repository.ts'

/** Mirrors the platform into this repository from now on, in place of any other repository. */
export async function applyMirror(client: KubeClient, repository: MirrorRepository): Promise<void> {
  await removeOther(client, repository)
  for (const object of mirrorObjects(repository)) {
    await applyObject(client, object, { namespace })
  }
}

/** Deletes the GitProvider of another repository: its URL is immutable. */
async function removeOther(client: KubeClient, { url }: MirrorRepository): Promise<void> {
  const kind = kindRef<GitProvider>(gitProvider)
  const key = { namespace, name: mirrorName }
  try {
    const { spec } = await client.get(kind, key)
    if (spec.url !== url) await client.delete(kind, key)
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
