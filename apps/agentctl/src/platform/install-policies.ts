import { createHash } from 'node:crypto'
import { type PolicyObject, policyObjects } from '@agents/crd'
import type { KubeClient } from '@agents/kube'
import { type PolicyKind, platformPolicies, policyKinds } from '../cluster/admission-policies.ts'
import { platformUser } from './platform-user.ts'

const fieldManager = 'agentctl-up'

/** Digest of the applied spec. The server adds defaults, so that the specs themselves cannot be compared. */
const digestAnnotation = 'agents.proompteng.ai/spec-digest'

/** The admission policies, as the chart installs them, for every namespace of the local platform. */
export async function installPolicies(client: KubeClient, signal: AbortSignal): Promise<void> {
  const objects = policyObjects(platformPolicies, {
    prefix: 'local',
    accounts: [platformUser.name],
  })
  const byKind = Map.groupBy(objects, ({ kind }) => kind)
  await Promise.all(
    [...byKind].map(async ([kind, wanted]) => {
      const ref = policyKinds[kind]
      if (ref !== undefined) await applyChanged(client, ref, wanted, signal)
    }),
  )
}

async function applyChanged(
  client: KubeClient,
  kind: PolicyKind,
  objects: readonly PolicyObject[],
  signal: AbortSignal,
): Promise<void> {
  const { items } = await client.list(kind, { signal })
  const digests = new Map(
    items.map(({ metadata }) => [metadata.name, metadata.annotations?.[digestAnnotation]]),
  )
  const changed = objects
    .map((object) => ({ object, digest: digestOf(object) }))
    .filter(({ object, digest }) => digests.get(object.metadata.name) !== digest)
  await Promise.all(
    changed.map(({ object, digest }) =>
      client.apply(
        kind,
        {
          metadata: { ...object.metadata, annotations: { [digestAnnotation]: digest } },
          spec: object.spec,
        },
        { fieldManager, signal },
      ),
    ),
  )
}

function digestOf({ spec }: PolicyObject): string {
  return createHash('sha256').update(JSON.stringify(spec)).digest('hex').slice(0, 32)
}
