import type { KubeObject } from '@agents/kube'
import type { Store } from '../../../packages/apiserver/src/store/store.ts'

export function keyOf(n: number): string {
  return `/agents.example.dev/things/ns-${n % 7}/thing-${n}`
}

/** About 1 KiB of JSON, shaped like a custom resource. */
export function objectOf(n: number): KubeObject {
  return {
    apiVersion: 'agents.example.dev/v1',
    kind: 'Thing',
    metadata: {
      name: `thing-${n}`,
      namespace: `ns-${n % 7}`,
      uid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
      generation: 1,
      creationTimestamp: '2030-01-01T00:00:00Z',
      labels: { 'app.kubernetes.io/name': 'thing', 'app.kubernetes.io/instance': `thing-${n}` },
      annotations: { 'example.dev/note': 'n'.repeat(200) },
    },
    spec: { replicas: n, image: 'registry.example.dev/thing:1', text: 't'.repeat(250) },
    status: {
      phase: 'Running',
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Works',
          message: 'it works',
          lastTransitionTime: '2030-01-01T00:00:00Z',
        },
      ],
    },
  }
}

export async function fill(store: Store, objects: number): Promise<void> {
  const writes = Array.from({ length: objects }, (_, n) =>
    store.write(keyOf(n), () => ({ value: objectOf(n) })),
  )
  await Promise.all(writes)
}
