import { importMetadata } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import type { AnyObject, Tenants } from './tenants.ts'

const writeSpecs = {
  apiGroups: ['agents.proompteng.ai'],
  resources: ['implementationspecs'],
  verbs: ['*'],
}
const source = { provider: 'github', externalId: 'owner/app#1', state: 'Open', version: '1' }
const imported = {
  labels: { [importMetadata.labels.source]: 'issues' },
  annotations: { [importMetadata.annotations.sourceUid]: 'u' },
}

function specOf(namespace: string, name: string, metadata: object = {}): AnyObject {
  return {
    apiVersion: 'agents.proompteng.ai/v1alpha1',
    kind: 'ImplementationSpec',
    metadata: { ...metadata, name, namespace },
    spec: { source, text: 'Fix it' },
  } as AnyObject
}

/** Tenants that present their work as an issue that a source has imported, or change what the platform recorded. */
export function describeImportedSpecAuthor(running: () => Tenants): void {
  describe('an imported spec', () => {
    async function users() {
      const namespace = await running().namespace()
      const rules = [writeSpecs]
      const tenant = await running().user('permitted', { namespace, rules })
      const platform = await running().user('trusted', { namespace, rules })
      return { namespace, tenant, platform }
    }

    test('is made by the platform alone', async () => {
      const { namespace, tenant, platform } = await users()
      const own = { labels: { team: 'core' }, annotations: { note: 'a' } }
      const written = specOf(namespace, 'own', own)
      expect(await tenant.create(written)).toMatchObject({ code: 201 })
      const claims = (['labels', 'annotations'] as const).flatMap((field) =>
        Object.values(importMetadata[field]).map((key) => ({ [field]: { [key]: 'claimed' } })),
      )
      for (const [at, claim] of claims.entries()) {
        const because = JSON.stringify(claim)
        const forged = specOf(namespace, `claim-${at}`, claim)
        expect((await tenant.create(forged)).code, because).toBe(403)
        expect((await tenant.patch(written, { metadata: claim })).code, because).toBe(403)
        expect((await platform.create(forged)).code, because).toBe(201)
        const removal = JSON.parse(because.replace('"claimed"', 'null'))
        expect((await tenant.patch(forged, { metadata: removal })).code, because).toBe(403)
        expect((await tenant.patch(forged, { metadata: own })).code, because).toBe(200)
      }
    })

    test('keeps the issue and its state, so that nobody cancels runs or moves reports with it', async () => {
      const { namespace, tenant, platform } = await users()
      const spec = specOf(namespace, 'issue', imported)
      expect(await platform.create(spec)).toMatchObject({ code: 201 })
      const changes = [
        { source: { state: 'Closed' } },
        { source: { externalId: 'owner/app#2' } },
        { source: null },
      ]
      for (const change of changes) {
        expect(await tenant.patch(spec, { spec: change })).toMatchObject({
          code: 403,
          message: expect.stringContaining('spec.source'),
        })
      }
      expect(await tenant.patch(spec, { spec: { text: 'Other' } })).toMatchObject({ code: 200 })
      const closed = { spec: { source: { state: 'Closed' } } }
      expect(await platform.patch(spec, closed)).toMatchObject({ code: 200 })
      const written = specOf(namespace, 'own')
      expect(await tenant.create(written)).toMatchObject({ code: 201 })
      expect(await tenant.patch(written, closed)).toMatchObject({ code: 200 })
    })
  })
}
