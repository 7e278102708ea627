import { implementationSource, requestedByAnnotation } from '@agents/jangar-api'
import { kindRef } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { stampOf } from './run-requester.ts'
import { secrets } from './tenant-rights.ts'
import type { AnyObject, Tenants } from './tenants.ts'

const sources = kindRef(implementationSource)
const apiGroups = ['agents.proompteng.ai']
const writeSources = { apiGroups, resources: ['implementationsources'], verbs: ['*'] }
const createSpecs = { apiGroups, resources: ['implementationspecs'], verbs: ['create'] }
const createRuns = { apiGroups, resources: ['agentruns'], verbs: ['create'] }
const writeSpecs = { ...createSpecs, verbs: ['create', 'patch'] }

function sourceOf(namespace: string): AnyObject {
  return {
    apiVersion: 'agents.proompteng.ai/v1alpha1',
    kind: 'ImplementationSource',
    metadata: { name: 'issues', namespace },
    spec: { provider: 'github', auth: { secretRef: { name: 'own' } } },
  } as AnyObject
}

function triggering(namespace: string, change: object = {}): AnyObject {
  const template = { ...change, spec: { agentRef: { name: 'coder' }, runtime: { type: 'job' } } }
  const triggers = [{ name: 'label', event: 'Labelled', label: 'agent', template }]
  const source = sourceOf(namespace)
  return { ...source, spec: { ...source.spec, triggers } }
}

/** Tenants that let the controllers write specs that they may not write themselves. */
export function describeSourceAuthor(running: () => Tenants): void {
  describe('the author of a source', () => {
    test('needs the rights to create and patch what it imports', async () => {
      const namespace = await running().namespace()
      const own = secrets(['get'], ['own'])
      const rows = [
        {
          name: 'source-author',
          rules: [writeSources, own],
          may: 'may not create implementationspecs',
        },
        {
          name: 'source-author-that-creates',
          rules: [writeSources, own, createSpecs],
          may: 'may not patch implementationspecs',
        },
      ]
      for (const { name, rules, may } of rows) {
        const user = await running().user(name, { namespace, rules })
        const answer = await user.create(sourceOf(namespace))
        expect(answer).toMatchObject({ code: 403, message: expect.stringContaining(may) })
      }
      const operator = await running().user('source-operator', {
        namespace,
        rules: [writeSources, own, writeSpecs],
      })
      expect(await operator.create(sourceOf(namespace))).toMatchObject({ code: 201 })
      const reader = await running().user('source-author', {
        namespace,
        rules: [writeSources, own],
      })
      const wider = { spec: { webhook: { enabled: true } } }
      expect(await reader.patch(sourceOf(namespace), wider)).toMatchObject({ code: 403 })
      const note = { metadata: { annotations: { 'agents.proompteng.ai/sync-requested': '1' } } }
      expect(await reader.patch(sourceOf(namespace), note)).toMatchObject({ code: 200 })
    })

    test('needs the right to create the runs of its triggers', async () => {
      const namespace = await running().namespace()
      const rules = [writeSources, secrets(['get'], ['own']), writeSpecs]
      const author = await running().user('source-author', { namespace, rules })
      const refused = {
        code: 403,
        message: expect.stringContaining('may not create agentruns'),
      }
      expect(await author.create(triggering(namespace))).toMatchObject(refused)
      expect(await author.create(sourceOf(namespace))).toMatchObject({ code: 201 })
      const { spec } = triggering(namespace) as { readonly spec: object }
      expect(await author.patch(sourceOf(namespace), { spec })).toMatchObject(refused)
      const operator = await running().user('source-operator', {
        namespace,
        rules: [...rules, createRuns],
      })
      expect(await operator.patch(sourceOf(namespace), { spec })).toMatchObject({ code: 200 })
    })

    test('needs the right to create all runs of an Orchestration that it starts', async () => {
      const namespace = await running().namespace()
      const rules = [writeSources, secrets(['get'], ['own']), writeSpecs, createRuns]
      const graphs = {
        ...createRuns,
        apiGroups: ['orchestration.proompteng.ai'],
        resources: ['orchestrationruns'],
      }
      const tools = { ...createRuns, apiGroups: ['tools.proompteng.ai'], resources: ['toolruns'] }
      const rows = [
        { name: 'source-author', more: [tools], may: 'may not create orchestrationruns' },
        { name: 'source-author-that-creates', more: [graphs], may: 'may not create toolruns' },
      ]
      const kind = 'OrchestrationRun'
      for (const { name, more, may } of rows) {
        const author = await running().user(name, { namespace, rules: [...rules, ...more] })
        const answer = await author.create(triggering(namespace, { kind }))
        expect(answer).toMatchObject({ code: 403, message: expect.stringContaining(may) })
        // What somebody may start is not changed into what they may not.
        expect(await author.create(triggering(namespace))).toMatchObject({ code: 201 })
        const { spec } = triggering(namespace, { kind }) as { readonly spec: object }
        expect(await author.patch(sourceOf(namespace), { spec })).toMatchObject({ code: 403 })
        await running().admin.delete(sources, { namespace, name: 'issues' })
      }
      const operator = await running().user('source-operator', {
        namespace,
        rules: [...rules, graphs, tools],
      })
      expect(await operator.create(triggering(namespace, { kind }))).toMatchObject({ code: 201 })
    })

    test('is the one who requests the runs, and nobody else', async () => {
      const namespace = await running().namespace()
      const rules = [writeSources, secrets(['get'], ['own']), writeSpecs, createRuns]
      const author = await running().user('source-author', { namespace, rules })
      const annotations = { [requestedByAnnotation]: 'source-operator' }
      const forged = {
        ...triggering(namespace),
        metadata: { name: 'issues', namespace, annotations },
      }
      expect(await author.create(forged as AnyObject)).toMatchObject({ code: 201 })
      const { items } = await running().admin.list(sources, { namespace })
      expect(items.map(({ metadata }) => metadata.annotations)).toEqual([
        { [requestedByAnnotation]: 'source-author' },
      ])
      const operator = await running().user('source-operator', { namespace, rules })
      const annotate = (requestedBy: string | null) => ({
        metadata: { annotations: { [requestedByAnnotation]: requestedBy } },
      })
      for (const user of [author, operator]) {
        const taken = annotate('source-operator')
        expect(await user.patch(sourceOf(namespace), taken)).toMatchObject({ code: 403 })
        // As `kubectl replace` does: who requested the runs stays.
        const { code, object } = await user.patch(sourceOf(namespace), annotate(null))
        expect([code, stampOf(object)]).toEqual([200, 'source-author'])
      }
    })
  })
}
