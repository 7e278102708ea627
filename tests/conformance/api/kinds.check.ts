import { customResourceDefinition } from '@agents/crd'
import { beforeAll, describe, expect, test } from 'vitest'
import { kindOf, kinds, type Manifest, readManifests } from '../../support/kinds/manifests.ts'
import type { Fields } from './client.ts'
import { conformance, valueAt } from './suite.ts'
import { serve } from './widget.ts'

const invalid = readManifests('tests/contract/kinds/invalid/*.yaml').map((manifest) => ({
  ...manifest,
  field: /^\s*field: (.+)$/m.exec(manifest.comment)?.[1]?.trim() ?? '',
  because: /^\s*because: (.+)$/m.exec(manifest.comment)?.[1]?.trim() ?? '',
}))
const definitions = readManifests('charts/agents/crds/*.yaml')
const examples = readManifests('charts/agents/examples/*.yaml').filter(({ object }) =>
  kindOf(object),
)

conformance('kinds', ({ client, namespace }) => {
  const pathOf = (object: Manifest['object']): string => {
    const kind = kindOf(object)
    if (kind === undefined) throw new Error(`no kind for ${object.kind}`)
    const scope = kind.scope === 'Cluster' ? '' : `/namespaces/${namespace}`
    return `/apis/${object.apiVersion}${scope}/${kind.plural}`
  }

  describe('the definition', () => {
    test.each(definitions)('$file is accepted and served', async ({ object }) => {
      await serve(client, object as Fields)
    })
    test('is there for each kind', () => {
      const names = definitions.map(({ object }) => (object.metadata as { name: string }).name)
      expect(names.sort()).toEqual(
        kinds
          .map((kind) => (customResourceDefinition(kind).metadata as { name: string }).name)
          .sort(),
      )
    })
  })

  describe('an example', () => {
    test.each(examples)('$file is accepted, field for field', async ({ object }) => {
      const metadata = {
        ...(object.metadata as Fields),
        namespace: kindOf(object)?.scope === 'Cluster' ? undefined : namespace,
      } as Fields
      const answer = await client.send(
        'POST',
        `${pathOf(object)}?fieldValidation=Strict&dryRun=All`,
        { ...object, metadata },
      )
      expect(answer.code, answer.text).toBe(201)
      expect(answer.headers.warning).toBeUndefined()
    })
  })

  describe('an invalid manifest', () => {
    beforeAll(() => expect(invalid.length).toBeGreaterThan(60))
    // An unknown field is reported only by strict decoding, which hides validation errors.
    test.each(invalid)('is refused at $field: $because', async ({ object, field }) => {
      const [strict, lax] = await Promise.all(
        ['Strict', 'Ignore'].map((level) =>
          client.send('POST', `${pathOf(object)}?fieldValidation=${level}&dryRun=All`, object),
        ),
      )
      expect([400, 422], strict?.text).toContain(strict?.code)
      const causes = [strict, lax].flatMap(
        (answer) => (answer && (valueAt(answer, 'details.causes') as { field: string }[])) ?? [],
      )
      const unknown = [...(strict?.text ?? '').matchAll(/unknown field \\"([^"]+)\\"/g)]
      const told = [...causes.map((cause) => cause.field), ...unknown.map(([, name]) => name)]
      expect(told).toContain(field)
    })
  })
})
