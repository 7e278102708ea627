import { beforeAll, expect } from 'vitest'
import { builtinsIn, containers, workload } from './builtin-objects.ts'
import type { Answer, Fields } from './client.ts'
import { applied, merge } from './patch-formats.ts'
import { conformance, withoutStatus } from './suite.ts'
import { fullWidgetDefinition, serve, widgetsOf } from './widget.ts'

conformance('status-metadata', (suite) => {
  const { client, namespace, group, same } = suite
  const { core, of, pods, deployments, jobs } = builtinsIn(namespace)
  const { path } = widgetsOf(suite)
  const storage = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } }
  const attachment = { attacher: 'a', nodeName: 'b', source: { persistentVolumeName: 'c' } }
  const service = {
    group: 'other.example.dev',
    version: 'v1',
    groupPriorityMinimum: 1,
    versionPriority: 1,
  }
  const once = { template: { spec: { restartPolicy: 'Never', containers } }, suspend: true }
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }
  const targets: [apiVersion: string, kind: string, collection: string, spec: Fields][] = [
    [
      'storage.k8s.io/v1',
      'VolumeAttachment',
      '/apis/storage.k8s.io/v1/volumeattachments',
      attachment,
    ],
    [
      'apiregistration.k8s.io/v1',
      'APIService',
      '/apis/apiregistration.k8s.io/v1/apiservices',
      service,
    ],
    [
      'admissionregistration.k8s.io/v1',
      'ValidatingAdmissionPolicy',
      '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
      { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'true' }] },
    ],
    [
      'networking.k8s.io/v1',
      'ServiceCIDR',
      '/apis/networking.k8s.io/v1/servicecidrs',
      { cidrs: ['10.77.0.0/24'] },
    ],
    ['v1', 'PersistentVolumeClaim', core('persistentvolumeclaims'), storage],
    ['v1', 'Pod', pods, { automountServiceAccountToken: false, containers }],
    ['apps/v1', 'Deployment', deployments, workload],
    ['apps/v1', 'ReplicaSet', of('apps/v1', 'replicasets'), workload],
    ['batch/v1', 'Job', jobs, once],
    [
      'policy/v1',
      'PodDisruptionBudget',
      of('policy/v1', 'poddisruptionbudgets'),
      { minAvailable: 1 },
    ],
    [`${group}/v1`, 'Widget', path, { size: 1 }],
  ]
  const nameOf = (kind: string): string =>
    kind === 'APIService' ? 'v1.other.example.dev' : 'status-metadata'
  beforeAll(() => serve(client, fullWidgetDefinition(group)))

  for (const [apiVersion, kind, collection, spec] of targets) {
    const name = nameOf(kind)
    const at = `${collection}/${name}`
    const create = async (): Promise<void> => {
      const metadata = { name, labels: { own: 'a' } }
      const answer = await client.send('POST', collection, { apiVersion, kind, metadata, spec })
      expect(answer.code, answer.text).toBe(201)
    }
    const metadata = { labels: { added: 'b' }, annotations: { 'example.dev/added': 'b' } }
    same(`metadata in a merge patch of the status of a ${kind}`, 200, async () => {
      await create()
      return ownPart(await client.send('PATCH', `${at}/status?dryRun=All`, { metadata }, merge))
    })
    same(`metadata in an applied status of a ${kind}`, 200, async () =>
      ownPart(
        await client.send(
          'PATCH',
          `${at}/status?fieldManager=applier&dryRun=All`,
          { apiVersion, kind, metadata: { name, ...metadata }, status: {} },
          applied,
        ),
      ),
    )
    if (!collection.includes(namespace)) {
      same(`${kind} is deleted`, 200, async () => {
        const answer = await client.send('DELETE', at)
        return { ...answer, body: {} }
      })
    }
  }

  const pod = `${pods}/status-metadata/status?dryRun=All`
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'b' }
  same('a deletionTimestamp in a patch of the status of a pod', 200, () =>
    client.send('PATCH', pod, { metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' } }, merge),
  )
  same('owners in a patch of the status of a pod', 200, () =>
    client.send('PATCH', pod, { metadata: { ownerReferences: [owner] } }, merge),
  )
})

/** The object without what controllers may have written in the meantime: its status, and their field managers. */
function ownPart(answer: Answer): Answer {
  const stripped = withoutStatus(answer)
  const { metadata } = stripped.body as { metadata?: { managedFields?: { manager: string }[] } }
  if (metadata?.managedFields === undefined) return stripped
  const managedFields = metadata.managedFields.filter(({ manager }) =>
    ['conformance', 'applier'].includes(manager),
  )
  return {
    ...stripped,
    body: { ...(stripped.body as Fields), metadata: { ...metadata, managedFields } },
  }
}
