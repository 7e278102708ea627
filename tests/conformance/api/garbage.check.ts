import type { Json } from '@agents/crd'
import { beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import type { Answer, Fields } from './client.ts'
import { merge } from './patch-formats.ts'
import { conformance, stringAt, valueAt } from './suite.ts'
import { fullWidgetDefinition, serve, widgetsOf } from './widget.ts'

conformance('garbage', (suite) => {
  const { client, namespace, group } = suite
  const { path, widget } = widgetsOf(suite)
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  const owner = async (name: string, metadata: Fields = {}): Promise<Answer> => {
    const answer = await client.send('POST', path, widget(name, {}, metadata))
    expect(answer.code, answer.text).toBe(201)
    return answer
  }
  const reference = (of: Answer, rest: Fields = {}): Fields => ({
    apiVersion: `${group}/v1`,
    kind: 'Widget',
    name: stringAt(of, 'metadata.name'),
    uid: stringAt(of, 'metadata.uid'),
    ...rest,
  })
  const dependent = async (name: string, ownerReferences: Fields[], metadata: Fields = {}) => {
    const answer = await client.send('POST', maps, {
      metadata: { name, ownerReferences, ...metadata },
    })
    expect(answer.code, answer.text).toBe(201)
  }
  const codeOf = async (at: string) => (await client.get(at)).code
  const isGone = (at: string) =>
    until(async () => (await codeOf(at)) === 404, undefined, { timeoutMs: 200_000 })
  const remove = (name: string, propagationPolicy?: string) =>
    client.send('DELETE', `${path}/${name}`, propagationPolicy ? { propagationPolicy } : undefined)

  // The garbage collector of the real server discovers new kinds every half minute.
  beforeAll(async () => {
    await serve(client, fullWidgetDefinition(group))
    await dependent('warm', [reference(await owner('warm'))])
    await remove('warm')
    await until(async () => (await codeOf(`${maps}/warm`)) === 404, undefined, {
      timeoutMs: 200_000,
    })
  })

  describe('a dependent', () => {
    test.each([undefined, 'Background'])('goes after its owner (%s)', async (policy) => {
      const name = `background-${policy ?? 'default'}`.toLowerCase()
      await dependent(name, [reference(await owner(name))])
      await remove(name, policy)
      expect(await codeOf(`${path}/${name}`)).toBe(404)
      await isGone(`${maps}/${name}`)
    })
    test('goes before its owner when the owner says so', async () => {
      const made = await owner('foreground')
      await dependent('foreground', [reference(made, { blockOwnerDeletion: true })], {
        finalizers: ['example.dev/hold'],
      })
      const answer = await remove('foreground', 'Foreground')
      expect(valueAt(answer, 'metadata.finalizers')).toEqual(['foregroundDeletion'])
      await until(
        async () =>
          valueAt(await client.get(`${maps}/foreground`), 'metadata.deletionTimestamp') !==
          undefined,
        undefined,
        { timeoutMs: 200_000 },
      )
      expect(await codeOf(`${path}/foreground`)).toBe(200)
      await client.send('PATCH', `${maps}/foreground`, { metadata: { finalizers: null } }, merge)
      await isGone(`${path}/foreground`)
    })
    test('that does not block is not waited for', async () => {
      const made = await owner('unblocked')
      await dependent('unblocked', [reference(made)], { finalizers: ['example.dev/hold'] })
      await remove('unblocked', 'Foreground')
      await isGone(`${path}/unblocked`)
      await client.send('PATCH', `${maps}/unblocked`, { metadata: { finalizers: null } }, merge)
    })
    test('stays without its owner when the owner says so', async () => {
      await dependent('orphan', [reference(await owner('orphan'))])
      await remove('orphan', 'Orphan')
      await isGone(`${path}/orphan`)
      const left = await client.get(`${maps}/orphan`)
      expect(left.code).toBe(200)
      expect(valueAt(left, 'metadata.ownerReferences')).toBeUndefined()
    })
    test('of two owners stays with the second', async () => {
      const [first, second] = [await owner('two-a'), await owner('two-b')]
      await dependent('two', [reference(first), reference(second)])
      await remove('two-a')
      await until(
        async () =>
          (valueAt(await client.get(`${maps}/two`), 'metadata.ownerReferences') as Json[])
            .length === 1,
        undefined,
        { timeoutMs: 200_000 },
      )
      await remove('two-b')
      await isGone(`${maps}/two`)
    })
    test('of an owner that never was goes', async () => {
      await dependent('never', [
        {
          apiVersion: `${group}/v1`,
          kind: 'Widget',
          name: 'never',
          uid: '00000000-0000-4000-8000-000000000000',
        },
      ])
      await isGone(`${maps}/never`)
    })
    test('of an owner of the same name and another uid goes', async () => {
      await owner('renewed')
      await dependent('renewed', [
        {
          apiVersion: `${group}/v1`,
          kind: 'Widget',
          name: 'renewed',
          uid: '00000000-0000-4000-8000-000000000000',
        },
      ])
      await isGone(`${maps}/renewed`)
      expect(await codeOf(`${path}/renewed`)).toBe(200)
    })
    test('of a dependent goes too', async () => {
      const made = await owner('chain')
      const middle = await client.send(
        'POST',
        path,
        widget('chain-middle', {}, { ownerReferences: [reference(made)] }),
      )
      await dependent('chain-end', [reference(middle)])
      await remove('chain')
      await isGone(`${maps}/chain-end`)
      await isGone(`${path}/chain-middle`)
    })
    test('of an owner of a kind that is not there stays', async () => {
      await dependent('strange', [
        { apiVersion: 'strange.example.dev/v1', kind: 'Strange', name: 'a', uid: 'a' },
      ])
      const marker = await owner('marker')
      await dependent('marker', [reference(marker)])
      await remove('marker')
      await isGone(`${maps}/marker`)
      expect(await codeOf(`${maps}/strange`)).toBe(200)
    })
  })

  describe('a finished job', () => {
    test('goes when its time is over', async () => {
      const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`
      const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } }
      const labels = { 'batch.kubernetes.io/controller-uid': 'x' }
      // Managed by another controller, so that its status stays as the test sets it.
      const spec = { managedBy: 'example.dev/tests', ttlSecondsAfterFinished: 1, template }
      const made = await client.send('POST', jobs, { metadata: { name: 'done', labels }, spec })
      expect(made.code, made.text).toBe(201)
      const now = `${new Date().toISOString().slice(0, 19)}Z`
      const condition = (type: string) => ({
        type,
        status: 'True',
        lastTransitionTime: now,
        lastProbeTime: now,
        reason: 'Tests',
        message: '',
      })
      const status = {
        startTime: now,
        completionTime: now,
        succeeded: 1,
        conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
      }
      const finished = await client.send('PATCH', `${jobs}/done/status`, { status }, merge)
      expect(finished.code, finished.text).toBe(200)
      await isGone(`${jobs}/done`)
    })
  })
})
