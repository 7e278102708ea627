import { at } from '@agents/chart-tools'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Render, render, valuesFile } from '../../support/chart/render.ts'
import { lint } from '../lint.ts'

describe('names', () => {
  const long = 'a-release-whose-name-has-fifty-three-characters-00000'
  const all = { controllers: { enabled: true }, gitTargetController: { enabled: true } }
  let first: Render
  let second: Render

  beforeAll(async () => {
    ;[first, second] = await Promise.all([
      render(all, { release: long }),
      render(all, { release: `${long.slice(0, -1)}1` }),
    ])
  }, 60_000)

  test('of a long release stay valid', () => {
    expect(first.errors).toBe('')
    expect(lint(first.objects)).toEqual([])
  })

  const names = ({ objects }: Render) =>
    objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)

  test('of two long releases never collide', () => {
    expect(names(first).filter((name) => names(second).includes(name))).toEqual([])
  })

  test('of two releases in one namespace never collide, and neither selects the pods of the other', async () => {
    const [one, two] = await Promise.all([
      render(all, { release: 'agents' }),
      render(all, { release: 'agents-2' }),
    ])
    expect(names(one).filter((name) => names(two).includes(name))).toEqual([])
    expect(lint([...one.objects, ...two.objects])).toEqual([])
  })

  test.each<{ because: string; release: string; namespace: string; values: object }>([
    {
      because: 'YAML would parse them as another type',
      release: 'n',
      namespace: '123',
      values: { fullnameOverride: '0x10', serviceAccount: { name: '1e3' } },
    },
    {
      because: 'YAML would parse them as null',
      release: '1',
      namespace: 'on',
      values: { namespaceOverride: 'null' },
    },
    {
      because: 'they have the maximum length',
      release: 'r',
      namespace: 'n'.repeat(63),
      values: { fullnameOverride: 'f'.repeat(63), nameOverride: 'o'.repeat(63) },
    },
  ])('stay text and legal where $because', async ({ values, ...options }) => {
    const everything = { ...valuesFile('ci/everything-values.yaml'), ...values }
    const [three, four] = await Promise.all([
      render(everything, { ...options, helm: '3' }),
      render(everything, options),
    ])
    expect([three.errors, four.errors]).toEqual(['', ''])
    expect(three.objects).toEqual(four.objects)
    const monitor = four.objects.find(({ kind }) => kind === 'ServiceMonitor')
    const namespace = 'namespaceOverride' in values ? values.namespaceOverride : options.namespace
    expect(at(monitor, 'spec', 'namespaceSelector', 'matchNames')).toEqual([namespace])
    // Cluster-scoped objects may have longer names, which include the namespace.
    expect(lint(four.objects).filter((problem) => !/Cluster/.test(problem))).toEqual([])
  })
})
