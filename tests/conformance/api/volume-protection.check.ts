import { expect, vi } from 'vitest'
import { builtinsIn, containers, named } from './builtin-objects.ts'
import type { Answer, Fields } from './client.ts'
import { merge } from './patch-formats.ts'
import { conformance, stringAt, valueAt } from './suite.ts'

conformance('volume-protection', ({ client, namespace, same }) => {
  const { core, pods } = builtinsIn(namespace)
  const claims = core('persistentvolumeclaims')
  const volumes = '/api/v1/persistentvolumes'
  const create = async (path: string, object: Fields): Promise<void> => {
    const answer = await client.send('POST', path, object)
    expect(answer.code, answer.text).toBe(201)
  }
  const remove = async (path: string, options?: Fields): Promise<void> => {
    const answer = await client.send('DELETE', path, options)
    expect(answer.code, answer.text).toBe(200)
  }
  const claim = (name: string, path = claims): Promise<void> => {
    const resources = { requests: { storage: '1Mi' } }
    return create(path, named(name, { spec: { accessModes: ['ReadWriteOnce'], resources } }))
  }
  const volume = (name: string): Promise<void> => {
    const spec = { capacity: { storage: '1Mi' }, hostPath: { path: '/tmp' } }
    return create(volumes, named(name, { spec: { ...spec, accessModes: ['ReadWriteOnce'] } }))
  }
  const pod = (name: string, claimName: string, spec: Fields = {}): Promise<void> => {
    const data = { name: 'data', persistentVolumeClaim: { claimName } }
    const rest = { automountServiceAccountToken: false, containers, volumes: [data] }
    return create(pods, named(name, { spec: { ...rest, ...spec } }))
  }
  const setPhase = async (path: string, phase: string): Promise<void> => {
    const answer = await client.send('PATCH', `${path}/status`, { status: { phase } }, merge)
    expect(answer.code, answer.text).toBe(200)
  }
  const deleted = (path: string): Promise<Answer> => eventually(path, ({ code }) => code === 404)
  const eventually = (path: string, accept: (answer: Answer) => boolean): Promise<Answer> =>
    vi.waitFor(
      async () => {
        const answer = await client.get(path)
        expect(accept(answer), answer.text).toBe(true)
        return answer
      },
      { timeout: 200_000, interval: 20 },
    )
  /** Resolves after the controllers have processed a deletion that was requested before. */
  const processed = async (name: string): Promise<void> => {
    await claim(name)
    await volume(name)
    await remove(`${claims}/${name}`)
    await remove(`${volumes}/${name}`)
    await deleted(`${claims}/${name}`)
    await deleted(`${volumes}/${name}`)
  }

  same('a claim that no pod uses is deleted', 404, async () => {
    await claim('unused')
    await remove(`${claims}/unused`)
    return deleted(`${claims}/unused`)
  })
  same('a claim that a pod uses is kept', 200, async () => {
    await claim('used')
    await pod('user', 'used', { nodeName: 'somewhere' })
    await remove(`${claims}/used`)
    await processed('after-used')
    return client.get(`${claims}/used`)
  })
  same('a claim that a finished pod uses is kept', 200, async () => {
    await setPhase(`${pods}/user`, 'Succeeded')
    await processed('after-finished')
    return client.get(`${claims}/used`)
  })
  same('a claim is deleted after the pod that used it', 404, async () => {
    await remove(`${pods}/user`, { gracePeriodSeconds: 0 })
    return deleted(`${claims}/used`)
  })
  same('a claim of a pod without a node is deleted', 404, async () => {
    await claim('waiting')
    await pod('waiting', 'waiting')
    await remove(`${claims}/waiting`)
    return deleted(`${claims}/waiting`)
  })
  same('a claim with another finalizer is kept', 200, async () => {
    await claim('held')
    const finalizers = ['kubernetes.io/pvc-protection', 'example.dev/hold']
    await client.send('PATCH', `${claims}/held`, { metadata: { finalizers } }, merge)
    await remove(`${claims}/held`)
    return eventually(
      `${claims}/held`,
      (answer) => valueAt(answer, 'metadata.finalizers.0') === 'example.dev/hold',
    )
  })
  same(
    'a claim gets its protection back',
    200,
    async () => {
      await claim('bare')
      await client.send('PATCH', `${claims}/bare`, { metadata: { finalizers: null } }, merge)
      return eventually(
        `${claims}/bare`,
        (answer) => valueAt(answer, 'metadata.finalizers.0') !== undefined,
      )
    },
    // Upstream runs all controllers in one process, which is the field manager.
    [[/system:serviceaccount:kube-system:pvc-protection-controller/g, 'kube-controller-manager']],
  )
  same(
    "a claim of a pod's ephemeral volume is kept, another one of that name is not",
    200,
    async () => {
      const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } }
      const volumes = [{ name: 'data', ephemeral: { volumeClaimTemplate: { spec } } }]
      await pod('scratch', '', { nodeName: 'somewhere', volumes })
      await claim('scratch-data')
      await remove(`${claims}/scratch-data`)
      await deleted(`${claims}/scratch-data`)
      const uid = stringAt(await client.get(`${pods}/scratch`), 'metadata.uid')
      const owner = { apiVersion: 'v1', kind: 'Pod', name: 'scratch', uid, controller: true }
      const metadata = { name: 'scratch-data', ownerReferences: [owner] }
      await create(claims, { metadata, spec })
      await remove(`${claims}/scratch-data`)
      await processed('after-scratch')
      const kept = await client.get(`${claims}/scratch-data`)
      return { ...kept, body: valueAt(kept, 'metadata.finalizers') }
    },
  )
  same("a claim is deleted with its pod's ephemeral volume", 404, async () => {
    await remove(`${pods}/scratch`, { gracePeriodSeconds: 0 })
    return deleted(`${claims}/scratch-data`)
  })
  same('a namespace with a claim is deleted', 404, async () => {
    const namespaces = '/api/v1/namespaces'
    await create(namespaces, named('volume-protection-deleted'))
    const path = `${namespaces}/volume-protection-deleted`
    await claim('left', `${path}/persistentvolumeclaims`)
    await remove(path)
    return deleted(path)
  })
  same('a volume that is not bound is deleted', 404, async () => {
    await volume('free')
    await remove(`${volumes}/free`)
    return deleted(`${volumes}/free`)
  })
  same('a volume that is bound is kept', 200, async () => {
    await volume('bound')
    await setPhase(`${volumes}/bound`, 'Bound')
    await remove(`${volumes}/bound`)
    await processed('after-bound')
    return client.get(`${volumes}/bound`)
  })
  same('a volume that is released is deleted', 404, async () => {
    await setPhase(`${volumes}/bound`, 'Released')
    return deleted(`${volumes}/bound`)
  })
})
